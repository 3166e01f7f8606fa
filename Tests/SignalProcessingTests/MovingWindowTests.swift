@testable import SignalProcessing
import Testing

@Suite("A moving window")
struct MovingWindowTests {
    private func window(_ values: [Double], hertz: Double, seconds: Double = 1, start: Double = 7) -> MovingWindow {
        var window = MovingWindow()
        for (index, value) in values.enumerated() {
            window.append(time: start + Double(index) / hertz, value: value, seconds: seconds)
        }
        return window
    }

    @Test("is full at the sample with which the intervals make its length", arguments: [20.0, 25, 50.1, 100, 200])
    func fills(hertz: Double) {
        let needed = Int(hertz.rounded())
        #expect(!window(Array(repeating: 1, count: needed - 1), hertz: hertz).fills(1))
        #expect(window(Array(repeating: 1, count: needed), hertz: hertz).fills(1))
        let long = window(Array(repeating: 1, count: 10 * needed), hertz: hertz)
        #expect(long.count == needed)
        #expect(abs(long.duration - 1) <= 0.5 / hertz)
    }

    @Test("says when a sample over a limit was, of either sign")
    func newestOver() {
        let window = window([0, 5, -6, 2], hertz: 10)
        #expect(window.newest(over: 5) == 7.2)
        #expect(window.newest(over: 4.9) == 7.2)
        #expect(window.newest(over: 1) == 7.3)
        #expect(window.newest(over: 6) == nil)
        #expect(window.isNewest(over: 1) && !window.isNewest(over: 2))
        #expect(MovingWindow().newest(over: 0) == nil && !MovingWindow().isNewest(over: 0))
    }

    @Test("integrates even samples as their sum times the interval")
    func integral() {
        let values = (0..<50).map { Double($0 * $0 % 17) }
        #expect(abs(window(values, hertz: 50).integral - values.reduce(0, +) / 50) < 1e-9)
        #expect(abs(window([9, 9, 9] + values, hertz: 50).integral - values.reduce(0, +) / 50) < 1e-9)
        #expect(abs(window(Array(repeating: -3, count: 999), hertz: 128).integral + 3) < 0.02)
    }

    @Test("takes missing samples for the mean of the others")
    func missing() {
        var window = MovingWindow()
        for index in 0..<100 where !index.isMultiple(of: 7) {
            window.append(time: Double(index) / 50, value: 2, seconds: 1)
        }
        #expect(abs(window.integral - 2) < 0.05)
        #expect(abs(window.duration - 1) < 0.03)
    }

    @Test("returns the mean of its newest part, or nil where there is too little")
    func mean() {
        let values = Array(repeating: 4.0, count: 25) + Array(repeating: 1, count: 25)
        #expect(window(values, hertz: 50).mean(newest: 0.5) == 1)
        #expect(window(values, hertz: 50).mean(newest: 1) == 2.5)
        #expect(window(Array(repeating: 4, count: 24), hertz: 50).mean(newest: 0.5) == nil)
        #expect(window(Array(repeating: 4, count: 25), hertz: 50).mean(newest: 0.5) == 4)
        #expect(window([1], hertz: 50).mean(newest: 0.01) == nil)
    }

    @Test("has its greatest and least sample, the first of equals")
    func peaks() {
        let held = window([9, 1, 5, -2, 5, -2, 0], hertz: 10, seconds: 0.6, start: 0)
        #expect(held.greatest == SignalPeak(time: 0.2, value: 5))
        #expect(held.least == SignalPeak(time: 0.3, value: -2))
        #expect(held.start == 0.1)
    }

    @Test("is empty at first and when emptied")
    func empty() {
        var emptied = window([1, 2, 3], hertz: 50)
        emptied.removeAll()
        #expect(emptied == MovingWindow())
        #expect(emptied.integral == 0 && emptied.duration == 0 && !emptied.fills(0))
        #expect(emptied.greatest == nil && emptied.least == nil && emptied.start == nil && emptied.meanInterval == nil)
        #expect(emptied.mean(newest: 0) == nil)
    }
}
