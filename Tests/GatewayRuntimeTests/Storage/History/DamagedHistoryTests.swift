import Foundation
import GRDB
import GatewayConfiguration
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayPipeline
@testable import GatewayRuntime

@Suite("Stored minutes and messages that cannot be read")
struct DamagedHistoryTests {
    /// 2025-11-21 20:00 UTC.
    private let evening = 1_763_755_200.0
    private let (folder, directory): (TemporaryDirectory, StateDirectory)
    private let samples: [HistoryDevice.Sample]

    init() throws {
        (folder, directory) = try StateDirectory.temporary()
        samples = SimulatedNight.walk(from: evening, seconds: 3_600, cadence: 1.9, hertz: 10)
    }

    private var id: DeviceID { get throws { try #require(DeviceID("watch-1")) } }
    private var damagedMinute: Int { Int(evening) / 60 + 30 }
    /// A sample in the middle of the minute that is damaged, which comes late.
    private var lateSample: Int { 30 * 600 + 300 }

    /// Stores all samples but one, and flips eight bytes of the minute that the one is of.
    private func prepare(_ app: inout HistoryDevice, derives: Bool = false) throws -> DurableLane {
        let lane = try DurableLane(in: directory, startedAt: evening + 3_600)
        let frames =
            app.frames(Array(samples[..<lateSample]), size: 600, sent: evening + 3_700)
            + app.frames(Array(samples[(lateSample + 1)...]), size: 600, sent: evening + 3_705)
        try lane.take(frames)
        if derives { try lane.run(.tick(LanePace()), at: evening + 3_900) }
        try lane.commit(at: evening + (derives ? 3_901 : 3_706))
        try flip(
            "UPDATE history SET data = ? WHERE minute = \(damagedMinute)",
            "SELECT data FROM history WHERE minute = \(damagedMinute)")
        return lane
    }

    private func flip(_ update: String, _ select: String) throws {
        try DatabaseQueue(path: directory.file).write { database in
            var bytes = Array(try #require(try Data.fetchOne(database, sql: select)))
            for index in 0..<8 { bytes[bytes.count / 2 + index] ^= 0xFF }
            try database.execute(sql: update, arguments: [Data(bytes)])
        }
    }

    private func number(_ sql: String) throws -> Int? {
        try DatabaseQueue.readOnly(directory.file).read { try Int.fetchOne($0, sql: sql) }
    }

    private func gaps(_ messages: [DerivedJSON]) -> [DerivedJSON] {
        messages.filter { $0.kind == "gap" && $0.text("cause") == "damaged" }
    }

    @Test("one more sample of such a minute does not replace the others unseen: they are set aside and published as a gap")
    func added() throws {
        var app = HistoryDevice(start: evening - 1_000)
        let lane = try prepare(&app)
        // Before the report is due: frames that come while it is wait for it.
        let published = try lane.take([app.frame(samples[lateSample...lateSample], sent: evening + 3_720)])
        let gap = try #require(gaps(published).first)
        #expect(gaps(published).count == 1)
        #expect(gap.text("stream") == "recorded-accelerometer" && gap.text("unit") == "samples")
        #expect(gap.number("expected") == 599 && gap.number("receivedCount") == 0)
        #expect(gap.number("from") == evening + 1_800)
        #expect(directory.droppedParts.first.map(\.part) == ["history/\(damagedMinute)"])
        #expect(directory.droppedParts.first.first?.reason.contains("599 samples") == true)
        // The process ends before the commit: the gap is published again with its id, the sample comes again.
        let next = try DurableLane(in: directory, startedAt: evening + 3_911)
        #expect(gaps(next.published.all).map { $0.text("id") } == [gap.text("id")])
        try next.commit(at: evening + 3_912)
        #expect(try number("SELECT count FROM damaged WHERE source = 'history' AND isReported") == 599)
        #expect(gaps(try DurableLane(in: directory, startedAt: evening + 3_913).published.all).isEmpty)
        #expect(directory.droppedParts.count == 1)
    }

    @Test("what is derived uses the other minutes, and the gap is published with it")
    func derived() throws {
        var app = HistoryDevice(start: evening - 1_000)
        let lane = try prepare(&app)
        let published = try lane.run(.tick(LanePace()), at: evening + 3_950)
        #expect(published.contains { $0.kind == "day" })
        #expect(gaps(published).map { $0.number("expected") } == [599])
        #expect(try number("SELECT count(*) FROM history") == 59)
    }

    @Test("a query answers for the rest, says what is missing, and has it set aside")
    func samplesQuery() async throws {
        var app = HistoryDevice(start: evening - 1_000)
        let lane = try prepare(&app)
        let stored = StoredHistory(files: LaneFiles(folder: directory.path))
        let minutes = Int(evening) / 60..<Int(evening) / 60 + 60
        var count = 0
        let damage = try await stored.forEachMinute(of: try id, in: minutes) { count += $0.count }
        #expect(count == 59 * 600)
        #expect(damage.found.minutes == [damagedMinute])
        #expect(damage.spans.joined.map(\.count) == [599])
        #expect(gaps(try lane.run(.setAside(damage.found), at: evening + 3_950)).map { $0.number("expected") } == [599])
        #expect(gaps(try lane.run(.setAside(damage.found), at: evening + 3_951)).isEmpty)
        let again = try await stored.forEachMinute(of: try id, in: minutes) { _ in }
        #expect(again.spans == damage.spans && again.found.isEmpty)
        // Samples that come again are no longer missing. Those that come while a report is due wait for it.
        try lane.run(.tick(LanePace()), at: evening + 3_955)
        let minute = Array(samples[18_000..<18_600])
        try lane.take(app.frames(minute, sent: evening + 3_960))
        try lane.commit(at: evening + 3_961)
        #expect(try await stored.forEachMinute(of: try id, in: minutes) { _ in }.spans == DamagedSpans())
    }

    @Test(
        "a value of another type in a minute is damage like any other",
        arguments: ["data = 7", "first = 'abc'", "last = x'00'", "count = 'x'", "first = 9e999"])
    func otherType(_ assignment: String) async throws {
        var app = HistoryDevice(start: evening - 1_000)
        let lane = try prepare(&app)
        try directory.execute("UPDATE history SET \(assignment) WHERE minute = \(damagedMinute + 1)")
        let stored = StoredHistory(files: LaneFiles(folder: directory.path))
        let minutes = Int(evening) / 60..<Int(evening) / 60 + 60
        let damage = try await stored.forEachMinute(of: try id, in: minutes) { _ in }
        #expect(damage.found.minutes == [damagedMinute, damagedMinute + 1])
        #expect(gaps(try lane.run(.setAside(damage.found), at: evening + 3_950)).count == 2)
        #expect(try number("SELECT count(*) FROM damaged WHERE source = 'history'") == 2)
        #expect(try number("SELECT count(*) FROM history") == 58)
        #expect(try await stored.forEachMinute(of: try id, in: minutes) { _ in }.found.isEmpty)
    }

    @Test(
        "a value of another type in a stored message is damage like any other",
        arguments: ["payload = 3", "kind = x'fffe'", "id = x'fffe'"])
    func otherTypeInEvent(_ assignment: String) throws {
        var app = HistoryDevice(start: evening - 1_000)
        let lane = try prepare(&app, derives: true)
        try directory.execute("UPDATE events SET \(assignment) WHERE kind = 'day'")
        let stored = StoredHistory(files: LaneFiles(folder: directory.path))
        let range = RequestRange(from: UnixTime(evening - 86_400), to: UnixTime(evening + 86_400))
        let damage = try stored.events(of: try id, in: range, limit: 10) { _ in true }.damage
        #expect(damage.found.events.count == 1)
        _ = try lane.run(.setAside(damage.found), at: evening + 3_950)
        #expect(try number("SELECT count(*) FROM damaged WHERE source = 'events'") == 1)
        #expect(try stored.events(of: try id, in: range, limit: 10) { _ in true }.damage.found.isEmpty)
    }

    @Test("of the last part of a reply the schema allows what is missing")
    func reply() throws {
        let message = RequestMessage(
            topic: "wearables/watch-1/query/samples",
            payload: Array(#"{"stream":"recorded-accelerometer","from":\#(evening),"to":\#(evening + 60)}"#.utf8),
            responseTopic: "fathom/test/reply/analyst/1")
        guard case .accepted(let request) = RequestReader(PipelineHarness.settings).read(message, policy: DurableLane.everybody),
            case .samples(let query) = request.query
        else {
            Issue.record("the request is not read")
            return
        }
        var parts = SampleParts(query, of: request)
        var spans = DamagedSpans()
        spans.add(.init(from: UnixTime(evening), to: UnixTime(evening + 59), count: 600))
        spans.add(.init(from: UnixTime(evening + 60), to: UnixTime(evening + 119), count: 600))
        let reply = parts.finish(damaged: spans, at: UnixTime(evening))
        _ = DerivedJSON(OutboundMessage(topic: reply.address.topic, payload: reply.payload))
        #expect(
            String(decoding: reply.payload, as: UTF8.self).contains(
                #""damaged":[{"from":1763755200,"to":1763755319,"count":1200}]"#))
    }

    @Test("a stored message that cannot be read is left out of the reply, named, and set aside")
    func eventsQuery() throws {
        var app = HistoryDevice(start: evening - 1_000)
        let lane = try prepare(&app, derives: true)
        try flip("UPDATE events SET payload = ? WHERE kind = 'day'", "SELECT payload FROM events WHERE kind = 'day'")
        let stored = StoredHistory(files: LaneFiles(folder: directory.path))
        let range = RequestRange(from: UnixTime(evening - 86_400), to: UnixTime(evening + 86_400))
        let (events, damage) = try stored.events(of: try id, in: range, limit: 10) { _ in true }
        #expect(!events.isEmpty && !events.contains { $0.kind == "day" })
        #expect(damage.found.events.count == 1)
        _ = try lane.run(.setAside(damage.found), at: evening + 3_950)
        #expect(try number("SELECT count(*) FROM events WHERE kind = 'day'") == 0)
        #expect(try number("SELECT count(*) FROM damaged WHERE source = 'events' AND name = 'day'") == 1)
        let (others, again) = try stored.events(of: try id, in: range, limit: 10) { _ in true }
        #expect(others == events && again.spans == damage.spans && again.found.isEmpty)
        #expect(try stored.events(of: try id, in: range, limit: 10) { $0 != "day" }.damage.spans == DamagedSpans())
    }
}
