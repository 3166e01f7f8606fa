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
    private static let evening = 1_763_755_200.0
    private static let day = 86_400.0
    private let folder: TemporaryDirectory
    private let log = CollectedLog()

    init() throws { folder = try TemporaryDirectory() }

    /// The lines that were logged with `text`.
    private func lines(_ text: String) -> [String] { log.lines.filter { $0.contains(text) } }

    private func directory(_ history: GatewayConfiguration.History = .init()) throws -> StateDirectory {
        try StateDirectory(path: folder.path("state"), history: HistoryStorage(history), logger: log.logger)
    }

    private func id(_ name: String) throws -> DeviceID { try #require(DeviceID(name)) }

    /// An instant at which the wall clock is ahead of the clock since the start of the machine by `step`.
    private func time(_ seconds: Double, step: Double = 0) -> GatewayTime {
        GatewayTime(unix: UnixTime(Self.evening + seconds + step), monotonic: seconds + 1_000)
    }

    /// Stores minutes of a device that end at `end`, each of so many bytes, and a message a minute.
    private func store(
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

    private func minutes(_ name: String, in store: CheckpointStore) throws -> [Int] {
        try store.database.read {
            try Int.fetchAll($0, sql: "SELECT minute FROM history WHERE device = ? ORDER BY minute", arguments: [name])
        }
    }

    private func prune(_ store: CheckpointStore, at now: GatewayTime, knows: Bool = true) throws {
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

    @Test("A removal that an earlier version noted by the wall clock counts from now on")
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

    @Test("A start with a wrong clock on what an earlier version stored erases nothing", arguments: [30 * day, -30 * day])
    func upgrade(_ step: Double) throws {
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
        let count = try DatabaseQueue(path: directory.file).read { try Int.fetchOne($0, sql: "SELECT sum(count) FROM history") }
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

    // MARK: Room

    private func limited(to megabytes: Int) -> GatewayConfiguration.History {
        var history = GatewayConfiguration.History()
        history.maximumMegabytes = megabytes
        return history
    }

    @Test("Room is made from the oldest minutes of the device that uses most, only as many as needed")
    func room() throws {
        let directory = try directory(limited(to: 1))
        let store = try directory.store(of: .safety)
        try self.store("large", minutes: 200, bytes: 5_000, in: store, at: time(0))
        try self.store("small", minutes: 20, bytes: 5_000, end: Self.evening - 86_400, in: store, at: time(1))
        let before = try minutes("large", in: store)
        for call in 1...20 { try prune(store, at: time(Double(call) * 10)) }
        let after = try minutes("large", in: store)
        #expect(try minutes("small", in: store).count == 20, "a neighbour does not pay")
        #expect(after == Array(before.suffix(after.count)), "the oldest go")
        let removed = before.count - after.count
        #expect((25...45).contains(removed))
        #expect(directory.history.figures.megabytes <= 1)
        #expect(directory.history.figures.deleted.discardedMinutes == removed)
        #expect(directory.history.figures.deleted.discardedDays == 0, "no day is gone")
        let logged = lines("history is deleted to make room")
        #expect(!logged.isEmpty && logged.allSatisfy { $0.contains("device=large") })
        let lineCount = log.lines.count
        try prune(store, at: time(300))
        #expect(try minutes("large", in: store) == after, "nothing more goes")
        #expect(log.lines.count == lineCount)
    }

    @Test("What is dated more than a day after now goes before the oldest, and nothing of today for it")
    func ahead() throws {
        let directory = try directory(limited(to: 1))
        let store = try directory.store(of: .safety)
        var events = StateChange(device: try id("forger"))
        events.events = (0..<400).map { index in
            let year2099 = !index.isMultiple(of: 4)
            return StoredEvent(
                kind: "dive", at: UnixTime(year2099 ? 4.07e9 + Double(index) : Self.evening - Double(index)), id: "\(index)",
                payload: Array(repeating: 32, count: 4_000))
        }
        try store.write([events], at: time(0))
        for call in 1...20 { try prune(store, at: time(Double(call) * 10)) }
        let left = try store.database.read { try Double.fetchAll($0, sql: "SELECT at FROM events ORDER BY at") }
        #expect(left.filter { $0 <= Self.evening }.count == 100)
        #expect(left.filter { $0 > Self.evening }.count < 160)
        #expect(directory.history.figures.megabytes <= 1)
    }

    @Test("A wall clock that was set back makes nothing count as dated after now")
    func setBack() throws {
        let directory = try directory(limited(to: 1))
        let store = try directory.store(of: .safety)
        try prune(store, at: time(0))
        try self.store("large", minutes: 300, bytes: 5_000, in: store, at: time(0))
        let before = try minutes("large", in: store)
        for call in 1...20 { try prune(store, at: time(Double(call) * 10, step: -30 * Self.day)) }
        let after = try minutes("large", in: store)
        #expect(after == Array(before.suffix(after.count)), "the oldest go")
        #expect(after.count < before.count)
    }

    @Test("Above an equal share even the last hour goes, and devices below it keep everything")
    func share() throws {
        let directory = try directory(limited(to: 1))
        let store = try directory.store(of: .safety)
        try self.store("flood", minutes: 50, bytes: 40_000, in: store, at: time(0))
        for index in 0..<5 { try self.store("d\(index)", minutes: 20, bytes: 3_000, in: store, at: time(1)) }
        for call in 1...10 { try prune(store, at: time(Double(call) * 10)) }
        for index in 0..<5 { #expect(try minutes("d\(index)", in: store).count == 20) }
        #expect(try minutes("flood", in: store).count < 20)
    }

    @Test("States do not count, and messages do")
    func counted() throws {
        let directory = try directory(limited(to: 1))
        let store = try directory.store(of: .safety)
        var state = StateChange(device: try id("watch-1"))
        state.parts = [StatePart(name: "derive/x", version: 1, bytes: Array(repeating: 1, count: 3_000_000))]
        try store.write([state], at: time(0))
        try self.store("watch-1", minutes: 50, bytes: 5_000, in: store, at: time(1))
        try prune(store, at: time(10))
        #expect(try minutes("watch-1", in: store).count == 50)
        var events = StateChange(device: try id("watch-1"))
        events.events = (0..<300).map { index in
            StoredEvent(
                kind: "gap", at: UnixTime(Self.evening - 86_400 + Double(index)), id: "\(index)",
                payload: Array(repeating: 32, count: 5_000))
        }
        try store.write([events], at: time(20))
        for call in 3...20 { try prune(store, at: time(Double(call) * 10)) }
        #expect(try minutes("watch-1", in: store).count == 50, "the messages are older")
        #expect(directory.history.figures.deleted.discardedEvents > 100)
        #expect(directory.history.figures.megabytes <= 1)
    }

    @Test("What each device uses is counted over writes, replacements and deletions, and for a file of an earlier version")
    func use() throws {
        let store = try directory().store(of: .safety)
        for _ in 0..<2 { try self.store("a", minutes: 10, bytes: 1_000, events: 3, in: store, at: time(0)) }
        try self.store("b", minutes: 10, bytes: 500, in: store, at: time(0))
        func room() throws -> [String: Int] {
            let rows = try store.database.read { try Row.fetchAll($0, sql: "SELECT device, bytes FROM room") }
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["device"] as String, $0["bytes"] as Int) })
        }
        #expect(try room() == ["a": 10 * 1_100 + 3 * 102, "b": 10 * 600])
        let kept = try room()
        try store.database.write { database in
            try database.execute(
                sql: """
                    DROP TRIGGER historyAdded; DROP TRIGGER historyDeleted; DROP TRIGGER eventsAdded; DROP TRIGGER eventsDeleted;
                    DROP TABLE room
                    """)
            try CheckpointStore.createRoom(database)
        }
        #expect(try room() == kept)
        var erasure = StateChange(device: try id("a"))
        erasure.erasesHistory = true
        try store.write([erasure], at: time(10))
        #expect(try room() == ["b": 10 * 600])
    }

    @Test("Over the files of all lanes the device that uses most makes room, and those in a greater file keep everything")
    func lanesTogether() throws {
        let directory = try directory(limited(to: 1))
        let (safety, bulk) = (try directory.store(of: .safety), try directory.store(of: .bulk))
        for index in 0..<8 { try store("watch-\(index)", minutes: 18, bytes: 4_000, in: bulk, at: time(0)) }
        var flood = StateChange(device: try id("flood"))
        flood.events = (0..<100).map { index in
            StoredEvent(
                kind: "gap", at: UnixTime(Self.evening + Double(index)), id: "\(index)",
                payload: Array(repeating: 32, count: 5_000))
        }
        try safety.write([flood], at: time(1))
        for call in 1...10 {
            try prune(bulk, at: time(Double(call) * 10))
            try prune(safety, at: time(Double(call) * 10 + 5))
        }
        for index in 0..<8 { #expect(try minutes("watch-\(index)", in: bulk).count == 18) }
        let figures = directory.history.figures
        #expect(figures.megabytes <= 1)
        #expect(figures.deleted.discardedMinutes == 0)
        #expect((10...60).contains(figures.deleted.discardedEvents))
        let left = try safety.database.read { try Double.fetchAll($0, sql: "SELECT at FROM events ORDER BY at") }
        #expect(left.first == Self.evening + Double(100 - left.count), "the oldest go")
    }

    @Test("The shares of all files add up to the excess, and each device is served by the file in which it uses most")
    func shares() {
        let storage = HistoryStorage(limited(to: 10))
        storage.note(.init(bytes: 9_000_000, devices: ["a": 4_000_000, "b": 1_000_000, "c": 4_000_000]), in: "bulk")
        storage.note(.init(bytes: 3_000_000, devices: ["a": 1_000_000, "d": 2_000_000]), in: "safety")
        #expect(
            storage.shares(of: "bulk") == [.init(device: "c", bytes: 500_000), .init(device: "a", bytes: 1_500_000)])
        #expect(storage.shares(of: "safety") == [])
        storage.note(.init(bytes: 9_000_000, devices: ["a": 500_000, "c": 4_000_000]), in: "bulk")
        storage.note(.init(bytes: 3_000_000, devices: ["a": 2_500_000]), in: "safety")
        #expect(storage.shares(of: "bulk") == [.init(device: "c", bytes: 1_500_000)])
        #expect(storage.shares(of: "safety") == [.init(device: "a", bytes: 500_000)])
        storage.note(.init(bytes: 7_000_000, devices: ["c": 4_000_000]), in: "bulk")
        #expect(storage.shares(of: "bulk") == [] && storage.shares(of: "safety") == [])
    }

    @Test("Values of other types and rows without a device hold up no deletion")
    func otherTypes() throws {
        let directory = try directory(limited(to: 1))
        let store = try directory.store(of: .safety)
        try self.store("large", minutes: 300, bytes: 5_000, events: 5, in: store, at: time(0))
        try self.store("small", minutes: 20, bytes: 5_000, in: store, at: time(1))
        try store.database.write {
            try $0.execute(
                sql: """
                    UPDATE room SET bytes = 'abc' WHERE device = 'small';
                    INSERT INTO room VALUES (x'fffe', 5000000), ('nobody', 5000000);
                    INSERT INTO removed VALUES (x'fffe', 0), ('large', 'x');
                    UPDATE history SET minute = 'abc', bytes = 'abc' WHERE minute = (SELECT min(minute) FROM history);
                    UPDATE history SET minute = 9223372036854775806 WHERE minute = (SELECT min(minute) FROM history);
                    UPDATE events SET id = x'fffe', payload = 3, at = at - 86400 WHERE at = (SELECT min(at) FROM events)
                    """)
        }
        for call in 1...20 { try prune(store, at: time(Double(call) * 10), knows: false) }
        #expect(directory.history.figures.megabytes <= 1)
        #expect(try minutes("small", in: store).count == 20)
        #expect(try store.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM events") } == 4)
        #expect(lines("cannot be read: its history is deleted by age").count == 1)
        let removed = try store.database.read { try String.fetchAll($0, sql: "SELECT device || typeof(at) FROM removed") }
        #expect(removed == ["largereal"])
    }
}
