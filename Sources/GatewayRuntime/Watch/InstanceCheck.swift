import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle
import Synchronization

/// Looks, before anything of a gateway is connected, whether one of the same name is running: connecting would push it off.
struct InstanceCheck: Sendable {
    /// How long a retained status may take to come after the broker has granted the subscription.
    private static let statusSeconds = 0.1
    /// A gateway that runs sends heartbeats far more often.
    private static let heartbeatSeconds = 2.5

    let gateway: String
    let instance: Heartbeat.Instance
    /// A connection under a client id of its own, subscribed to the gateway's topics.
    let configuration: MosquittoConfiguration
    let clock: any GatewayClock
    let logger: Logger

    /// Returns when the way is free or nothing can be learned; throws `RivalGateway`.
    func run() async throws {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let client = MosquittoClient(configuration: configuration, logger: quiet)
        let heard = Heard()
        let rival = await withTaskGroup(of: Heartbeat.Instance?.self) { group in
            group.addTask {
                try? await client.run { ImmediateHandler { heard.add($0) } }
                return nil
            }
            group.addTask {
                let rival = await cancelWhenGracefulShutdown { await look(through: client, heard) }
                await client.stop()
                return rival
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
        if let rival { throw RivalGateway(name: gateway, started: rival.started) }
    }

    private func look(through client: MosquittoClient, _ heard: Heard) async -> Heartbeat.Instance? {
        // What keeps the first attempt from a connection is for the other connections to report.
        guard await client.isConnected(atFirst: true) else { return nil }
        try? await clock.sleep(seconds: Self.statusSeconds)
        guard heard.all.contains(where: isOnline) else { return nil }
        try? await clock.sleep(seconds: Self.heartbeatSeconds)
        return heard.all.lazy.filter { !$0.retain }.compactMap { Heartbeat($0.payload)?.instance }.first
    }

    /// What has come so far.
    private final class Heard: Sendable {
        private let messages = Mutex<[MQTTMessage]>([])

        var all: [MQTTMessage] { messages.withLock { $0 } }

        func add(_ more: [MQTTMessage]) { messages.withLock { $0 += more } }
    }

    private func isOnline(_ message: MQTTMessage) -> Bool {
        guard message.topic == "fathom/\(gateway)/status" else { return false }
        return (try? JSONSplitter().split(message.payload[...], "state"))?.first??.text == "online"
    }
}
