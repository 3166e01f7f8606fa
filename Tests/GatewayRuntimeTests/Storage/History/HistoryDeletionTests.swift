import Dispatch
import Foundation
import GRDB
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import Synchronization
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("What is deleted of stored histories")
struct HistoryDeletionTests {
    /// 2025-11-21 20:00 UTC.
    static let evening = 1_763_755_200.0
    static let day = 86_400.0
    let folder: TemporaryDirectory
    let log = CollectedLog()

    init() throws { folder = try TemporaryDirectory() }

    /// The lines that were logged with `text`.
    func lines(_ text: String) -> [String] { log.lines.filter { $0.contains(text) } }

    func directory(_ history: GatewayConfiguration.History = .init()) throws -> StateDirectory {
        try StateDirectory(path: folder.path("state"), history: HistoryStorage(history), logger: log.logger)
    }

    func id(_ name: String) throws -> DeviceID { try #require(DeviceID(name)) }

    /// An instant at which the wall clock is ahead of the clock since the start of the machine by `step`.
    func time(_ seconds: Double, step: Double = 0) -> GatewayTime {
        GatewayTime(unix: UnixTime(Self.evening + seconds + step), monotonic: seconds + 1_000)
    }

    /// Stores minutes of a device that end at `end`, each of so many bytes, and a message a minute.
    func store(
        _ name: String, minutes: Int, bytes: Int, end: Double = Self.evening, events: Int = 0, in store: CheckpointStore,
        at now: GatewayTime
    ) throws {
        var change = StateChange(device: try id(name))
        let last = Int(end / 60)
        change.history = (0..<minutes).map { index in
            HistoryRow(
                minute: last - index, count: 1, first: UnixTime(0), last: UnixTime(0), data: Array(repeating: 7, count: bytes))
        }
        change.events = (0..<events).map { index in
            StoredEvent(kind: "day", at: UnixTime(end - Double(index) * 60), id: "\(index)", payload: Array("{}".utf8))
        }
        try store.write([change], at: now)
    }

    func minutes(_ name: String, in store: CheckpointStore) throws -> [Int] {
        try store.database.read {
            try Int.fetchAll($0, sql: "SELECT minute FROM history WHERE device = ? ORDER BY minute", arguments: [name])
        }
    }

    func prune(_ store: CheckpointStore, at now: GatewayTime, knows: Bool = true) throws {
        try store.pruneHistory(at: now) { _ in knows }
    }

    // MARK: The wall clock

    @Test(
        "A wall clock that is wrong for a while erases nothing, and is a warning meanwhile",
        arguments: [30 * day, 2 * day, -30 * day, -evening + 20, 74 * 365 * day])
    func step(_ step: Double) throws {
        let directory = try directory()
        let store = try directory.store(of: .safety)
        try self.store("watch-1", minutes: 60, bytes: 100, events: 5, in: store, at: time(0))
        try prune(store, at: time(10))
        for seconds in [20.0, 25, 32] { try prune(store, at: time(seconds, step: step)) }
        #expect(directory.clock.observe(time(32, step: step)).warning != nil)
        #expect(lines("the wall clock was set,").count == 1)
        for seconds in [34.0, 44, 4_000] { try prune(store, at: time(seconds)) }
        #expect(directory.clock.observe(time(4_000)).warning == nil)
        #expect(try minutes("watch-1", in: store).count == 60)
        #expect(try store.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM events") } == 5)
        #expect(directory.history.figures.deleted == HistoryDeletion())
    }

    @Test(
        "A device that is removed keeps its history for a day of running time, whatever the wall clock does",
        arguments: [2 * day, 3 * day, -30 * day])
    func removal(_ step: Double) throws {
        for isRemovedMeanwhile in [false, true] {
            let folder = try TemporaryDirectory()
            let directory = try StateDirectory(path: folder.path("state"), logger: log.logger)
            let store = try directory.store(of: .safety)
            try self.store("watch-1", minutes: 60, bytes: 100, in: store, at: time(0))
            try prune(store, at: time(1), knows: false)
            var removal = StateChange(device: try id("watch-1"))
            removal.isRemoved = true
            try store.write([removal], at: isRemovedMeanwhile ? time(70, step: step) : time(10))
            for seconds in [71.0, 80, 84] { try prune(store, at: time(seconds, step: step), knows: false) }
            try prune(store, at: time(90), knows: false)
            try prune(store, at: time(86_000), knows: false)
            #expect(try minutes("watch-1", in: store).count == 60)
            try prune(store, at: time(86_500), knows: false)
            #expect(try minutes("watch-1", in: store).isEmpty)
            #expect(directory.history.figures.erased == 1)
        }
    }

    @Test("A removal that was noted beside another clock counts from now on")
    func earlierRemoval() throws {
        let store = try directory().store(of: .safety)
        try self.store("watch-1", minutes: 3, bytes: 100, in: store, at: time(0))
        try store.database.write {
            try $0.execute(sql: "INSERT INTO removed VALUES ('watch-1', ?)", arguments: [Self.evening - 90_000])
        }
        try prune(store, at: time(10), knows: false)
        try prune(store, at: time(86_000), knows: false)
        #expect(try minutes("watch-1", in: store).count == 3)
        try prune(store, at: time(86_500), knows: false)
        #expect(try minutes("watch-1", in: store).isEmpty)
    }

    @Test(
        "A step that was kept for a day over a restart is believed, and deletion goes on; what it deletes is counted and logged")
    func believed() throws {
        do {
            let store = try directory().store(of: .safety)
            try self.store("watch-1", minutes: 60, bytes: 100, events: 5, in: store, at: time(0))
            try prune(store, at: time(10))
            for hour in 0...12 { try prune(store, at: time(20 + Double(hour) * 3_600, step: 30 * Self.day)) }
        }
        let directory = try directory()
        let store = try directory.store(of: .safety)
        for hour in 12...23 { try prune(store, at: time(20 + Double(hour) * 3_600, step: 30 * Self.day)) }
        #expect(try minutes("watch-1", in: store).count == 60)
        try prune(store, at: time(20 + 24 * 3_600, step: 30 * Self.day))
        #expect(try minutes("watch-1", in: store).isEmpty)
        #expect(directory.history.figures.deleted.expiredMinutes == 60)
        #expect(directory.history.figures.deleted.expiredEvents == 5)
        #expect(
            lines("history older than history.days is deleted device=watch-1 expiredEvents=5 expiredMinutes=60").count
                == 1)
        #expect(lines("is believed").count == 1)
    }

    @Test("A start with a wrong clock on states without a believed clock erases nothing", arguments: [30 * day, -30 * day])
    func withoutClock(_ step: Double) throws {
        do {
            let store = try directory().store(of: .safety)
            try self.store("watch-1", minutes: 60, bytes: 100, in: store, at: time(0))
        }
        #expect(TextFile.stamp(folder.path("state/clock")) == nil)
        let store = try directory().store(of: .safety)
        try prune(store, at: time(60, step: step))
        #expect(try minutes("watch-1", in: store).count == 60)
        #expect(lines("the wall clock was set,").count == 1)
    }

    @Test("A request to believe the wall clock is carried out once, by a gateway that runs and by one that does not")
    func request() throws {
        let path = folder.path("state")
        do {
            let directory = try directory()
            let store = try directory.store(of: .safety)
            try self.store("watch-1", minutes: 60, bytes: 100, in: store, at: time(0))
            try prune(store, at: time(10))
            try prune(store, at: time(20, step: 30 * Self.day))
            #expect(try minutes("watch-1", in: store).count == 60)
            try ClockRequest(stateDirectory: path).make()
            try prune(store, at: time(30, step: 30 * Self.day))
            #expect(!ClockRequest(stateDirectory: path).isMade)
            try prune(store, at: time(40, step: 30 * Self.day))
            #expect(try minutes("watch-1", in: store).isEmpty)
            #expect(directory.clock.observe(time(40, step: 30 * Self.day)).warning == nil)
        }
        try StateDirectory.believeClock(path, at: time(50))
        #expect(!ClockRequest(stateDirectory: path).isMade)
        let clock = try directory().clock.observe(time(60))
        #expect(clock.warning == nil)
        #expect(clock.limit.seconds == Self.evening + 60)
    }

    @Test(
        "The clock's file that cannot be read is reported, and the last commit's time is believed",
        arguments: ["no clock", #"{"machine":"x","monotonic":1e308,"running":1e308,"unix":1e308,"steps":[]}"#])
    func damaged(_ text: String) throws {
        do {
            let store = try directory().store(of: .safety)
            try self.store("watch-1", minutes: 60, bytes: 100, in: store, at: time(0))
            try prune(store, at: time(10))
        }
        try Data(text.utf8).write(to: URL(filePath: folder.path("state/clock")))
        let store = try directory().store(of: .safety)
        #expect(lines("clock on disk cannot be read").count == 1)
        try prune(store, at: time(60, step: 30 * Self.day))
        #expect(try minutes("watch-1", in: store).count == 60)
    }

    @Test(
        "Samples that arrive while the wall clock is wrong are stored like others, and nothing is published as missing",
        arguments: [30 * day, -30 * day, -evening + 20, 74 * 365 * day])
    func arrival(_ step: Double) throws {
        let directory = try directory()
        let lane = try DurableLane(in: directory)
        _ = try lane.lane.restore(at: time(3_600))
        try lane.lane.run(.begin(changesOwner: false), at: time(3_600))
        var device = HistoryDevice(boot: "b1", start: Self.evening - 1_000)
        let frames = device.frames(
            SimulatedNight.walk(from: Self.evening, seconds: 3_600, cadence: 1.9, hertz: 10), size: 600,
            sent: Self.evening + 3_700)
        // One frame is missing while the clock is wrong, and comes afterwards.
        for (index, frame) in frames.enumerated() where index != 15 {
            try lane.lane.process([frame.message], at: time(3_700 + Double(index), step: (10..<30).contains(index) ? step : 0))
        }
        try lane.lane.process([frames[15].message], at: time(3_800))
        try lane.commit(at: Self.evening + 3_801)
        let count = try DatabaseQueue.readOnly(directory.file).read {
            try Int.fetchOne($0, sql: "SELECT sum(count) FROM history")
        }
        #expect(count == 36_000)
        #expect(!lane.published.all.contains { $0.kind == "gap" })
    }

    @Test("Lanes that look at the clock at the same time write its file one after another")
    func lanes() throws {
        let directory = try directory()
        let problems = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { lane in
            for look in 0..<50 {
                let now = time(Double(look) * 100 + Double(lane))
                directory.clock.observe(now)
                do { try directory.clock.store(at: now) } catch { problems.withLock { $0.append("\(error)") } }
            }
        }
        #expect(problems.withLock(\.self) == [])
        #expect(TextFile.stamp(folder.path("state/clock")) != nil)
    }
}
