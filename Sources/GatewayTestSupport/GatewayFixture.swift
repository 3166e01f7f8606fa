package import GatewayConfiguration
package import GatewayPipeline
package import GatewayRuntime
package import LocalBroker
package import Logging
package import Mosquitto
import ServiceLifecycle
import Synchronization

/// A broker, a gateway, a publisher and a watcher, for the duration of a test.
package final class GatewayFixture: Sendable {
    /// The broker.
    package let broker: BrokerProcess
    /// Publishes as devices do.
    package let publisher: MosquittoClient
    /// Watches everything the gateway publishes.
    package let watcher: Watcher

    private init(broker: BrokerProcess) {
        self.broker = broker
        publisher = MosquittoClient(configuration: Self.connection(broker, "publisher"), logger: Self.logger)
        var watching = Self.connection(broker, "watcher")
        watching.subscriptions = [.init("wearables/+/out/#"), .init("fathom/#"), .init("homeassistant/#")]
        watcher = Watcher(client: MosquittoClient(configuration: watching, logger: Self.logger))
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
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await fixture.publisher.run() }
            tasks.addTask { try await fixture.watcher.run() }
            do {
                try await fixture.watcher.waitUntilConnected()
                try await body(fixture)
            } catch {
                await fixture.stop()
                throw error
            }
            await fixture.stop()
            try await tasks.waitForAll()
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
        let ticket = publisher.enqueue(
            recorded.map { recorded in
                MQTTMessage(
                    topic: recorded.message.topic, payload: recorded.message.payload, qos: qos, retain: recorded.message.retain,
                    contentType: recorded.message.contentType)
            })
        try await publisher.settled(ticket)
    }

    private func stop() async {
        await publisher.stop()
        await watcher.client.stop()
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

/// Collects what is published, in the order of arrival.
package final class Watcher: Sendable {
    let client: MosquittoClient
    private let received = Mutex<[MQTTMessage]>([])

    init(client: MosquittoClient) { self.client = client }

    /// Everything that has arrived.
    package var messages: [DerivedJSON] {
        received.withLock { $0 }.map { DerivedJSON(topic: $0.topic, payload: $0.payload, retain: $0.retain) }
    }

    /// What has arrived of one device.
    package func messages(of device: String) -> [DerivedJSON] {
        messages.filter { $0.topic.hasPrefix("wearables/\(device)/") }
    }

    fileprivate var gatewayIsOffline: Bool {
        messages.last { $0.topic.hasPrefix("fathom/") && $0.topic.hasSuffix("/status") }?.text("state") == "offline"
    }

    fileprivate func waitUntilConnected() async throws {
        for await state in client.stateChanges() {
            if case .connected = state { return }
            if case .stopped = state { break }
        }
        throw NeverHappened(description: "the watcher connects")
    }

    fileprivate func run() async throws {
        try await client.run {
            ImmediateHandler { messages in
                for message in messages { ContractSchemas.check(topic: message.topic, payload: message.payload) }
                self.received.withLock { $0 += messages }
            }
        }
    }
}
