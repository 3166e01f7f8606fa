import Foundation
import GatewayTestSupport
import SignalProcessing
import Testing

@Suite("Raw motion of people", .enabled(if: SharedData.isThere, Comment(rawValue: SharedData.comment)))
struct RecordedFusionTests {
    /// Root mean squares in degrees.
    private struct Errors {
        var inclination: Double
        /// After the mean heading is removed.
        var total: Double
    }

    private func errors(_ trial: RawRecording, magnetometer: Bool) -> Errors {
        var filter = OrientationFilter(magnetometer: magnetometer)
        var differences: [SIMD4<Double>] = []
        for sample in trial.samples {
            let motion = filter.add(
                acceleration: sample.acceleration, rotationRate: sample.rotationRate,
                magneticField: magnetometer ? sample.magneticField : nil, interval: sample.interval)
            guard let truth = sample.truth else { continue }
            differences.append(Quaternion.product(motion.attitude, Quaternion.conjugate(truth)))
        }
        let headings = differences.map { 2 * atan2($0.z, $0.w) }
        let mean = atan2(headings.map { sin($0) }.reduce(0, +), headings.map { cos($0) }.reduce(0, +))
        let back = Quaternion.rotation(by: SIMD3(0, 0, -mean))
        func rootMeanSquare(_ angles: [Double]) -> Double {
            (angles.map { $0 * $0 }.reduce(0, +) / Double(angles.count)).squareRoot() * 180 / .pi
        }
        return Errors(
            inclination: rootMeanSquare(differences.map { 2 * asin(min(($0.x * $0.x + $0.y * $0.y).squareRoot(), 1)) }),
            total: rootMeanSquare(
                differences.map { Attitude.angle(between: Quaternion.product(back, $0), and: Quaternion.identity) }))
    }

    @Test("the attitude is as right as that of the authors' program", .slow, arguments: [false, true])
    func accuracy(magnetometer: Bool) throws {
        let found = try RawRecording.trials.map { try errors(.trial($0), magnetometer: magnetometer) }
        #expect(found.allSatisfy { $0.inclination <= 0.9 }, "\(found)")
        #expect(found.map(\.inclination).reduce(0, +) / Double(found.count) <= 0.5, "\(found)")
        #expect(found.map(\.total).reduce(0, +) / Double(found.count) <= (magnetometer ? 1.4 : 1.1), "\(found)")
    }

    @Test("half of the samples, at uneven distances, give nearly the same", .slow)
    func thinned() throws {
        var trial = try RawRecording.trial(RawRecording.trials[0])
        let whole = errors(trial, magnetometer: false)
        var (kept, interval, turn) = ([RawRecording.Sample](), 0.0, SIMD3<Double>.zero)
        for (index, sample) in trial.samples.enumerated() {
            interval += sample.interval
            turn += sample.rotationRate * sample.interval
            // One, then three of the recording's distances.
            guard index % 4 == 0 || index % 4 == 1 else { continue }
            var sample = sample
            if interval > 0 { sample.rotationRate = turn / interval }
            sample.interval = interval
            kept.append(sample)
            (interval, turn) = (0, .zero)
        }
        trial.samples = kept
        let half = errors(trial, magnetometer: false)
        #expect(half.inclination < whole.inclination + 0.1 && half.total < whole.total + 0.2, "\(half) \(whole)")
    }

    private func verdict(
        _ recording: RawRecording, acceleration: SignedPermutation = .identity, rotation: SignedPermutation = .identity
    ) -> AxisAgreement.Verdict {
        var axes = AxisAgreement()
        for sample in recording.samples where axes.verdict == .undecided {
            axes.add(
                acceleration: acceleration(sample.acceleration), rotationRate: rotation(sample.rotationRate),
                interval: sample.interval)
        }
        return axes.verdict
    }

    @Test("right axes are found right", .slow)
    func rightAxes() throws {
        for trial in RawRecording.trials { #expect(try verdict(.trial(trial)) == .agrees, "\(trial)") }
        for subject in 1...5 { #expect(try verdict(.exercises(subject: subject)) == .agrees, "\(subject)") }
        for name in ["drive", "ruido"] { #expect(try verdict(.padel(name)) == .undecided, "\(name)") }
    }

    @Test("wrong axes of the rotation are named, but for two of 47 at most, and none by another's name", .slow)
    func wrongAxes() throws {
        for recording in [try RawRecording.trial(RawRecording.trials[0]), try .exercises(subject: 4)] {
            var named = 0
            for wrong in SignedPermutation.all where wrong != .identity {
                let vector = SIMD3(1.0, 2, 3)
                switch verdict(recording, rotation: wrong) {
                case .agrees: Issue.record("\(wrong) agrees")
                case .leftHanded: named += wrong == .reversed ? 1 : -47
                case .rotationRate(let right): named += right(wrong(vector)) == vector ? 1 : -47
                case .undecided: break
                }
            }
            #expect(named >= 45)
        }
    }

    @Test("of both sensors alike, mirrors are left-handed and turns are right", .slow)
    func alike() throws {
        let recording = try RawRecording.exercises(subject: 2)
        for axes in SignedPermutation.all {
            let expected = axes.determinant > 0 ? AxisAgreement.Verdict.agrees : .leftHanded
            #expect(verdict(recording, acceleration: axes, rotation: axes) == expected, "\(axes)")
        }
    }
}
