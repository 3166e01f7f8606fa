import BrokerTestSupport
import GatewayPipeline
import GatewayRuntime
import LocalBroker
import Logging
import Mosquitto
import Synchronization
import TelemetryModel
import Testing

@testable import fathom

@Suite("The connection of a view", .timeLimit(.minutes(5)))
struct ViewerTests {
    /// A clock whose time does not change. A wait on it ends when the task is cancelled.
    private struct StandingClock: GatewayClock {
        let now = GatewayTime(unix: UnixTime(1_763_749_000), monotonic: 1_000)

        func sleep(seconds: Double) async throws { try await Task.sleep(for: .seconds(3_600)) }
    }

    /// The calls of a view's closures, in order.
    private final class Told: Sendable {
        let words = Mutex<[String]>([])

        var all: [String] { words.withLock { $0 } }

        func add(_ word: String) { words.withLock { $0.append(word) } }
    }

    @Test("A loss is noted before anything of the next connection is received, also where that is made between two ticks")
    func shortLoss() async throws {
        let broker = try ScriptedBroker()
        var configuration = MosquittoConfiguration(
            brokers: BrokerList(host: "127.0.0.1", port: broker.port), clientID: "view", subscriptions: [.init("out/#")])
        configuration.version = .v311
        configuration.backOff = MosquittoConfiguration.BackOff(initialSeconds: 0.02, maximumSeconds: 0.02)
        let told = Told()
        let viewer = BrokerViewer(
            client: MosquittoClient(
                configuration: configuration, logger: Logger(label: "view") { _ in SwiftLogNoOpLogHandler() }),
            clock: StandingClock(), receive: { topic, _, _ in told.add(topic) }, note: { told.add($1 ?? "connected") },
            tick: { _ in told.add("tick") })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await viewer.run() } catch is CancellationError {}
            }
            defer { group.cancelAll() }
            // There is one tick, because the clock's time does not change.
            try await eventually("the first tick") { told.all.last == "tick" }
            for topic in ["out/a", "out/b"] {
                let connection = try await broker.accept(answering: .accepted())
                let request = try await connection.expect(.subscribe)
                try await connection.send(.grant(1, to: request), .publish(topic, "{}", identifier: 1))
                try await eventually("\(topic) is received") { told.all.last == topic }
                connection.hangUp()
            }
            try await eventually("the second loss") { told.all.last == "lost" }
        }
        #expect(told.all == ["connecting", "tick", "out/a", "lost", "out/b", "lost"])
    }
}
