import Logging
package import Mosquitto
import Synchronization

/// A client of a broker for a test, which keeps what arrives, in that order.
package final class BrokerClient: Sendable {
    private let client: MosquittoClient
    private let check: @Sendable (MQTTMessage) -> Void
    private let arrived = Mutex<[MQTTMessage]>([])

    /// A client that calls `check` with every message that arrives.
    package init(_ configuration: MosquittoConfiguration, check: @escaping @Sendable (MQTTMessage) -> Void = { _ in }) {
        client = MosquittoClient(configuration: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        self.check = check
    }

    /// Everything that has arrived.
    package var received: [MQTTMessage] { arrived.withLock { $0 } }

    /// The same, with its fields.
    package var messages: [DerivedJSON] {
        received.map { DerivedJSON(topic: $0.topic, payload: $0.payload, retain: $0.retain) }
    }

    /// What has arrived of one device.
    package func messages(of device: String) -> [DerivedJSON] {
        messages.filter { $0.topic.hasPrefix("wearables/\(device)/") }
    }

    /// Whether it is connected, and to a session that the broker had kept.
    package var state: ConnectionState { client.state }

    /// Publishes messages in order and waits until the broker has them.
    package func publish(_ messages: [MQTTMessage]) async throws { try await client.settled(client.enqueue(messages)) }

    /// Runs `body` once the client is connected; it has stopped when this returns.
    package func run(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [client, check, self] in
                try await client.run {
                    ImmediateHandler { messages in
                        for message in messages { check(message) }
                        self.arrived.withLock { $0 += messages }
                    }
                }
            }
            for await state in client.stateChanges() { if case .connected = state { break } }
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            await client.stop()
            try await tasks.waitForAll()
            try outcome.get()
        }
    }
}
