import Testing

@testable import GatewayRuntime

@Suite("Another gateway of the same name")
struct RivalTrackerTests {
    private var tracker = RivalTracker()
    private let other = Heartbeat.Instance(id: "other", started: 1)

    private mutating func hear(_ number: Int, at monotonic: Double, of instance: Heartbeat.Instance? = nil) -> Heartbeat.Instance?
    {
        tracker.hear(Heartbeat(instance: instance ?? other, number: number), at: monotonic)
    }

    @Test("old heartbeats that come all at once are no rival, however late the last is read")
    mutating func burst() {
        for number in 1...20 { #expect(hear(number, at: 100 + Double(number) / 100) == nil) }
    }

    @Test("heartbeats that go on coming are one")
    mutating func living() {
        #expect(hear(1, at: 100) == nil)
        #expect(hear(2, at: 100.5) == nil)
        #expect(hear(5, at: 101.99) == nil)
        #expect(hear(6, at: 102) == other)
    }

    @Test("a heartbeat that is delivered again shows no life")
    mutating func repeated() {
        #expect(hear(7, at: 100) == nil)
        #expect(hear(7, at: 103) == nil)
        #expect(hear(6, at: 104) == nil)
        #expect(hear(8, at: 105) == other)
    }

    @Test("each instance must show for itself that it lives")
    mutating func another() {
        let third = Heartbeat.Instance(id: "third", started: 2)
        #expect(hear(1, at: 100) == nil)
        #expect(hear(9, at: 103, of: third) == nil)
        #expect(hear(10, at: 105, of: third) == third)
    }
}
