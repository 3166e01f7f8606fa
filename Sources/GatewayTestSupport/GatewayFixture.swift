package import GatewayConfiguration
package import GatewayPipeline
package import GatewayRuntime
package import LocalBroker
package import Logging
package import Mosquitto
import ServiceLifecycle

/// A broker, a gateway, a publisher and a watcher, for the duration of a test.
package final class GatewayFixture: Sendable {
    /// The broker.
    package let broker: BrokerProcess
    /// Publishes as devices do.
    package let publisher: BrokerClient
    /// Watches everything the gateway publishes.
    package let watcher: BrokerClient

    private init(broker: BrokerProcess) {
        self.broker = broker
        publisher = BrokerClient(Self.connection(broker, "publisher"))
        var watching = Self.connection(broker, "watcher")
        watching.subscriptions = [.init("wearables/+/out/#"), .init("fathom/#"), .init("homeassistant/#")]
        watcher = BrokerClient(watching) { ContractSchemas.check(topic: $0.topic, payload: $0.payload) }
    }

    /// Runs `body` beside a gateway that reads; everything has stopped when this returns.
    package static func run(
        configure: (inout GatewayConfiguration) -> Void = { _ in },
        registry: Registry = .allowingEverybody,
        producers: Producers = Producers(),
        broker existing: BrokerProcess? = nil,
        _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        let broker: BrokerProcess
        if let existing { broker = existing } else { broker = try await BrokerProcess() }
        let gateway = try gateway(on: broker, registry: registry, producers: producers, configure: configure)
        try await beside(broker) { fixture in
            try await run(gateway) { try await body(fixture) }
            try await eventually("the gateway publishes offline") { fixture.watcher.gatewayIsOffline }
        }
    }

    /// Runs `body` while `gateway` reads, and ends it in order.
    package static func run(_ gateway: Gateway, _ body: () async throws -> Void) async throws {
        let group = gateway.group(signals: [])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do {
                guard await gateway.isReading() else {
                    // It has ended: its error is the reason.
                    try await tasks.waitForAll()
                    throw NeverHappened(description: "the gateway reads")
                }
                try await body()
            } catch {
                await group.triggerGracefulShutdown()
                try? await tasks.waitForAll()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// Runs `body` with a publisher and a watcher; it may start gateways itself.
    package static func beside(_ broker: BrokerProcess, _ body: (GatewayFixture) async throws -> Void) async throws {
        let fixture = GatewayFixture(broker: broker)
        try await fixture.watcher.run {
            try await fixture.publisher.run { try await body(fixture) }
        }
    }

    /// A gateway called `test` for `broker`.
    package static func gateway(
        on broker: BrokerProcess, registry: Registry = .allowingEverybody, producers: Producers = Producers(),
        withoutState: Bool = false, subscribesOnly: Bool = false, logger: Logger? = nil,
        configure: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws -> Gateway {
        var configuration = GatewayConfiguration()
        configuration.gateway.name = "test"
        configuration.mqtt.port = Int(broker.port)
        configuration.mqtt.reconnect.initialSeconds = 0.05
        configure(&configuration)
        return try Gateway(
            configuration: configuration, registry: registry, producers: producers, withoutState: withoutState,
            subscribesOnly: subscribesOnly, startDelay: { 0 }, logger: logger ?? Self.logger)
    }

    /// Publishes recorded messages in order and waits until the broker has them.
    package func publish(_ recorded: [RecordedMessage], qos: QoS = .atLeastOnce) async throws {
        try await publisher.publish(
            recorded.map { recorded in
                MQTTMessage(
                    topic: recorded.message.topic, payload: recorded.message.payload, qos: qos, retain: recorded.message.retain,
                    contentType: recorded.message.contentType)
            })
    }

    /// Waits until the watcher has a message, of one device where that is given, for which `isWanted` holds.
    package func sees(_ what: String, of device: String? = nil, _ isWanted: (DerivedJSON) -> Bool) async throws {
        try await eventually(what) { (device.map { watcher.messages(of: $0) } ?? watcher.messages).contains(where: isWanted) }
    }

    /// A connection to `broker`, with an account of the client's name for a broker that requires one.
    package static func connection(_ broker: BrokerProcess, _ clientID: String) -> MosquittoConfiguration {
        var connection = MosquittoConfiguration(
            brokers: BrokerList(host: "127.0.0.1", port: broker.port), clientID: clientID)
        connection.cleanStart = true
        connection.sessionExpirySeconds = 0
        connection.backOff.initialSeconds = 0.05
        connection.threadName = clientID
        connection.username = clientID
        connection.password = "secret"
        return connection
    }

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension Registry {
    /// A registry that allows every device everything.
    package static var allowingEverybody: Registry {
        var registry = Registry()
        registry.unknownDevices = .allow
        return registry
    }
}

extension BrokerClient {
    fileprivate var gatewayIsOffline: Bool {
        messages.last { $0.topic.hasPrefix("fathom/") && $0.topic.hasSuffix("/status") }?.text("state") == "offline"
    }
}
