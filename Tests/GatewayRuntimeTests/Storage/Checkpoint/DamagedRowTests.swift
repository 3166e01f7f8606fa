import Foundation
import GRDB
import GatewayConfiguration
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayPipeline
@testable import GatewayRuntime

@Suite("Rows that cannot be read")
struct DamagedRowTests {
    private let (folder, directory): (TemporaryDirectory, StateDirectory)
    private let device = DeviceID("d1")

    init() throws { (folder, directory) = try StateDirectory.temporary() }

    /// A gateway with a device on disk that has dived, and one frame of it that waits; the process has ended.
    private func prepare() throws {
        let lane = try DurableLane(in: directory, startedAt: 1_099)
        var app = TestDevice("d1", offset: 1_000)
        try lane.take([app.depth(3, uptime: 100), app.depth(3, uptime: 101), app.depth(4, uptime: 103, seq: 3)])
        try lane.run(.end, at: 1_104)
        try lane.commit(at: 1_104)
    }

    private func started(at unix: Double = 1_105) throws -> DurableLane {
        try DurableLane(in: directory, startedAt: unix)
    }

    private func gaps(_ messages: [DerivedJSON]) -> [DerivedJSON] {
        messages.filter { $0.kind == "gap" && $0.text("cause") == "damaged" }
    }

    /// The rows that were set aside, as `source name isReported`.
    private func setAside() throws -> [String] {
        try DatabaseQueue.readOnly(directory.file).read { database in
            try Row.fetchAll(database, sql: "SELECT source, name, isReported FROM damaged ORDER BY number").map {
                "\($0["source"] as String) \($0["name"] as String) \($0["isReported"] as Bool)"
            }
        }
    }

    @Test("a damaged part is set aside, and published as a gap of its streams until that was accepted; then never again")
    func part() throws {
        try prepare()
        try directory.changeParts { if $0.name == "derive/depth" { $0.bytes[8] ^= 0xFF } }
        let first = try started()
        let published = gaps(first.published.all)
        #expect(published.map { $0.text("stream") } == ["submersion"])
        #expect(published.first?.number("from") == 1_104, "when the file was last written")
        #expect(try setAside() == ["state derive/depth false"])
        #expect(directory.droppedParts.first.map(\.part) == ["derive/depth"])
        // The process ends before the commit.
        let second = try started()
        #expect(gaps(second.published.all).map { $0.text("id") } == published.map { $0.text("id") })
        #expect(throws: Broken.self) { try second.commit(at: 1_106) { throw Broken() } }
        try second.commit(at: 1_107)
        #expect(try setAside() == ["state derive/depth true"])
        #expect(gaps(try started().published.all).isEmpty)
        #expect(directory.droppedParts.count == 1)
    }

    @Test("a part of another version is kept, and no gap: nothing is damaged")
    func otherVersion() throws {
        try prepare()
        try directory.changeParts { if $0.name == "derive/depth" { $0.version = 99 } }
        #expect(gaps(try started().published.all).isEmpty)
        #expect(try setAside() == ["state derive/depth true"])
    }

    @Test("a damaged row of a state is a gap of every stream that is known of the device")
    func state() throws {
        try prepare()
        try directory.execute("UPDATE state SET parts = x'00'")
        #expect(gaps(try started().published.all).map { $0.text("stream") } == ["submersion"])
        #expect(try setAside() == ["state state false"])
    }

    @Test("a damaged frame that waits is missed by its place in the stream")
    func waiting() throws {
        try prepare()
        try directory.execute("UPDATE waiting SET bytes = x'00'")
        let lane = try started()
        #expect(try setAside() == ["state waiting/0 false"] || setAside().first?.hasPrefix("state waiting/") == true)
        var app = TestDevice("d1", offset: 1_000)
        try lane.take([app.depth(4, uptime: 104, seq: 4)])
        let gap = try lane.run(.tick(LanePace()), at: 1_110).filter { $0.kind == "gap" }
        #expect(gap.map { $0.number("expected") } == [2])
        try lane.commit(at: 1_111)
        #expect(try setAside().allSatisfy { $0.hasSuffix("true") })
    }

    @Test("a damaged row of the journal is set aside as it is, and so is a damaged message that is owed")
    func journalAndDebt() throws {
        try JournaledDive().journal(by: DurableLane(in: directory, settings: JournaledDive.before()))
        try directory.execute("UPDATE journal SET bytes = x'00' WHERE number = (SELECT max(number) FROM journal)")
        do { _ = try started(at: 1_112) }
        #expect(try setAside().map { $0.split(separator: "/")[0] } == ["journal journal"])
        try directory.execute("UPDATE debt SET message = x'00' WHERE number = (SELECT min(number) FROM debt)")
        let lane = try started(at: 1_112)
        #expect(try setAside().count == 2 && setAside()[1].hasPrefix("debt "))
        try lane.commit(at: 1_113)
        #expect(try DatabaseQueue.readOnly(directory.file).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM debt") } == 0)
    }

    @Test(
        "a value of another type is damage like any other, and is set aside once",
        arguments: [
            ("state SET parts = 1", "state state false"), ("state SET number = 'x'", "state state false"),
            ("state SET device = x'fffe'", "state state true"), ("state SET device = 'a b'", "state state true"),
            ("part SET bytes = 5 WHERE name = 'retained/depth-state'", "state retained/depth-state false"),
            ("part SET version = 'x' WHERE name = 'retained/depth-state'", "state retained/depth-state true"),
            ("part SET name = x'fffe' WHERE name = 'retained/depth-state'", "state  true"),
            ("waiting SET bytes = 5", "state waiting/"), ("waiting SET number = 'x'", "state waiting/0 false"),
            ("waiting SET device = x'fffe'", "state waiting true"),
        ])
    func otherType(_ update: String, _ row: String) throws {
        try prepare()
        try directory.execute("UPDATE \(update)")
        do { _ = try started() }
        let rows = try setAside()
        #expect(rows.contains { $0.hasPrefix(row) }, "\(rows)")
        let count = directory.droppedParts.count
        #expect(count == rows.count)
        _ = try started(at: 1_106)
        #expect(directory.droppedParts.count == count)
    }

    @Test(
        "what is missing of the clock, or has another type, is written anew and reported",
        arguments: [
            "UPDATE clock SET unix = 'abc'", "UPDATE clock SET machine = x'fffe'", "UPDATE clock SET monotonic = 'abc'",
            "UPDATE clock SET number = 'x'", "UPDATE clock SET machine = 'other', unix = 'abc'", "DELETE FROM clock",
        ])
    func clock(_ statement: String) throws {
        try prepare()
        try directory.execute(statement)
        do { _ = try started() }
        #expect(directory.droppedParts.first.map(\.part) == ["clock"])
        let greatest = try DatabaseQueue.readOnly(directory.file).read {
            try UInt64.fetchOne($0, sql: "SELECT max(number) FROM state")
        }
        #expect(try directory.store(of: .safety).lastCheckpoint() >= greatest ?? .max)
        _ = try started(at: 1_106)
        #expect(directory.droppedParts.count == 1)
        #expect(try directory.devices() == ["d1"])
    }

    @Test("values of other types in the journal, in what is owed and in what was set aside end nothing")
    func otherTypeBesideStates() throws {
        try JournaledDive().journal(by: DurableLane(in: directory, settings: JournaledDive.before()))
        try directory.execute("UPDATE journal SET bytes = 5 WHERE number = (SELECT max(number) FROM journal)")
        do { _ = try started(at: 1_112) }
        #expect(try setAside().map { $0.split(separator: "/")[0] } == ["journal journal"])
        try directory.execute(
            "UPDATE debt SET message = 3, device = x'fffe', kind = x'fffe' WHERE number = (SELECT min(number) FROM debt)")
        do { _ = try started(at: 1_112) }
        #expect(try setAside().dropFirst() == ["debt  true"])
        try directory.execute(
            """
            INSERT INTO damaged (source, device, name, reason, first, last, count, bytes, isReported)
            VALUES ('state', 'd1', 'x', 'r', 'abc', 'abc', 0, x'00', 0), (x'fffe', 'd1', 'x', 'r', 1, 1, 0, x'00', 0)
            """)
        #expect(gaps(try started(at: 1_112).published.all).isEmpty)
    }

    @Test(
        "a row of the journal with an impossible number is set aside, on this run of the machine and on the next",
        arguments: ["-1", "\(Int64.max)"], [false, true])
    func journalNumber(number: String, isOfOtherRun: Bool) throws {
        try JournaledDive().journal(by: DurableLane(in: directory, settings: JournaledDive.before()))
        try directory.execute("UPDATE journal SET number = \(number) WHERE number = (SELECT max(number) FROM journal)")
        if isOfOtherRun { try directory.execute("UPDATE clock SET machine = 'other'") }
        do { _ = try started(at: 1_112) }
        #expect(try setAside().map { $0.split(separator: "/")[0] } == ["journal journal"])
        #expect(try directory.devices() == ["d1"])
        _ = try started(at: 1_113)
        #expect(directory.droppedParts.count == 1)
    }

    @Test("a state that is damaged while its device is silent is set aside when the next frame of the device arrives")
    func evicted() throws {
        let lane = try DurableLane(in: directory, startedAt: 1_099)
        var app = TestDevice("d1", offset: 1_000)
        try lane.take([app.depth(0, uptime: 100)])
        try lane.evict(at: 2_000)
        #expect(lane.snapshot.activeDevices == 0)
        try directory.changeParts { if $0.name == "derive/depth" { $0.bytes[8] ^= 0xFF } }
        let published = try lane.take([app.depth(3, uptime: 1_010)])
        #expect(gaps(published).map { $0.text("stream") } == ["submersion"])
        try lane.commit(at: 2_011)
        #expect(try setAside() == ["state derive/depth true"])
    }

    @Test("the last messages that can be read are answered, and the kinds of the others are named")
    func latest() async throws {
        try prepare()
        try directory.execute("UPDATE part SET bytes = x'00' WHERE name = 'retained/depth-state'")
        let id = try #require(device)
        let messages = CommittedMessages(files: LaneFiles(folder: directory.path))
        let before = try await messages.messages(of: id)
        #expect(before.damaged == ["depth-state"])
        #expect(before.messages.map(\.kind).contains("access/submersion"))
        // It is set aside by the start, which publishes the kind anew; until that is committed it is named all the same.
        let lane = try started()
        #expect(try await messages.messages(of: id).damaged == ["depth-state"])
        try lane.commit(at: 1_106)
        #expect(try await messages.messages(of: id).damaged == [])
    }

    @Test("what is set aside takes a limited room: the oldest goes, and that is reported")
    func limit() throws {
        try prepare()
        let store = try directory.store(of: .safety)
        let row = UnreadableRow(
            source: .state, device: "d1", name: "intake", reason: "test", bytes: Array(repeating: 7, count: 1_000_000))
        for _ in 0..<20 { try store.setAside([row]) }
        let bytes = try store.database.read { try Int.fetchOne($0, sql: "SELECT sum(length(bytes)) FROM damaged") } ?? 0
        #expect(bytes == CheckpointStore.mostDamagedBytes)
        #expect(directory.droppedParts.count == 24)
        #expect(try store.unreportedRows().map(\.number) == Array(5...20))
    }

    @Test("an erased device leaves nothing there, nor a row of which it is not known whose it is")
    func erased() throws {
        try prepare()
        let store = try directory.store(of: .safety)
        let rows = [device?.rawValue, nil, "d2"].map {
            UnreadableRow(source: .state, device: $0, name: "intake", reason: "test", bytes: [1])
        }
        try store.setAside(rows)
        let lane = try started()
        try lane.lane.erase(try #require(device), at: .at(1_106))
        try lane.commit(at: 1_107)
        let left = try store.database.read { try String.fetchAll($0, sql: "SELECT device FROM damaged") }
        #expect(left == ["d2"])
    }

    @Test("a consent that is withdrawn leaves no message that needed it there, nor a state that may hold what led to it")
    func withdrawn() throws {
        try prepare()
        let rows = [
            "state derive/sleep", "state state", "state displaced", "state latest/sleep", "events sleep", "events dive",
            "events ",
            "debt sleep", "history 7", "state latest/dive",
        ].map { $0.split(separator: " ", omittingEmptySubsequences: false) }
        let values = rows.map { "('\($0[0])', 'd1', '\($0[1])', 'r', 1, 1, 0, x'00', 1)" }.joined(separator: ", ")
        try directory.execute(
            "INSERT INTO damaged (source, device, name, reason, first, last, count, bytes, isReported) VALUES \(values)")
        var change = StateChange(device: try #require(device))
        change.erasedKinds = ["sleep"]
        try directory.store(of: .safety).write([change], at: .at(1_106))
        #expect(try setAside() == ["events dive true", "history 7 true", "state latest/dive true"])
    }
}
