@testable import FleetSimulator
import Testing
import WearableFrames

@Suite("A diver")
struct DiverTests {
    private func measurements(_ diver: Diver) throws -> [[String: Any]] {
        try diver.frames(.submersion).flatMap { $0.objects("measurements") }
    }

    private func value(_ object: [String: Any], _ key: String) -> Double? {
        (object[key] as? [String: Any])?["value"] as? Double
    }

    @Test("goes down to 7 m and comes up at no more than 1 m/s")
    func profile() throws {
        let profile = DepthProfile.sevenMeters
        let depths = stride(from: 0, through: 30, by: 0.1).map(profile.depth)
        #expect(depths.max() == 7)
        #expect(zip(depths, depths.dropFirst()).allSatisfy { $0 - $1 <= 0.1 + 1e-9 })
        let measured = try measurements(Diver(origin(duration: 30))).compactMap { value($0, "depth") }
        #expect(abs(try #require(measured.max()) - 7) <= 0.02)
    }

    @Test("measures three times a second under water and seldom at the surface")
    func rates() throws {
        let times = try measurements(Diver(origin(duration: 40))).compactMap { $0["timestamp"] as? Double }
        #expect(times.filter { (5_324.25..<5_344.25).contains($0) }.count == 60)
        #expect((2...4).contains(times.filter { $0 > 5_347.25 }.count))
    }

    @Test("reports being in the water and out of it, and its state at the start")
    func events() throws {
        let events = try Diver(origin(duration: 40)).frames(.submersion).flatMap { $0.objects("events") }
        #expect(events.map { $0["state"] as? String } == ["notSubmerged", "submerged", "notSubmerged"])
    }

    @Test("passes every depth state of a limit of 6 m, and withholds the depth where it cannot be measured")
    func states() throws {
        let measurements = try measurements(Diver(origin(duration: 40), options: .shallow))
        var states: [String] = []
        for measurement in measurements {
            let state = try #require(measurement["submersionState"] as? String)
            if states.last != state { states.append(state) }
            let isMeasured = state != "notSubmerged" && state != "sensorDepthError"
            #expect((measurement["depth"] != nil) == isMeasured)
            #expect((measurement["pressure"] != nil) == isMeasured)
            #expect(value(measurement, "surfacePressure") == 101.3)
        }
        let down = ["notSubmerged", "submergedShallow", "submergedDeep", "approachingMaxDepth", "pastMaxDepth"]
        #expect(states == down + ["sensorDepthError"] + down.reversed())
    }

    @Test("measures the pressure of sea water at its depth")
    func pressure() throws {
        for measurement in try measurements(Diver(origin(duration: 30))) {
            guard let depth = value(measurement, "depth"), let pressure = value(measurement, "pressure") else { continue }
            #expect(abs((pressure - 101.3) * 1000 / (1025 * 9.80665) - depth) < 0.006)
        }
    }

    @Test("measures the water's temperature to within 3 C at first and 0.2 C after some seconds")
    func temperature() throws {
        let temperatures = try Diver(origin(duration: 20)).frames(.submersion).flatMap { $0.objects("temperatures") }
        let uncertainties = temperatures.compactMap { value($0, "temperatureUncertainty") }
        #expect(uncertainties.first == 3)
        #expect(uncertainties.last == 0.2)
        #expect(zip(uncertainties, uncertainties.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(zip(temperatures, uncertainties).allSatisfy { abs((value($0, "temperature") ?? .nan) - 17.8) < 2 * $1 })
    }

    @Test("gathers up to three measurements in a frame")
    func batches() throws {
        let options = DiverOptions(measurementsPerFrame: 3)
        let frames = try Diver(origin(duration: 20), options: options).frames(.submersion)
        #expect(frames.filter { $0.objects("measurements").count == 3 }.count > 12)
        #expect(try measurements(Diver(origin(), options: options)).count >= measurements(Diver(origin())).count - 2)
    }

    @Test("sends nothing during configured silences")
    func silence() throws {
        let frames = try Diver(origin(), options: DiverOptions(silences: [8..<15])).frames(.submersion)
        #expect(!frames.contains { (start + 8..<start + 15).contains($0.message.at) })
    }
}
