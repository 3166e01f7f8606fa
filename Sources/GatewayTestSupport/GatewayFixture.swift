package import GatewayConfiguration
package import GatewayPipeline
package import GatewayRuntime
package import LocalBroker
import Logging
package import Mosquitto
import ServiceLifecycle
import Synchronization

/// A broker, a gateway, somebody who publishes and somebody who watches, for the length of a test.
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
        watching.subscriptions = [.init("wearables/+/out/#"), .init("fathom/#")]
        watcher = Watcher(client: MosquittoClient(configuration: watching, logger: Self.logger))
    }

    /// Runs `body` beside a gateway that reads; everything has ended in order when this returns.
    package static func run(
        configure: (inout GatewayConfiguration) -> Void = { _ in },
        registry: Registry = .allowingEverybody,
        producers: Producers = Producers(),
        broker existing: BrokerProcess? = nil,
        _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        let broker: BrokerProcess
        if let existing { broker = existing } else { broker = try await BrokerProcess() }
        let fixture = GatewayFixture(broker: broker)
        var configuration = GatewayConfiguration()
        configuration.gateway.name = "test"
        configuration.mqtt.port = Int(broker.port)
        configuration.mqtt.reconnect.initialSeconds = 0.05
        configure(&configuration)
        let gateway = try Gateway(configuration: configuration, registry: registry, producers: producers, logger: logger)
        let group = gateway.group(signals: [])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await fixture.publisher.run() }
            tasks.addTask { try await fixture.watcher.run() }
            tasks.addTask { try await group.run() }
            guard await gateway.isReading() else { throw NeverHappened(description: "the gateway reads") }
            try await fixture.watcher.waitUntilConnected()
            do {
                try await body(fixture)
            } catch {
                await fixture.stop(group.triggerGracefulShutdown)
                throw error
            }
            await fixture.stop(group.triggerGracefulShutdown)
            try await tasks.waitForAll()
        }
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

    private func stop(_ triggerGracefulShutdown: () async -> Void) async {
        await triggerGracefulShutdown()
        try? await eventually("the gateway says offline", within: .seconds(15)) { watcher.gatewayIsOffline }
        await publisher.stop()
        await watcher.client.stop()
    }

    /// A connection to `broker`.
    package static func connection(_ broker: BrokerProcess, _ clientID: String) -> MosquittoConfiguration {
        var connection = MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: clientID)
        connection.cleanStart = true
        connection.sessionExpirySeconds = 0
        connection.backOff.initialSeconds = 0.05
        connection.threadName = clientID
        return connection
    }

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension Registry {
    /// A registry that lets everybody do everything.
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
        messages.last { $0.topic.hasSuffix("/status") }?.text("state") == "offline"
    }

    fileprivate func waitUntilConnected() async throws {
        for await state in client.stateChanges() {
            if case .connected = state { return }
            if case .stopped = state { break }
        }
        throw NeverHappened(description: "the watcher connects")
    }

    fileprivate func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.client.run() }
            group.addTask {
                while let batch = await self.client.nextBatch() {
                    self.received.withLock { $0 += batch.messages }
                    batch.commit()
                }
            }
            try await group.waitForAll()
        }
    }
}
