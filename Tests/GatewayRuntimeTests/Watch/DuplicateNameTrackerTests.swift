import Testing

@testable import GatewayRuntime

@Suite("Another gateway of the same name")
struct DuplicateNameTrackerTests {
    private var tracker = DuplicateNameTracker()
    private let other = Heartbeat.Instance(id: "other", started: 1)

    private mutating func record(
        _ number: Int, at monotonic: Double, of instance: Heartbeat.Instance? = nil
    ) -> Heartbeat.Instance? {
        tracker.record(Heartbeat(instance: instance ?? other, number: number), at: monotonic)
    }

    @Test("old heartbeats that come all at once are of no running gateway, however late the last is read")
    mutating func burst() {
        for number in 1...20 { #expect(record(number, at: 100 + Double(number) / 100) == nil) }
    }

    @Test("heartbeats that keep coming are of a running one")
    mutating func running() {
        #expect(record(1, at: 100) == nil)
        #expect(record(2, at: 100.5) == nil)
        #expect(record(5, at: 101.99) == nil)
        #expect(record(6, at: 102) == other)
    }

    @Test("a heartbeat that is delivered again does not count")
    mutating func repeated() {
        #expect(record(7, at: 100) == nil)
        #expect(record(7, at: 103) == nil)
        #expect(record(6, at: 104) == nil)
        #expect(record(8, at: 105) == other)
    }

    @Test("each instance is judged by its own heartbeats")
    mutating func another() {
        let third = Heartbeat.Instance(id: "third", started: 2)
        #expect(record(1, at: 100) == nil)
        #expect(record(9, at: 103, of: third) == nil)
        #expect(record(10, at: 105, of: third) == third)
    }
}
