import Foundation
@testable import SignalProcessing
import Testing

@Suite("Runs over a threshold")
struct ThresholdRunTests {
    let limits = RunLimits(threshold: 1, interruption: 0.025, hertz: 200)

    /// A quiet stretch of 0.1 s, then `values` at 200 Hz from 0.1 s on.
    private func ended(_ values: [Double], step: Double = 0.005) -> [ThresholdRunDetector.Ended] {
        var detector = ThresholdRunDetector()
        return (Array(repeating: 0.0, count: 20) + values).enumerated()
            .compactMap { detector.step(time: Double($0.offset) * step, value: $0.element, limits: limits) }
    }

    private let quiet = Array(repeating: 0.0, count: 8)

    @Test("start where the size crosses the threshold and end with the last sample over it", arguments: [1.0, -1])
    func bounds(sense: Double) throws {
        let run = try #require(ended([2, 3, 4, 2].map { $0 * sense } + quiet).first)
        #expect(run.endIsKnown && run.run.startIsKnown)
        #expect(abs(run.run.start - 0.0975) < 1e-9)
        #expect(abs(run.run.end - 0.115) < 1e-9)
        #expect(run.run.peak == SignalPeak(time: 22 * 0.005, value: 4))
        #expect(abs(run.run.integral(threshold: 1) - sense * (0.0025 * 1.5 + 0.005 * (2.5 + 3.5 + 3))) < 1e-6)
    }

    @Test("are not ended by interruptions shorter than the limit", arguments: [0.005, 0.00499, 0.00501])
    func interruptions(step: Double) {
        #expect(ended([2] + quiet.prefix(4) + [2] + quiet, step: step).count == 1)
        #expect(ended([2] + quiet.prefix(5) + [2] + quiet, step: step).count == 2)
    }

    @Test("with samples missing beside them have no known start or end")
    func gaps() throws {
        var detector = ThresholdRunDetector()
        #expect(detector.step(time: 0, value: 2, limits: limits) == nil)
        #expect(detector.step(time: 0.02, value: 2, limits: limits) == nil)
        let torn = detector.step(time: 0.06, value: 2, limits: limits)
        let cut = try #require(torn)
        #expect(!cut.run.startIsKnown && !cut.endIsKnown)
        #expect(cut.run.end == 0.02 && detector.open?.start == 0.06)
        #expect(detector.step(time: 0.05, value: 9, limits: limits) == nil)
        #expect(detector.open?.peak.value == 2)
        let last = detector.cut()
        #expect(last?.run.start == 0.06 && detector.open == nil && detector.newest == 0.06)
    }

    @Test("are cut at their greatest length, and what follows has no known start")
    func capacity() throws {
        let all = ended(Array(repeating: 2, count: ThresholdRunDetector.capacity + 10) + quiet)
        #expect(all.map(\.endIsKnown) == [false, true])
        #expect(all.map(\.run.startIsKnown) == [true, false])
        #expect(all.map(\.run.trace.count) == [ThresholdRunDetector.capacity, 15])
    }

    @Test("are approached from where the signal failed the threshold in the same sense")
    func approach() throws {
        let values = [-3, -3, -3, -3, -3, -3, -2, 2, 4, 6, 6, 6, 6] + quiet
        let run = try #require(ended(values).first).run
        let approach = try #require(run.approach(to: 0.16, within: 0.8, limits: limits))
        #expect(abs(approach.start - 0.13375) < 1e-6)
        #expect(abs(approach.integral - (0.00125 * 1.5 + 0.005 * (3 + 5 + 6 + 6 + 6))) < 1e-6)
        #expect(approach.coverage == 1)
        #expect(abs(run.start - 0.09666667) < 1e-6)
    }

    @Test("are approached over no more than the reach, and not at all once the signal has failed")
    func approachLimits() throws {
        let run = try #require(ended(Array(repeating: 5, count: 100) + quiet).first).run
        #expect(abs(try #require(run.approach(to: 0.5, within: 0.2, limits: limits)).start - 0.3) < 0.0051)
        #expect(run.approach(to: run.end + 0.02, within: 0.2, limits: limits) != nil)
        #expect(run.approach(to: run.end + 0.03, within: 0.2, limits: limits) == nil)
        #expect(run.approach(to: 0, within: 0.2, limits: limits) == nil)
    }

    @Test("without a seen start are approached only when the reach ends inside them")
    func unseenStart() {
        var detector = ThresholdRunDetector()
        for index in 0..<100 { _ = detector.step(time: Double(index) * 0.005, value: 5, limits: limits) }
        #expect(detector.open?.approach(to: 0.3, within: 0.8, limits: limits) == nil)
        #expect(detector.open?.approach(to: 0.3, within: 0.2, limits: limits) != nil)
    }
}
