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

/// Room for histories and messages.
extension HistoryDeletionTests {
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

    @Test("What each device uses is counted over writes, replacements and deletions")
    func use() throws {
        let store = try directory().store(of: .safety)
        for _ in 0..<2 { try self.store("a", minutes: 10, bytes: 1_000, events: 3, in: store, at: time(0)) }
        try self.store("b", minutes: 10, bytes: 500, in: store, at: time(0))
        func room() throws -> [String: Int] {
            let rows = try store.database.read { try Row.fetchAll($0, sql: "SELECT device, bytes FROM room") }
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["device"] as String, $0["bytes"] as Int) })
        }
        #expect(try room() == ["a": 10 * 1_100 + 3 * 102, "b": 10 * 600])
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
