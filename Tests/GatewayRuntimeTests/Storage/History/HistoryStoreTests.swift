import Foundation
import GRDB
import GatewayConfiguration
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayPipeline
@testable import GatewayRuntime

@Suite("Recorded history on disk")
struct HistoryStoreTests {
    /// 2025-11-21 20:00 UTC.
    private let evening = 1_763_755_200.0
    private let folder: TemporaryDirectory
    private let policy = PipelineHarness.policy("watch-1", .with { $0.consents = [.sleep] })

    init() throws { folder = try TemporaryDirectory() }

    private var id: DeviceID { get throws { try #require(DeviceID("watch-1")) } }

    /// Frames of an hour of walking, sent afterwards.
    private func hour(boot: String = "b1") -> [RecordedMessage] {
        var device = HistoryDevice(boot: boot, start: evening - 1_000)
        return device.frames(
            SimulatedNight.walk(from: evening, seconds: 3_600, cadence: 1.9, hertz: 10), size: 600, sent: evening + 3_700)
    }

    private func rows(_ directory: StateDirectory) throws -> [HistoryRow] {
        try DatabaseQueue.readOnly(directory.file).read { try HistoryRow.read(of: try id, in: 0..<Int.max, most: 100_000, $0) }
    }

    private func derived(_ messages: [DerivedJSON]) -> [String] {
        messages.filter { ["day", "wear", "sleep", "gap"].contains($0.kind) }.map { "\($0.kind) \($0.text("id") ?? "")" }
    }

    /// What is sent in one burst: an hour of walking, or 35.5 h in which somebody sleeps for 34.
    private func burst(_ hours: Int) -> (frames: [RecordedMessage], end: Double) {
        if hours == 1 { return (hour(), evening + 3_600) }
        let day = SimulatedNight(from: evening, hours: 34)
        var device = HistoryDevice(start: evening - 1_000)
        let end = day.end + 1_800
        return (device.frames(day.samples, sent: end + 100), end)
    }

    /// The rows and messages of a gateway that is not disturbed.
    private func expected(_ hours: Int = 1) throws -> (rows: [HistoryRow], messages: [String]) {
        let other = try TemporaryDirectory()
        let directory = try StateDirectory(in: other)
        let (frames, end) = burst(hours)
        let lane = try DurableLane(in: directory, policy: policy, startedAt: end)
        try lane.take(frames)
        try lane.commit(at: end + 120)
        let messages = try lane.run(.tick(LanePace()), at: end + 300)
        return (try rows(directory), derived(messages))
    }

    @Test(
        "Shuffled, sent twice, with three kills between: the same rows and the same messages, and only stored frames are acknowledged",
        arguments: [(hours: 1, seed: 0), (1, 1), (1, 2), (36, 3)] as [(hours: Int, seed: UInt64)])
    func kills(hours: Int, seed: UInt64) throws {
        let expected = try expected(hours)
        #expect(expected.rows.count == (hours == 1 ? 60 : 2_130))
        #expect(expected.rows.allSatisfy { $0.count == (hours == 1 ? 600 : 150) })
        #expect(expected.messages.contains { $0.hasPrefix("day") })
        #expect(hours == 1 || expected.messages.contains { $0.hasPrefix("sleep") })
        var random = SeededGenerator(seed: seed)
        let (frames, end) = burst(hours)
        var queue = (frames + frames).shuffled(using: &random)
        for index in queue.indices { queue[index].at = end + 100 + Double(index) * 0.05 }
        var messages: [DerivedJSON] = []
        for run in 0..<4 {
            let state = try StateDirectory(path: folder.path("state"), logger: DurableLane.logger)
            let lane = try DurableLane(in: state, policy: policy, startedAt: end + 100)
            // Some frames are committed, more are processed, and the process ends.
            let committed = run == 3 ? queue.count : Int.random(in: 0...queue.count / 2, using: &random)
            let processed = Int.random(in: committed...queue.count, using: &random)
            try lane.take(Array(queue[..<committed]))
            try lane.commit(at: end + 120)
            queue.removeFirst(committed)
            if run < 3 {
                try lane.take(Array(queue[..<(processed - committed)]))
            } else {
                messages = try lane.run(.tick(LanePace()), at: end + 300)
                #expect(try rows(state) == expected.rows)
            }
        }
        #expect(derived(messages) == expected.messages)
    }

    @Test("A commit that fails is made again with the next; nothing of it is on disk before")
    func failure() throws {
        let directory = try StateDirectory(in: folder)
        let lane = try DurableLane(in: directory, policy: policy, startedAt: evening + 3_600)
        let frames = hour()
        try lane.take(Array(frames[..<30]))
        #expect(throws: Broken.self) { try lane.commit(at: evening + 3_701) { throw Broken() } }
        #expect(try rows(directory).isEmpty)
        try lane.take(Array(frames[30...]))
        try lane.commit(at: evening + 3_702)
        #expect(try rows(directory) == expected().rows)
    }

    @Test("What is committed of the stream is always published, with its identifier and date")
    func committed() throws {
        let directory = try StateDirectory(in: folder)
        let lane = try DurableLane(in: directory, policy: policy, startedAt: evening + 3_600)
        let frames = hour()
        try lane.take(Array(frames[..<30] + frames[31...]))
        lane.published.clear()
        try lane.commit(at: evening + 3_710)
        let message = try #require(lane.published.all.first { $0.kind == "committed/recorded-accelerometer" })
        #expect(message.number("seq") == 29)
        #expect(message.number("through") == 18_999)
        #expect(abs((message.number("throughDate") ?? 0) - (evening + 30 * 60 - 0.1)) < 1e-3)
    }

    @Test("Old days are deleted, and the oldest where there is no room")
    func limits() throws {
        var limits = GatewayConfiguration.History()
        limits.maximumMegabytes = 1
        let storage = HistoryStorage(limits)
        let store = try CheckpointStore(path: folder.path("x.sqlite"), machine: "m", at: .at(evening), history: storage) { _ in }
        let day = HistoryDay.day(of: UnixTime(evening))
        var change = StateChange(device: try id)
        let data = Array(repeating: UInt8(7), count: 300_000)
        change.history = (0..<9).map { index in
            HistoryRow(
                minute: (day - index) * HistoryDay.minutes, count: 1, first: UnixTime(0), last: UnixTime(0), data: data)
        }
        change.events = [
            StoredEvent(kind: "day", at: UnixTime(evening - 9 * 86_400), id: "old", payload: []),
            StoredEvent(kind: "day", at: UnixTime(evening), id: "new", payload: []),
        ]
        try store.write([change], at: .at(evening))
        try store.pruneHistory(at: .at(evening)) { _ in true }
        let days = try store.database.read { try Int.fetchAll($0, sql: "SELECT DISTINCT day FROM history ORDER BY day") }
        #expect(days == [day - 2, day - 1, day])
        #expect(storage.figures.deleted.discardedDays == 5)
        #expect(storage.figures.deleted.discardedMinutes == 5)
        #expect(storage.figures.deleted.expiredMinutes == 1)
        #expect(storage.figures.deleted.expiredEvents == 1)
        #expect(storage.figures.megabytes == 1)
        #expect(try store.database.read { try String.fetchAll($0, sql: "SELECT id FROM events") } == ["new"])
    }

    @Test("A revoked device's history is erased with its state; a removed one's a day later, unless it is listed again")
    func erasure() throws {
        let directory = try StateDirectory(in: folder)
        let lane = try DurableLane(in: directory, policy: policy, startedAt: evening + 3_600)
        try lane.take(hour())
        try lane.commit(at: evening + 3_710)
        try lane.run(.replace(AccessPolicy()), at: evening + 3_720)
        try lane.commit(at: evening + 3_721)
        #expect(try rows(directory).count == 60)
        func prune(_ hours: Double, _ isKnown: Bool) throws {
            try lane.lane.store?.pruneHistory(at: .at(evening + 3_721 + hours * 3_600)) { _ in isKnown }
        }
        try prune(23, false)
        #expect(try rows(directory).count == 60)
        try prune(25, true)
        #expect(try rows(directory).count == 60, "it is listed again")
        try prune(50, false)
        #expect(try rows(directory).count == 60, "it was not removed since")
        try lane.run(.replace(policy), at: evening + 3_800)
        var frames = hour(boot: "b2")
        for index in frames.indices { frames[index].at += 200 }
        try lane.take(frames)
        try lane.commit(at: evening + 3_910)
        let revoked = DevicePolicy.with { ($0.authorization, $0.isRevoked) = (.denied, true) }
        try lane.run(.replace(PipelineHarness.policy("watch-1", revoked)), at: evening + 3_920)
        try lane.commit(at: evening + 3_921)
        #expect(try rows(directory).isEmpty)
        #expect(directory.history.figures.erased == 1)
    }

    @Test("The room of samples is that of all files")
    func figures() {
        let storage = HistoryStorage()
        storage.note(.init(bytes: 2_000_000, devices: [:]), in: "bulk.sqlite")
        storage.note(.init(bytes: 0, devices: [:]), in: "safety.sqlite")
        #expect(storage.figures.megabytes == 2)
        storage.note(.init(bytes: 500_000, devices: [:]), in: "bulk.sqlite")
        storage.note(.init(bytes: 600_000, devices: [:]), in: "motion.sqlite")
        #expect(storage.figures.megabytes == 2)
    }

    @Test("Nothing of an erased device is in the file or its log, and a kill before the commit changes nothing")
    func nothingLeft() throws {
        let path = folder.path("state")
        do {
            let lane = try DurableLane(in: try StateDirectory(path: path, logger: DurableLane.logger), policy: policy)
            try lane.start(at: evening + 3_600)
            try lane.take(hour())
            try lane.run(.tick(LanePace()), at: evening + 3_900)
            try lane.commit(at: evening + 3_901)
            try lane.lane.erase(try id, at: .at(evening + 3_902))
        }
        let directory = try StateDirectory(path: path, logger: DurableLane.logger)
        #expect(try rows(directory).count == 60, "the process ended before its commit")
        let marks = try rows(directory).map { Data($0.data.prefix(200)) }
        func remains() throws -> Int {
            let bytes = ["safety.sqlite", "safety.sqlite-wal"].map {
                (try? Data(contentsOf: URL(filePath: "\(path)/\($0)"))) ?? Data()
            }
            return marks.count { mark in bytes.contains { $0.range(of: mark) != nil } }
        }
        #expect(try remains() > 0)
        let lane = try DurableLane(in: directory, policy: policy, startedAt: evening + 3_910)
        try lane.lane.erase(try id, at: .at(evening + 3_911))
        #expect(throws: Broken.self) { try lane.commit(at: evening + 3_912) { throw Broken() } }
        #expect(try rows(directory).count == 60)
        try lane.commit(at: evening + 3_913)
        #expect(try rows(directory).isEmpty)
        #expect(try directory.devices().isEmpty)
        #expect(try remains() == 0)
        #expect(directory.history.figures.erased == 1)
        #expect(try events(directory) == 0)
    }

    @Test(
        "Nights are erased from the file when consent is withdrawn: while the gateway runs, and at a start with another registry")
    func withdrawn() throws {
        for isRunning in [true, false] {
            let path = folder.path("consent-\(isRunning)")
            let (frames, end) = burst(36)
            do {
                let lane = try DurableLane(in: try StateDirectory(path: path, logger: DurableLane.logger), policy: policy)
                try lane.start(at: end)
                try lane.take(frames)
                try lane.run(.tick(LanePace()), at: end + 300)
                try lane.commit(at: end + 301)
                if isRunning {
                    try lane.run(.replace(DurableLane.everybody), at: end + 302)
                    try lane.commit(at: end + 303)
                }
            }
            let directory = try StateDirectory(path: path, logger: DurableLane.logger)
            func kinds() throws -> Set<String> {
                Set(try DatabaseQueue.readOnly(directory.file).read { try String.fetchAll($0, sql: "SELECT kind FROM events") })
            }
            #expect(try kinds().contains("sleep") == !isRunning)
            if !isRunning {
                let lane = try DurableLane(in: directory, policy: DurableLane.everybody, startedAt: end + 400)
                try lane.commit(at: end + 401)
                #expect(directory.history.figures.erased == 1)
            }
            #expect(try !kinds().contains("sleep"))
            #expect(try kinds().isSuperset(of: ["day", "wear"]))
            #expect(try rows(directory).count == 2_130, "samples need no consent")
            let parts = try DatabaseQueue.readOnly(directory.file).read { try CheckpointStore.stored($0).first?.parts ?? [:] }
            #expect(parts["latest/sleep"] == nil && parts["derive/sleep"] == nil && parts["derive/day"] != nil)
        }
    }

    private func events(_ directory: StateDirectory) throws -> Int? {
        try DatabaseQueue.readOnly(directory.file).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM events") }
    }

    @Test(
        "What a failed commit puts back is not written after an erasure, or where consent was withdrawn",
        arguments: [true, false], [true, false])
    func erasedBetween(isWhole: Bool, isNext: Bool) throws {
        let directory = try StateDirectory(in: folder)
        let lane = try DurableLane(in: directory, policy: policy, startedAt: evening + 3_600)
        try lane.take(hour())
        try lane.run(.tick(LanePace()), at: evening + 3_900)
        var snapshot = CommitSnapshot()
        try lane.lane.take(into: &snapshot)
        #expect(snapshot.changes.contains { !$0.events.isEmpty && !$0.history.isEmpty })
        let kinds = Set(snapshot.changes.flatMap(\.events).map(\.kind))
        if isWhole {
            try lane.lane.erase(try id, at: .at(evening + 3_901))
        } else {
            try lane.run(.replace(DurableLane.everybody), at: evening + 3_901)
        }
        // The erasure is of the commit behind the one that fails, or of that one.
        var next = CommitSnapshot()
        if isNext { try lane.lane.take(into: &next) } else { try lane.lane.take(into: &snapshot) }
        lane.lane.noteFailed(snapshot)
        try lane.commit(next, at: evening + 3_902)
        let left = try DatabaseQueue.readOnly(directory.file).read { try String.fetchAll($0, sql: "SELECT kind FROM events") }
        #expect(try rows(directory).isEmpty == isWhole)
        #expect(Set(left) == (isWhole ? [] : kinds.subtracting(["sleep"])))
    }

    @Test("Requests read the samples and the messages that are committed, and go on where a reply ended")
    func requests() async throws {
        let directory = try StateDirectory(in: folder)
        let lane = try DurableLane(in: directory, policy: policy, startedAt: evening + 3_600)
        try lane.take(hour())
        let messages = try lane.run(.tick(LanePace()), at: evening + 3_900)
            .filter { ["day", "wear", "sleep"].contains($0.kind) }
        let stored = StoredHistory(files: LaneFiles(folder: directory.path))
        let range = RequestRange(from: UnixTime(evening - 86_400), to: UnixTime(evening + 86_400))
        #expect(try stored.events(of: try id, in: range, limit: 10) { _ in true }.events.isEmpty, "nothing is committed")
        try lane.commit(at: evening + 3_901)
        var count = 0
        _ = try await stored.forEachMinute(of: try id, in: 0..<100_000_000) { count += $0.count }
        #expect(count == 36_000)
        let events = try stored.events(of: try id, in: range, limit: 10) { _ in true }.events
        #expect(Set(events.map(\.payload)) == Set(messages.map(\.payload)))
        #expect(events.map(\.at) == events.map(\.at).sorted())
        let first = try #require(try stored.events(of: try id, in: range, limit: 1) { _ in true }.events.first)
        let next = try stored.events(of: try id, in: range, after: .init(at: first.at, id: first.id), limit: 10) { _ in true }
            .events
        #expect([first] + next == events)
        #expect(try stored.events(of: try id, in: range, limit: 10) { $0 == "day" }.events.map(\.kind) == ["day"])
    }
}
