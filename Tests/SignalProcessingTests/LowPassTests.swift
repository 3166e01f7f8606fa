import SignalProcessing
import Testing

@Suite("A low-pass filter")
struct LowPassTests {
    @Test("covers 63 % of a step in its time constant, whatever the distance of the samples", arguments: [1, 10, 100])
    func step(samples: Int) {
        var filter = LowPass(settledAt: 2)
        for _ in 0..<samples { _ = filter.step(3, interval: 4 / Double(samples), timeConstant: 4) }
        #expect(abs(filter.value - 2.632_120_558_8) < 1e-9)
    }

    @Test("filters nothing with a time constant of 0, and ignores a sample that is not later")
    func limits() {
        var filter = LowPass(settledAt: 2)
        #expect(filter.step(3, interval: 0.1, timeConstant: 0) == 3)
        #expect(filter.step(9, interval: 0, timeConstant: 0) == 3)
    }
}
