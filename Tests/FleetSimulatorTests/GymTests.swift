@testable import FleetSimulator
import Testing
import WearableFrames

@Suite("People in a gym")
struct GymTests {
    private func readings(_ device: some Sequence<SimulatedMessage>) throws -> [Reading] {
        try device.frames(.deviceMotion).flatMap { Reading.list($0, "samples") }
    }

    @Test("A lifter's watch measures away from the elbow, towards which it accelerates, as Core Motion does")
    func lifter() throws {
        let options = LifterOptions(sets: [LiftSet(start: 4, repetitions: 3)])
        let fast = try readings(Lifter(origin(), options: options)).filter {
            ($0.rotationRate * $0.rotationRate).sum() > 2
        }
        #expect(!fast.isEmpty)
        #expect(fast.map(\.userAcceleration.x).reduce(0, +) / Double(fast.count) > 0.03)
    }

    @Test("A boxer's watch measures against the push of the fist, and with the stop of the impact")
    func boxer() throws {
        let readings = try readings(Boxer(origin(), options: BoxerOptions(punches: [SimulatedPunch(impact: 3, peak: 8)])))
        func measured(at seconds: Double) throws -> Double {
            let uptime = 5_321.25 + seconds
            let nearest = readings.min { abs($0.seconds - uptime) < abs($1.seconds - uptime) }
            return try #require(nearest).userAcceleration.x
        }
        #expect(try measured(at: 2.9) < -2)
        #expect(try measured(at: 3) > 7)
    }
}
