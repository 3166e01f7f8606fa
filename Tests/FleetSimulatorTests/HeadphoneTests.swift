@testable import FleetSimulator
import Testing
import WearableFrames

@Suite("Headphones")
struct HeadphoneTests {
    private func readings(_ headphones: Headphones) throws -> [Reading] {
        try headphones.frames(.headphoneMotion).flatMap { Reading.list($0, "samples") }
    }

    @Test("sample at about 25 Hz, five samples a frame")
    func rate() throws {
        let readings = try readings(Headphones(origin()))
        let span = try #require(readings.last).seconds - readings[0].seconds
        #expect(abs(Double(readings.count - 1) / span - 25) < 0.1)
        let frames = try Headphones(origin()).frames(.headphoneMotion)
        #expect(frames.dropFirst().allSatisfy { $0.column("samples.timestamp").count == 5 })
    }

    @Test("start with an attitude that is wrong by tens of degrees, for 0.2 s")
    func wrongStart() throws {
        let honest = try readings(Headphones(origin(), options: HeadphoneOptions(bogusSeconds: 0)))
        let real = try readings(Headphones(origin()))
        for (honest, real) in zip(honest, real) {
            let error = 2 * acosDegrees(abs((honest.attitude * real.attitude).sum()))
            if real.seconds < 5_321.25 + 0.25 { #expect(error > 20) } else { #expect(real.attitude == honest.attitude) }
        }
    }

    @Test("turn as their rotation rate says, within 2 degrees a step, after the wrong start")
    func consistency() throws {
        let readings = try readings(Headphones(origin(duration: 60))).filter { $0.seconds > 5_321.25 + 0.25 }
        let worst = zip(readings, readings.dropFirst()).map { $0.disagreement(with: $1) }.max()
        #expect(try #require(worst) < 2)
        #expect(readings.contains { abs($0.rotationRate.z) > 0.5 })
    }

    @Test("measure gravity of unit length in the direction of their attitude")
    func gravity() throws {
        for reading in try readings(Headphones(origin())) {
            let q = reading.attitude
            let expected = SIMD3(
                -2 * (q.x * q.z - q.w * q.y), -2 * (q.y * q.z + q.w * q.x), -(1 - 2 * (q.x * q.x + q.y * q.y)))
            let difference = reading.gravity - expected
            #expect((difference * difference).sum() < 1e-10)
            #expect(abs((reading.gravity * reading.gravity).sum() - 1) < 1e-5)
            #expect((reading.userAcceleration * reading.userAcceleration).sum() < 0.15 * 0.15)
        }
    }

    @Test("measure away from the neck, towards which a head that turns accelerates")
    func turn() throws {
        let fast = try readings(Headphones(origin(duration: 60))).filter { ($0.rotationRate * $0.rotationRate).sum() > 0.5 }
        #expect(!fast.isEmpty)
        #expect(fast.map(\.userAcceleration.y).reduce(0, +) / Double(fast.count) > 0.003)
    }

    @Test("measure less than gravity while a head begins to go down in a push-up, and more while it is stopped")
    func pushUp() throws {
        let options = AthleteOptions(sets: [SimulatedPushUps(start: 10, repetitions: 1, period: 2)])
        let samples = try Athlete(origin(), options: options).frames(.headphoneMotion).flatMap { Reading.list($0, "samples") }
        func measured(_ seconds: Range<Double>) -> Double {
            let lengths = samples.filter { seconds.contains($0.seconds - 5_321.25) }.map { reading in
                let total = reading.gravity + reading.userAcceleration
                return (total * total).sum().squareRoot()
            }
            return lengths.reduce(0, +) / Double(lengths.count)
        }
        #expect(measured(10.1..<10.4) < 0.9)
        #expect(measured(10.5..<10.8) > 1.1)
    }

    @Test("report being taken out and put back, and send nothing in between")
    func connection() throws {
        let options = HeadphoneOptions(cues: [
            HeadphoneCue(after: 5, .takeOut), HeadphoneCue(after: 9, .putBack),
        ])
        let headphones = Headphones(origin(), options: options)
        let reports = try headphones.frames(.headphoneConnection)
        #expect(reports.map { $0.string("event") } == ["didConnect", "didDisconnect", "didConnect"])
        #expect(reports.map { $0.number("timestamp") } == [5_321.3, 5_326.25, 5_330.25])
        let times = try readings(headphones).map(\.seconds)
        #expect(!times.contains { (5_326.25..<5_330.25).contains($0) })
        #expect(times.contains { $0 > 5_330.25 })
    }

    @Test("are handed over from bud to bud without a disconnect")
    func handover() throws {
        let options = HeadphoneOptions(cues: [HeadphoneCue(after: 4.1, .handOver(to: .right))])
        let headphones = Headphones(origin(), options: options)
        for frame in try headphones.frames(.headphoneMotion) {
            let location = (frame.object["samples"] as? [String: Any])?["sensorLocation"] as? String
            let isLate = frame.column("samples.timestamp").contains { $0 >= 5_325.35 }
            #expect(location == (isLate ? "headphoneRight" : "headphoneLeft"))
        }
        #expect(try headphones.frames(.headphoneConnection).count == 1)
    }

    @Test("come online first and go offline last, both retained, with a last will in between")
    func status() throws {
        let messages = Array(Headphones(origin()))
        let first = try Frame(try #require(messages.first))
        let last = try Frame(try #require(messages.last))
        #expect(first.string("state") == "online" && first.message.retain)
        #expect(last.string("state") == "offline" && last.message.retain)
        #expect(last.message.at == start + 20)
        let will = try Frame(Headphones(origin()).lastWill)
        #expect(Set(will.object.keys) == ["schema", "boot", "state"])
    }
}
