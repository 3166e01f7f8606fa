import FleetSimulator
import Foundation
import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

/// Punches of simulated boxers at the rates and strengths of people, and false ones of people. `make truth` prints the figures.
@Suite("Truth: punches", .slow)
struct PunchTruthTests {
    private func punches(_ samples: MotionSamples, _ settings: PunchSettings, boxing: Bool) throws -> [Punch] {
        var inputs = samples.frames(of: 50).map { PunchDerivation.Input.motion($0) }
        let start = samples.timestamp.first ?? 0
        if boxing {
            inputs.insert(.workout(WorkoutChange(state: .running, activity: "boxing", time: DeviceTime(start - 1))), at: 0)
        }
        return try PunchDerivation.run(inputs, settings).compactMap { $0.body as? Punch }
    }

    @Test("simulated boxers, strong and weak, sharp and smoothed")
    func simulated() throws {
        for (name, hertz, strengths) in [
            ("20 Hz, smoothed", 20.0, 0.25...1.3), ("20 Hz, jabs only", 20, 0.3...0.6), ("100 Hz", 100, 0.25...1.3),
            ("100 Hz, jabs only", 100, 0.1...0.25),
        ] as [(String, Double, ClosedRange<Double>)] {
            for isAlways in [false, true] where !(isAlways && name.contains("jabs")) {
                var (right, found, thrown, seconds) = (0, 0, 0, 0.0)
                for seed in 201...220 {
                    let boxer = NoisyBoxer(seed: UInt64(seed), strengths: strengths, othersShare: 0)
                    let samples = boxer.samples(hertz: hertz)
                    let settings = PunchSettings.with { $0.always = isAlways }
                    let punches = try punches(samples, settings, boxing: !isAlways)
                    right += boxer.matches(punches.map(\.impactAt.seconds), within: 0.1).count { $0 }
                    (found, thrown) = (found + punches.count, thrown + boxer.truth.count)
                    seconds += boxer.seconds
                }
                // Without a workout a weak boxer's first punches do not show that there is boxing.
                let least = isAlways ? 0.8 : 0.85
                let score = 2 * Double(right) / Double(found + thrown)
                Truth.row(
                    "punch", data: "simulated boxers, \(name)\(isAlways ? ", with always" : "")", people: nil,
                    hours: seconds / 3_600,
                    "F1 of \(thrown) punches", Truth.number(score), goal: ">= \(least)")
                #expect(score >= least, "\(name) \(right) \(found) \(thrown)")
            }
        }
        Truth.row("punch", data: "people who box", "F1 of each", "no data here", goal: ">= 0.85")
    }

    @Test("False ones of daily life", .recorded)
    func others() throws {
        func row(_ data: String, people: Int? = nil, _ recordings: [[(time: Double, acceleration: SIMD3<Double>)]], most: Double?)
            throws
        {
            var (hours, always, byDefault) = (0.0, 0, 0)
            for recording in recordings where recording.count > 40 {
                let samples = MotionSamples.accelerationOnly(recording)
                hours += ((samples.timestamp.last ?? 0) - (samples.timestamp.first ?? 0)) / 3_600
                always += try punches(samples, .with { $0.always = true }, boxing: false).count
                byDefault += try punches(samples, PunchSettings(), boxing: false).count
            }
            Truth.row(
                "punch", data: data, people: people, hours: hours, "false punches an hour, with always",
                Truth.number(Double(always) / hours, 0), goal: most.map { "<= \(Truth.number($0, 0))" } ?? "")
            #expect(byDefault == 0)
            if let most { #expect(Double(always) / hours <= most, "\(data)") }
        }
        for name in ["walk", "brush_teeth", "comb_hair", "drink_glass", "pour_water"] {
            var trials: [Double: [(time: Double, acceleration: SIMD3<Double>)]] = [:]
            for row in try SharedData.gzippedRows("people/hmp/\(name).csv.gz") where row.count >= 5 {
                guard let trial = row[0], let time = row[1], let x = row[2], let y = row[3], let z = row[4] else { continue }
                trials[trial, default: []].append((time, SIMD3(x, y, z)))
            }
            try row("hmp \(name)", people: 16, trials.keys.sorted().compactMap { trials[$0] }, most: 5)
        }
        try row(
            "recorded walks, phone in pockets and elsewhere", people: 2, SharedData.walks.map(SharedData.acceleration), most: nil)
    }
}
