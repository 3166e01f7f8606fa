import Testing

@testable import Mosquitto

@Suite("Instants of connections")
struct MonotonicInstantTests {
    private let now = MonotonicInstant.now

    @Test("the clock does not go back, and sums and differences agree")
    func arithmetic() {
        #expect(MonotonicInstant.now >= now)
        #expect((now + .milliseconds(1500)) - now == .milliseconds(1500))
        #expect(now + 0.25 == now + .milliseconds(250))
        #expect(now - (now + .seconds(2)) == .seconds(-2))
        #expect(now < now + .nanoseconds(1))
    }

    @Test("milliseconds are rounded up, so that a sleep does not end before its deadline")
    func milliseconds() {
        #expect(now.milliseconds(until: now + .nanoseconds(1)) == 1)
        #expect(now.milliseconds(until: now + .milliseconds(7)) == 7)
        #expect(now.milliseconds(until: now + .microseconds(7_001)) == 8)
        #expect(now.milliseconds(until: now) == 0)
        #expect(now.milliseconds(until: now + .seconds(-5)) == 0)
    }

    @Test("an instant that is too far away is the farthest one", arguments: [Double.infinity, .nan, 1e300])
    func saturation(seconds: Double) {
        let end = now + seconds
        #expect(end > now + .seconds(3_000_000_000))
        #expect(end + .seconds(1e12) >= end)
        #expect(now.milliseconds(until: end) == .max)
        #expect((now + -.infinity) - end < .zero)
    }

    @Test("the earlier of two that may be absent")
    func earlier() {
        let later = now + .seconds(1)
        #expect(MonotonicInstant.earlier(now, later) == now)
        #expect(MonotonicInstant.earlier(later, nil) == later)
        #expect(MonotonicInstant.earlier(nil, later) == later)
        #expect(MonotonicInstant.earlier(nil, nil) == nil)
    }
}
