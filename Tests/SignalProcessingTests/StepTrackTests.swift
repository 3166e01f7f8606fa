import Foundation
import GatewayTestSupport
import SignalProcessing
import Testing

@Suite("Steps in acceleration")
struct StepTrackTests {
    /// When somebody steps whose acceleration at each time in s is `acceleration`, from `start` to `end`.
    private func steps(
        from start: Double = 0, to end: Double, hertz: Double = 50, _ acceleration: (Double) -> SIMD3<Double>
    ) -> [Double]? {
        var track = StepTrack()
        for index in Int(start * hertz)..<Int(end * hertz) {
            let time = Double(index) / hertz
            track.add(acceleration(time), at: time)
        }
        return track.finish()?.map(\.time)
    }

    /// The acceleration of somebody who walks at `cadence` steps a second.
    private func walk(_ cadence: Double, _ size: Double = 0.3) -> (Double) -> SIMD3<Double> {
        { time in
            let wave = sin(2 * .pi * cadence * time)
            return SIMD3(0, 0, -1 - size * wave)
        }
    }

    @Test("A long walk has each step once, those at the ends of blocks among them", arguments: [1.7, 2.0, 2.3])
    func longWalk(cadence: Double) throws {
        let found = try #require(steps(from: 100, to: 2_000, walk(cadence)))
        #expect(abs(Double(found.count) - 1_900 * cadence) <= 2)
        for (earlier, later) in zip(found, found.dropFirst()) {
            #expect(abs(later - earlier - 1 / cadence) <= 0.021, "at \(earlier)")
        }
    }

    @Test("Steps are counted at each rate", arguments: [9.8, 10.0, 12.5, 20, 25, 32, 50, 100])
    func rates(hertz: Double) throws {
        for cadence in [1.2, 1.8, 2.6] {
            let found = try #require(steps(to: 120, hertz: hertz, walk(cadence)))
            #expect(abs(Double(found.count) - 120 * cadence) <= 3, "\(cadence)")
        }
    }

    @Test("What comes before a block changes none of its steps")
    func before() throws {
        let whole = try #require(steps(to: 1_500, walk(1.9))).filter { $0 > 700 }
        let part = try #require(steps(from: 600, to: 1_500, walk(1.9))).filter { $0 > 700 }
        #expect(whole == part)
    }

    @Test("Steps are found on both sides of a gap, and none in samples that are too sparse")
    func gaps() throws {
        let walk = walk(2)
        var track = StepTrack()
        for index in 0..<3_000 where !(1_000..<1_500).contains(index) {
            let time = Double(index) / 50
            track.add(walk(time), at: time)
        }
        let ended = track.finish()
        let found = try #require(ended)
        #expect((97...100).contains(found.count))
        #expect(steps(to: 100, hertz: 5, walk) == nil)
    }

    @Test("Two steps, and those of less than 50 mG, are none")
    func few() throws {
        func found(_ seconds: Double, _ size: Double) -> Int {
            let walk = walk(2, size)
            return steps(to: 120) { (40..<40 + seconds).contains($0) ? walk($0) : SIMD3(0, 0, -1) }?.count ?? -1
        }
        #expect(found(1.2, 0.3) == 0)
        #expect(abs(found(30, 0.3) - 60) <= 6)
        #expect(found(30, 0.06) == 0)
    }

    @Test("Brushing, combing and single movements are no steps")
    func handWork() throws {
        // 0.5 G at 5.5 Hz along the forearm.
        let brushing = steps(to: 120) { time in
            let (stroke, sway) = (sin(11 * .pi * time), sin(3 * time))
            return SIMD3(0.5 * stroke, 0.2 * sway, -1)
        }
        #expect(brushing == [])
        var random = SeededGenerator(seed: 3)
        let phases = (0..<9).map { _ in Double.random(in: 0..<6.28, using: &random) }
        // Each axis moves in a way of its own, which turns the direction more than it changes the magnitude.
        let combing = steps(to: 120) { time in
            let axes = (0..<3).map { axis in
                (0..<3).reduce(0) { sum, part in
                    let circular = 2 * Double.pi * (0.9 + 0.37 * Double(part) + 0.11 * Double(axis))
                    return sum + 0.25 * sin(circular * time + phases[3 * axis + part])
                }
            }
            return SIMD3(axes[0], axes[1], axes[2] - 1)
        }
        #expect(combing == [])
        var impulses: [Double] = []
        while (impulses.last ?? 0) < 120 { impulses.append((impulses.last ?? 0) + Double.random(in: 0.4...3, using: &random)) }
        let single = steps(to: 120) { time in
            let near = impulses.contains { abs($0 - time) < 0.1 }
            return SIMD3(0, 0, near ? -1.4 : -1)
        }
        #expect((single?.count ?? -1) <= 12)
    }

    @Test("Numbers that are not finite give no steps")
    func hostile() {
        let found = steps(to: 60) { time in SIMD3(time.rounded() == 20 ? .nan : 1e300, 0, -1) }
        #expect(found?.isEmpty != false)
    }
}
