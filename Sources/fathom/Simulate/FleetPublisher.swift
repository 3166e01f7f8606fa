import FleetSimulator
import GatewayPipeline
import GatewayRuntime
import Mosquitto
import ServiceLifecycle
import TelemetryModel

/// Publishes what simulated devices send, each message when it is due.
struct FleetPublisher: Service {
    /// The greatest number of messages that are published together when the fleet is behind schedule.
    private static let groupMessages = 100

    let client: MosquittoClient
    let fleet: Fleet
    let root: String
    var encoding = SimulatedEncoding.json
    let clock: any GatewayClock

    /// Runs until the fleet has nothing more to send, or a stop is requested, which ends every device.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            group.addTask {
                await cancelWhenGracefulShutdown { await publish() }
                await client.stop()
            }
            try await group.waitForAll()
        }
    }

    private func publish() async {
        var fleet = fleet
        let encoder = SimulatedMessageEncoder(encoding)
        do { try await publish(&fleet, encoder) } catch {
            // Stopped: what is retained would show the devices online, and in a workout, for ever. The client's stop publishes these.
            client.enqueue(fleet.stop(at: clock.now.unix.seconds).map { MQTTMessage(encoder.encode($0, root: root)) })
        }
    }

    /// A group is published only when the broker has accepted the one before, so that the outbox stays bounded.
    private func publish(_ fleet: inout Fleet, _ encoder: SimulatedMessageEncoder) async throws {
        var ticket: PublishTicket?
        while let instant = fleet.nextInstant {
            let wait = instant - clock.now.unix.seconds
            if wait > 0 { try await clock.sleep(seconds: wait) }
            // Before messages are taken out of the fleet: none is lost where this throws.
            if let ticket { try await client.settled(ticket) }
            let now = clock.now.unix.seconds
            var due: [MQTTMessage] = []
            while let next = fleet.nextInstant, next <= now, due.count < Self.groupMessages, let message = fleet.next() {
                due.append(MQTTMessage(encoder.encode(message, root: root)))
            }
            ticket = client.enqueue(due)
        }
        if let ticket { try await client.settled(ticket) }
    }
}

extension MQTTMessage {
    /// A simulated message as a device publishes it.
    init(_ message: InboundMessage) {
        self.init(
            topic: message.topic, payload: message.payload, qos: .atLeastOnce, retain: message.retain,
            contentType: message.contentType)
    }
}
