import BrokerTestSupport
import GatewayTestSupport
import Glibc
import Synchronization
import Testing

@testable import Mosquitto

@Suite(.timeLimit(.minutes(5)))
struct VersionFallbackTests {
    private static let refused = DisconnectReason.refused(.reasonCode(0x84))
    private static let closed = DisconnectReason.connectFailed(.library(7, errno: 0))
    private static let unreachable = DisconnectReason.connectFailed(.library(14, errno: ECONNREFUSED))

    private func isUsed(_ versions: inout VersionFallback) -> Bool { versions.accepted() == .use }

    @Test("CONNACK that names the version is enough; every attempt after it is MQTT 3.1.1")
    func refusal() {
        var versions = VersionFallback(.v5)
        let isRefused = versions.failed(Self.refused)
        #expect(isRefused)
        #expect(versions.version == .v311)
        #expect(isUsed(&versions))
        _ = versions.failed(Self.closed)
        #expect(versions.version == .v311)
    }

    @Test("After silence 3.1.1 is used if MQTT 5 fails once more behind it", arguments: [closed, .timedOut, refused])
    func silence(second: DisconnectReason) {
        var versions = VersionFallback(.v5)
        let isRefusedAtOnce = versions.failed(Self.closed)
        #expect(!isRefusedAtOnce)
        #expect(versions.version == .v311)
        #expect(!isUsed(&versions))
        #expect(versions.version == .v5)
        let isRefused = versions.failed(second)
        #expect(isRefused)
        #expect(versions.version == .v311)
        #expect(isUsed(&versions))
    }

    @Test("A broker that was only being started is connected to with MQTT 5")
    func restart() {
        var versions = VersionFallback(.v5)
        _ = versions.failed(Self.closed)
        #expect(!isUsed(&versions))
        #expect(isUsed(&versions))
        #expect(versions.version == .v5)
        _ = versions.failed(Self.closed)
        #expect(versions.version == .v5)
    }

    @Test("What says nothing about the version changes nothing", arguments: [unreachable, .refused(.reasonCode(0x86)), .silent])
    func otherFailures(reason: DisconnectReason) {
        var versions = VersionFallback(.v5)
        _ = versions.failed(reason)
        #expect(versions.version == .v5)
        _ = versions.failed(.timedOut)
        _ = versions.failed(reason)
        #expect(versions.version == .v5)
    }

    @Test("With 3.1.1 configured nothing else is tried")
    func configured() {
        var versions = VersionFallback(.v311)
        _ = versions.failed(Self.closed)
        #expect(versions.version == .v311)
        #expect(isUsed(&versions))
    }

    @Test("A client connects with 3.1.1 to a broker that refuses MQTT 5, and says so once")
    func connects() async throws {
        let broker = try ScriptedBroker()
        let log = CollectedLog()
        try await withClient(.test(broker.port), log: log) { client in
            let changes = client.stateChanges()
            let first = try await broker.accept()
            #expect(try await first.expect(.connect).body[6] == 5)
            try await first.send(Packet(.connectAcknowledgement, [0, 0x84, 0]))
            first.hangUp()
            let second = try await broker.accept()
            #expect(try await second.expect(.connect).body[6] == 4)
            try await second.send(.accepted())
            try await client.reached("connected without a failure", in: changes) { state in
                if case .disconnected = state { Issue.record("\(state)") }
                return state == .connected(sessionPresent: false)
            }
            #expect(client.statistics.version == .v311)
            #expect(log.lines.count { $0.contains("the broker refuses MQTT 5") } == 1)
        }
    }

    /// The versions of the attempts, and the failures that the client has reported.
    private final class Record: Sendable {
        let levels = Mutex<[UInt8]>([])
        let failures = Mutex(0)
    }

    @Test(
        "A client connects with 3.1.1 to a broker that closes the connection on MQTT 5, or does not answer",
        arguments: [true, false])
    func connectsBehindSilence(closes: Bool) async throws {
        let broker = try ScriptedBroker()
        let record = Record()
        try await withClient(.test(broker.port).with { $0.connectTimeoutSeconds = closes ? 10 : 0.5 }) { client in
            let changes = client.stateChanges()
            let answering = Task {
                var kept: [ScriptedConnection] = []
                while !Task.isCancelled {
                    let connection = try await broker.accept()
                    guard let level = try? await connection.expect(.connect).body[6] else { continue }
                    record.levels.withLock { $0.append(level) }
                    if level == 4 { try? await connection.send(.accepted()) } else if closes { connection.hangUp() }
                    kept.append(connection)
                }
            }
            defer { answering.cancel() }
            try await client.reached("connected", in: changes) { state in
                if case .disconnected = state { record.failures.withLock { $0 += 1 } }
                return state == .connected(sessionPresent: false)
            }
        }
        var made = record.levels.withLock { $0 }
        // An attempt that this test was too slow to answer is a failure. Before the version is settled it begins the series
        // anew; afterwards the client tries 3.1.1 again.
        #expect(made.count == 4 || !closes)
        let attempts = made.count
        while made.suffix(2) == [4, 4] { made.removeLast() }
        #expect(made.suffix(4) == [5, 4, 5, 4])
        #expect(record.failures.withLock { $0 } == 0 || attempts > 4)
    }
}
