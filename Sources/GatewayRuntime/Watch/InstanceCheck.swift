import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle
import Synchronization

/// Checks, before the gateway connects, whether another one of its name is running: connecting would take over its sessions.
struct InstanceCheck: Sendable {
    /// How long a retained status may take to arrive after the broker has granted the subscription.
    private static let statusSeconds = 0.1
    /// A running gateway publishes heartbeats far more often.
    private static let heartbeatSeconds = 2.5

    let gateway: String
    let instance: Heartbeat.Instance
    /// A connection under a client id of its own, subscribed to the gateway's topics.
    let configuration: MosquittoConfiguration
    let clock: any GatewayClock
    let logger: Logger

    /// Returns when no other gateway is found, or the broker cannot be reached; throws `DuplicateGatewayName`.
    func run() async throws {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let client = MosquittoClient(configuration: configuration, logger: quiet)
        let received = Received()
        let duplicate = await withTaskGroup(of: Heartbeat.Instance?.self) { group in
            group.addTask {
                try? await client.run { ImmediateHandler { received.add($0) } }
                return nil
            }
            group.addTask {
                let duplicate = await cancelWhenGracefulShutdown { await observe(through: client, received) }
                await client.stop()
                return duplicate
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
        if let duplicate { throw DuplicateGatewayName(name: gateway, started: duplicate.started) }
    }

    private func observe(through client: MosquittoClient, _ received: Received) async -> Heartbeat.Instance? {
        // Why the first attempt failed is reported by the other connections.
        guard await client.isConnected(atFirst: true) else { return nil }
        try? await clock.sleep(seconds: Self.statusSeconds)
        guard received.all.contains(where: isOnline) else { return nil }
        try? await clock.sleep(seconds: Self.heartbeatSeconds)
        return received.all.lazy.filter { !$0.retain }.compactMap { Heartbeat($0.payload)?.instance }.first
    }

    /// The messages received so far.
    private final class Received: Sendable {
        private let messages = Mutex<[MQTTMessage]>([])

        var all: [MQTTMessage] { messages.withLock { $0 } }

        func add(_ more: [MQTTMessage]) { messages.withLock { $0 += more } }
    }

    private func isOnline(_ message: MQTTMessage) -> Bool {
        guard message.topic == "fathom/\(gateway)/status" else { return false }
        return (try? JSONSplitter().split(message.payload[...], "state"))?.first??.text == "online"
    }
}
