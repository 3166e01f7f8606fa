import Foundation
import SignalProcessing
import Testing

@Suite("Counts of an ActiGraph")
struct ActigraphyCountsTests {
    /// The counts of three minutes of a sine beside gravity.
    private func counts(_ size: Double, _ hertz: Double, rate: Double, seconds: Double = 180) -> [Double?] {
        var counts = ActigraphyCounts()
        for index in 0..<Int(seconds * rate) {
            let time = Double(index) / rate
            counts.add(time: time, size * sin(2 * .pi * hertz * time) + 0.3)
        }
        // The cell of the last sample is complete at its own time.
        counts.add(time: seconds - 1e-3, 0.3)
        return (0..<3).map { counts.counts($0) }
    }

    /// By an independent script of the published algorithm, from 30 samples a second.
    @Test(
        "Sines give the counts of the published algorithm",
        arguments: [
            (0.05, 0.75, 0, 0), (0.2, 0.75, 3_819, 3_840), (0.1, 1.5, 601, 600), (0.5, 1, 10_277, 10_320),
            (2, 0.5, 41_076, 41_460),
            (1, 4, 1_693, 1_680), (0.01, 0.75, 0, 0),
        ])
    func sines(size: Double, hertz: Double, first: Double, next: Double) throws {
        let exact = counts(size, hertz, rate: 30)
        #expect(abs(try #require(exact[0]) - first) <= max(3, 0.003 * first))
        #expect(abs(try #require(exact[1]) - next) <= 3)
        // Of another rate, the line between two samples is a little flatter than the sine.
        for rate in [25.0, 31, 50, 52, 100] {
            let other = try #require(counts(size, hertz, rate: rate)[1])
            #expect(abs(other - next) <= max(60, 0.2 * next), "\(rate) Hz: \(other)")
        }
    }

    /// The maker's own comparison (github.com/actigraph/agcounts, data): ActiLife counts 1,375 in 10 s of white noise of 1 G at 30 Hz, the mean
    /// of 240 values of which the standard error is 10.
    @Test("White noise gives as many counts as ActiLife's")
    func noise() throws {
        var counts = ActigraphyCounts()
        var seed: UInt64 = 1
        func uniform() -> Double {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (Double(seed >> 11) + 0.5) / Double(1 << 53)
        }
        for index in 0..<30 * 60 * 100 {
            counts.add(time: Double(index) / 30, (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform()))
        }
        let minutes = (0..<99).compactMap(counts.counts)
        #expect(minutes.count == 99)
        let mean = minutes.reduce(0, +) / 99 / 6
        #expect(abs(mean - 1_375) < 0.025 * 1_375, "\(mean)")
    }

    @Test("A minute of which less than half is known has no counts; a gap makes none")
    func gaps() throws {
        var counts = ActigraphyCounts()
        for index in 0..<20 * 30 { counts.add(time: Double(index) / 30, 1) }
        for index in 0..<100 * 30 { counts.add(time: 80 + Double(index) / 30, -1) }
        // Out of order and repeated samples are ignored.
        counts.add(time: 90, 50)
        counts.add(time: 179.9, 50)
        #expect(counts.counts(0) == nil)
        #expect(counts.counts(1) == 0)
        #expect(counts.counts(2) == 0)
        #expect(counts.counts(3) == nil)
    }
}
