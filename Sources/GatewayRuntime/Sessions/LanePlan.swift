package import GatewayConfiguration
package import GatewayPipeline
import Mosquitto
import TelemetryModel

/// A class of streams: which it carries, and how often it is committed.
package struct LanePlan: Sendable, Equatable {
    /// Its name, in client ids, files and the status.
    package var name: GatewayConfiguration.Lanes.Name
    /// The streams whose messages it publishes.
    package var share: StreamShare
    /// How many frames are committed together at the most.
    package var checkpointFrames: Int
    /// How many messages may be unacknowledged before reading pauses: half of the broker's window, so that it is never full.
    package var unacknowledgedMessages: Int
    /// How long a processed frame may wait for its commit, in s.
    package var checkpointSeconds: Double
    /// How long it reads nothing after a batch that left nothing to read, in ms, while its thread is busy: what comes meanwhile is processed
    /// together, which costs less.
    package var gatherMilliseconds: Int
    /// How many bytes of all devices together may wait.
    package var waitingBytes: Int

    /// The lanes of a configuration.
    package static func lanes(of configuration: GatewayConfiguration) -> [LanePlan] {
        GatewayConfiguration.Lanes.Name.allCases.map { LanePlan($0, in: configuration) }
    }

    /// The lanes of a configuration as they read one session, where the broker lets the gateway have one receiving connection only: it gathers
    /// as the first of them does.
    static func sharing(in configuration: GatewayConfiguration) -> [LanePlan] {
        var plans = lanes(of: configuration)
        for index in plans.indices { plans[index].gatherMilliseconds = plans[0].gatherMilliseconds }
        return plans
    }

    /// The lane `name`.
    package init(_ name: GatewayConfiguration.Lanes.Name, in configuration: GatewayConfiguration) {
        self.name = name
        // Topics of no stream can be had only with everything else, so the lane that is least hurt by that takes them.
        share = StreamShare(
            streams: name.streams, takesUnknown: configuration.gateway.reportUnknownStreams && name == .bulk)
        waitingBytes = configuration.lanes[name].waitingMebibytes << 20
        // The broker sends no more than its window holds: a larger checkpoint would wait for frames that cannot come.
        let window = Self.window(of: configuration.mqtt)
        checkpointFrames = window
        unacknowledgedMessages = max(1, window / 2)
        checkpointSeconds = Double(configuration.lanes[name].checkpointMilliseconds) / 1_000
        gatherMilliseconds =
            switch name {
            case .safety: 5
            case .motion: 20
            // Its messages hold a second each.
            case .bulk: 100
            }
    }

    /// The first two of `plans` that connect with one account; nil where each has its own, or none.
    static func ofOneAccount(
        _ plans: [LanePlan], in configuration: GatewayConfiguration
    ) -> (first: LanePlan, second: LanePlan)? {
        for (index, first) in plans.enumerated() {
            let identity = configuration.identity(of: first.name)
            guard identity.isNamed else { continue }
            let second = plans.dropFirst(index + 1).first { configuration.identity(of: $0.name) == identity }
            if let second { return (first, second) }
        }
        return nil
    }

    /// Whether the lane judges the devices' connections.
    var judgesConnections: Bool { share.streams.contains(.status) }

    /// The priority of its derived messages that are not urgent.
    var priority: PublishPriority { share.streams.contains(.submersion) ? .high : .normal }

    /// How nice its threads are to others: seconds of batched data must not keep a depth alarm from running.
    var niceness: Int32 { priority == .high ? 0 : 10 }

    /// The topic filters of its session.
    package func filters(of configuration: GatewayConfiguration, producers: Producers = Producers()) -> [String] {
        let own = producers.subscriptions.filter { share.streams.contains($0.stream) }.map(\.filter)
        let streams = StreamName.allCases.filter { share.streams.contains($0) || $0.concernsAllStreams }
        let levels = share.takesUnknown ? ["#"] : streams.map(\.rawValue)
        return configuration.gateway.prefixes.flatMap { prefix in levels.map { "\(prefix)/+/in/\($0)" } } + own
    }

    /// How many unacknowledged messages the broker sends. On MQTT 3.1.1 the broker alone decides, and cannot report it: what
    /// mosquitto allows by default is assumed.
    static func window(of mqtt: GatewayConfiguration.MQTT) -> Int {
        mqtt.version == .v5 ? mqtt.receiveMaximum : min(mqtt.receiveMaximum, 20)
    }
}
