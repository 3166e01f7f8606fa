@testable import FleetSimulator
import GatewayTestSupport
import Testing
import WearableFrames

@Suite("A batter")
struct BatterTests {
    /// The swing of the talk, in a batch that runs from second 2 to second 3.
    private let pictured = Swing(start: 2.3, timeToContact: 0.25, peakRotationRate: 17, impactAcceleration: 25)

    private func batter(_ swings: [Swing], _ change: (inout BatterOptions) -> Void = { _ in }) -> Batter {
        var options = BatterOptions(swings: .listed(swings))
        change(&options)
        return Batter(origin(duration: 8), options: options)
    }

    private func acceleration(_ batter: Batter) throws -> [(seconds: Double, magnitude: Double)] {
        try batter.frames(.batchedIMU).flatMap { frame -> [(seconds: Double, magnitude: Double)] in
            let (x, y, z) = (
                frame.column("accelerometer.x"), frame.column("accelerometer.y"), frame.column("accelerometer.z")
            )
            return frame.column("accelerometer.timestamp").enumerated().map { index, seconds in
                let vector = SIMD3(x[index], y[index], z[index])
                return (seconds, (vector * vector).sum().squareRoot())
            }
        }
    }

    private func motion(_ batter: Batter) throws -> [Reading] {
        try batter.frames(.batchedIMU).flatMap { Reading.list($0, "deviceMotion") }
    }

    @Test("samples at 801.9 and 200.4 Hz, with the intervals of a real watch")
    func rates() throws {
        let times = try acceleration(batter([])).map(\.seconds)
        let span = try #require(times.last) - times[0]
        #expect(abs(Double(times.count - 1) / span - 801.92) < 0.05)
        #expect(zip(times, times.dropFirst()).allSatisfy { [1252, 1232].contains((($1 - $0) * 1e6).rounded()) })
        let motionTimes = try motion(batter([])).map(\.seconds)
        let motionSpan = try #require(motionTimes.last) - motionTimes[0]
        #expect(abs(Double(motionTimes.count - 1) / motionSpan - 200.44) < 0.02)
    }

    @Test("swings as in the talk: from the 0.3 s mark, with the impact between 0.5 and 0.6 s")
    func pictureOfTheTalk() throws {
        let batter = batter([pictured])
        let frames = try batter.frames(.batchedIMU)
        let window = try #require(frames.first { $0.column("accelerometer.timestamp").contains { $0 > 5_321.25 + 2.5 } })
        let times = window.column("accelerometer.timestamp")
        let z = window.column("accelerometer.z")
        let peak = try #require(z.indices.max { abs(z[$0]) < abs(z[$1]) })
        #expect((0.5...0.6).contains(times[peak] - 5_323.25))
        let turning = Reading.list(window, "deviceMotion").first { abs($0.alongGravity) > 1 }
        #expect((0.3...0.32).contains(try #require(turning).seconds - 5_323.25))
    }

    @Test("gives the true values of its swings, in unix and in device time")
    func truth() throws {
        let truth = batter([pictured, Swing(start: 5)]).truth(through: 10)
        #expect(truth.map(\.start) == [start + 2.3, start + 5])
        #expect(truth.map(\.startUptime) == [5_321.25 + 2.3, 5_321.25 + 5])
        #expect(truth.map(\.impact) == [start + 2.55, nil])
        #expect(abs(try #require(truth[0].impactUptime) - 5_323.8) < 1e-9)
    }

    @Test("turns between 0.8 and 7 rad along gravity until the contact, at over 8 rad/s", .slow, arguments: 0..<3)
    func rotation(seed: UInt64) throws {
        let batter = Batter(origin(duration: 40, seed: seed), options: BatterOptions(swings: .random()))
        let readings = try motion(batter)
        for swing in batter.truth(through: 40) {
            let contact = swing.startUptime + swing.swing.timeToContact
            let within = readings.filter { ($0.seconds >= swing.startUptime) && $0.seconds < contact }
            let turned = zip(within, within.dropFirst()).reduce(0) {
                $0 + ($1.0.alongGravity + $1.1.alongGravity) / 2 * ($1.1.seconds - $1.0.seconds)
            }
            #expect((0.8...7).contains(abs(turned)))
            #expect(abs(abs(turned) - swing.swing.rotationToContact) < 0.2)
            #expect(within.contains { abs($0.alongGravity) > 8 })
        }
    }

    @Test("measures over 5 G at an impact and under 5 G at any other time", .slow, arguments: 0..<3)
    func burst(seed: UInt64) throws {
        let batter = Batter(origin(duration: 40, seed: seed), options: BatterOptions(swings: .random()))
        let samples = try acceleration(batter)
        let truth = batter.truth(through: 40)
        for impact in truth.compactMap(\.impactUptime) {
            let peak = try #require(samples.filter { abs($0.seconds - impact) < 0.02 }.max { $0.magnitude < $1.magnitude })
            #expect(peak.magnitude > 5)
            #expect(abs(peak.seconds - impact) < 0.00126)
        }
        let impacts = truth.compactMap(\.impactUptime)
        let elsewhere = samples.filter { sample in !impacts.contains { abs($0 - sample.seconds) < 0.015 } }
        #expect(try #require(elsewhere.map(\.magnitude).max()) < 5)
    }

    @Test("moves without a jump between two samples, but for the impact")
    func continuity() throws {
        let samples = try acceleration(batter([Swing(start: 2), Swing(start: 4, peakRotationRate: 20)]))
        let steps = zip(samples, samples.dropFirst()).map { abs($1.magnitude - $0.magnitude) }
        #expect(try #require(steps.max()) < 0.2)
    }

    @Test("measures away from the shoulder, towards which its wrist accelerates, as Core Motion does")
    func userAcceleration() throws {
        let fast = try motion(batter([pictured])).filter { abs($0.alongGravity) > 10 }
        #expect(!fast.isEmpty && fast.allSatisfy { $0.userAcceleration.x > 0.4 })
    }

    @Test("waves an arm without ever passing 8 rad/s")
    func waving() throws {
        let readings = try motion(batter([]) { $0.waves = [ArmWave(start: 1, duration: 4, peakRotationRate: 7)] })
        let peak = try #require(readings.map { abs($0.alongGravity) }.max())
        #expect(peak > 5 && peak < 7.1)
    }

    @Test("turns as its rotation rate says, within 2 degrees a step")
    func consistency() throws {
        let readings = try motion(batter([pictured]))
        let worst = zip(readings, readings.dropFirst()).map { $0.disagreement(with: $1) }.max()
        #expect(try #require(worst) < 2)
    }

    @Test("ends a batch in the middle of an impact when asked to, and loses no sample there")
    func batchEdge() throws {
        let frames = try batter([pictured]) { $0.firstBatchEdge = 0.55 }.frames(.batchedIMU)
        let edges = frames.compactMap { $0.column("accelerometer.timestamp").first }
        #expect(edges.contains { abs($0 - 5_323.8) < 0.00126 })
        let whole = try acceleration(batter([pictured]))
        let split = try acceleration(batter([pictured]) { $0.firstBatchEdge = 0.55 })
        #expect(whole.map(\.seconds) == split.map(\.seconds))
        #expect(whole.map(\.magnitude) == split.map(\.magnitude))
    }

    @Test("sends acceleration and motion together, apart in either order, or one alone", .slow)
    func layouts() throws {
        func shape(_ layout: BatterOptions.Layout) throws -> [String] {
            try batter([]) { $0.layout = layout }.frames(.batchedIMU).prefix(4).map {
                ($0.object["accelerometer"] == nil ? "" : "a") + ($0.object["deviceMotion"] == nil ? "" : "m")
            }
        }
        #expect(try shape(.together) == ["am", "am", "am", "am"])
        #expect(try shape(.separate(motionLag: 0.1)) == ["a", "m", "a", "m"])
        #expect(try shape(.separate(motionLag: -0.1)) == ["m", "a", "m", "a"])
        #expect(try shape(.separate(motionLag: 1.5)) == ["a", "a", "m", "a"])
        #expect(try shape(.accelerometerOnly) == ["a", "a", "a", "a"])
        #expect(try shape(.deviceMotionOnly) == ["m", "m", "m", "m"])
    }

    @Test("is in a retained workout from first to last")
    func workout() throws {
        let frames = try batter([]).frames(.workout)
        #expect(frames.map { $0.string("state") } == ["running", "ended"])
        #expect(frames.allSatisfy { $0.message.retain && $0.string("activity") == "baseball" })
    }
}
