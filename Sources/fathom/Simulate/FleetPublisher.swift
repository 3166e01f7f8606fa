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
    /// How long the broker may accept nothing once the last message is due, in s.
    private static let silentSeconds = 10.0

    let client: MosquittoClient
    let fleet: Fleet
    let root: String
    var encoding = SimulatedEncoding.json
    let clock: any GatewayClock

    /// Runs until the fleet has nothing more to send, or a stop is requested, which ends every device. Throws where the broker
    /// does not accept what is due.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            group.addTask {
                let isTaken = await cancelWhenGracefulShutdown { await publishWhileTaken() }
                await client.stop()
                if !isTaken {
                    throw GatewayError(
                        "the broker has accepted nothing for \(Int(Self.silentSeconds)) s after the last message was due: "
                            + "not all messages of the devices are published")
                }
            }
            try await group.waitForAll()
        }
    }

    /// Publishes until all is published or this is cancelled; false where the broker does not accept what is due.
    private func publishWhileTaken() async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await publish()
                return true
            }
            if fleet.end.isFinite { group.addTask { await !isSilent() } }
            let isTaken = await group.next() ?? true
            group.cancelAll()
            return isTaken
        }
    }

    /// Waits until the broker has accepted nothing for too long after the last message was due; false when cancelled.
    private func isSilent() async -> Bool {
        do {
            let end = fleet.end
            // In parts: the end may be farther away than a clock can wait.
            while clock.now.unix.seconds < end {
                try await clock.sleep(seconds: min(max(0, end - clock.now.unix.seconds), 3_600))
            }
            var accepted: UInt64
            repeat {
                accepted = client.statistics.messagesAccepted
            } while try await clock.wait(within: Self.silentSeconds) { client.statistics.messagesAccepted != accepted }
            return true
        } catch {
            return false
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
