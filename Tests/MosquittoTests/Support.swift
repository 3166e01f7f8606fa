import BrokerTestSupport
import Foundation
import GatewayTestSupport
import LocalBroker
import Mosquitto

extension MosquittoConfiguration {
    /// A configuration for tests: quick to connect again, quick to give up.
    static func test(
        _ port: UInt16, _ clientID: String = "gateway", version: ProtocolVersion = .v5, _ filters: String...
    ) -> MosquittoConfiguration {
        MosquittoConfiguration(
            brokers: BrokerList(host: "127.0.0.1", port: port), clientID: clientID,
            subscriptions: filters.map { Subscription($0) }
        ).with {
            $0.version = version
            $0.sessionExpirySeconds = 3600
            $0.backOff = BackOff(initialSeconds: 0.02, maximumSeconds: 0.2)
        }
    }

    func with(_ change: (inout MosquittoConfiguration) -> Void) -> MosquittoConfiguration {
        var copy = self
        change(&copy)
        return copy
    }
}

/// A client whose messages a test takes and settles batch by batch.
@dynamicMemberLookup
final class TestClient: Sendable {
    let client: MosquittoClient
    let mailbox: BatchMailbox
    private let whenDisconnected: @Sendable () -> Void

    init(
        _ configuration: MosquittoConfiguration, log: CollectedLog = CollectedLog(),
        whenDisconnected: @escaping @Sendable () -> Void = {}
    ) {
        self.whenDisconnected = whenDisconnected
        client = MosquittoClient(configuration: configuration, logger: log.logger)
        mailbox = BatchMailbox(wakeUp: client.wakeUp)
    }

    subscript<Value>(dynamicMember path: KeyPath<MosquittoClient, Value>) -> Value { client[keyPath: path] }

    func run() async throws {
        defer { mailbox.close() }
        try await client.run { [mailbox, whenDisconnected] in MailboxHandler(mailbox, whenDisconnected: whenDisconnected) }
    }

    /// Waits for the next batch; nil once the client has stopped, or when the calling task is cancelled.
    func nextBatch() async -> DeliveryBatch? { await mailbox.next() }

    func stop() async { await client.stop() }

    func stateChanges() -> AsyncStream<ConnectionState> { client.stateChanges() }

    @discardableResult
    func enqueue(_ messages: [MQTTMessage]) -> PublishTicket { client.enqueue(messages) }

    func settled(_ ticket: PublishTicket) async throws { try await client.settled(ticket) }
}

/// Runs a client around `body`, and cancels it where `body` has not stopped it. `whenDisconnected` is called on the client's thread.
func withClient<Value: Sendable>(
    _ configuration: MosquittoConfiguration,
    log: CollectedLog = CollectedLog(),
    whenDisconnected: @escaping @Sendable () -> Void = {},
    _ body: (TestClient) async throws -> Value
) async throws -> Value {
    let client = TestClient(configuration, log: log, whenDisconnected: whenDisconnected)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            do { try await client.run() } catch is CancellationError {}
        }
        defer { group.cancelAll() }
        return try await body(client)
    }
}

extension TestClient {
    /// Waits up to 60 s for the first state that `isWanted`: of `changes`, or from the current one on.
    func reached(
        _ what: String, in changes: AsyncStream<ConnectionState>? = nil, _ isWanted: @escaping @Sendable (ConnectionState) -> Bool
    ) async throws {
        let changes = changes ?? stateChanges()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { await changes.contains(where: isWanted) }
            group.addTask {
                try await Task.sleep(for: .seconds(60))
                return false
            }
            defer { group.cancelAll() }
            guard try await group.next() == true else { throw NeverHappened(description: "never reached: \(what)") }
        }
    }

    func connected() async throws {
        try await reached("connected") { if case .connected = $0 { true } else { false } }
    }

    /// Reads and commits batches until `count` messages have come.
    func take(_ count: Int) async throws -> [MQTTMessage] {
        var messages: [MQTTMessage] = []
        while messages.count < count, let batch = await nextBatch() {
            messages += batch.messages
            batch.commit()
        }
        return messages
    }

    func publish(_ messages: [MQTTMessage]) async throws {
        try await settled(enqueue(messages))
    }

    /// Runs `body` once the client's thread has received the stop request, then waits for its end.
    func stop(meanwhile body: () async throws -> Void) async throws {
        async let stopped: Void = stop()
        try await eventually("the stop is seen") { mailbox.hasSeenStop }
        try await body()
        await stopped
    }
}

extension MQTTMessage {
    init(_ topic: String, _ text: String, qos: QoS = .atLeastOnce, retain: Bool = false) {
        self.init(topic: topic, payload: Array(text.utf8), qos: qos, retain: retain)
    }

    var text: String { String(decoding: payload, as: UTF8.self) }
}

func numbered(_ topic: String, _ range: Range<Int>) -> [MQTTMessage] {
    range.map { MQTTMessage(topic, "\($0)") }
}

/// The two protocol versions that are tested.
let versions: [MosquittoConfiguration.ProtocolVersion] = [.v311, .v5]
