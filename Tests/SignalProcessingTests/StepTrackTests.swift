import Foundation
import SignalProcessing
import Testing

@Suite("Steps in the magnitude of acceleration")
struct StepTrackTests {
    /// When somebody steps who walks at `cadence` steps a second from `start` to `end`, in s.
    private func steps(cadence: Double, from start: Double, to end: Double, hertz: Double = 50) -> [Double]? {
        var track = StepTrack()
        for index in Int(start * hertz)..<Int(end * hertz) {
            let time = Double(index) / hertz
            track.add(1 + 0.3 * sin(2 * .pi * cadence * time), at: time)
        }
        return track.finish()
    }

    @Test("A long walk has each step once, those at the ends of blocks among them", arguments: [1.7, 2.0, 2.3])
    func longWalk(cadence: Double) throws {
        let found = try #require(steps(cadence: cadence, from: 100, to: 2_000))
        #expect(abs(Double(found.count) - 1_900 * cadence) <= 2)
        for (earlier, later) in zip(found, found.dropFirst()) {
            #expect(abs(later - earlier - 1 / cadence) <= 0.021, "at \(earlier)")
        }
    }

    @Test("What comes before a block changes none of its steps")
    func before() throws {
        let whole = try #require(steps(cadence: 1.9, from: 0, to: 1_500)).filter { $0 > 700 }
        let part = try #require(steps(cadence: 1.9, from: 600, to: 1_500)).filter { $0 > 700 }
        #expect(whole == part)
    }

    @Test("Steps are found on both sides of a gap, and none in samples that are too sparse")
    func gaps() throws {
        var track = StepTrack()
        for index in 0..<3_000 where !(1_000..<1_500).contains(index) {
            let time = Double(index) / 50
            track.add(1 + 0.3 * sin(4 * .pi * time), at: time)
        }
        let ended = track.finish()
        let found = try #require(ended)
        #expect((97...100).contains(found.count))
        #expect(steps(cadence: 2, from: 0, to: 100, hertz: 5) == nil)
    }
}
