import GatewayTestSupport
import SignalProcessing
import Testing

@Suite("Raw motion of people", .recorded)
struct RecordedFusionTests {
    @Test("half of the samples, at uneven distances, give nearly the same", .slow)
    func thinned() throws {
        var trial = try RawRecording.trial(RawRecording.trials[0])
        let whole = AttitudeErrors(of: trial.attitudes(magnetometer: false), in: trial)
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
        let half = AttitudeErrors(of: trial.attitudes(magnetometer: false), in: trial)
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
                case .rotationUnit: Issue.record("\(wrong) is in another unit")
                case .undecided: break
                }
            }
            #expect(named >= 45)
        }
    }

    @Test("a rotation in another unit is named", .slow, arguments: [180 / Double.pi, .pi / 180])
    func unit(factor: Double) throws {
        var recordings = try RawRecording.trials.map { try RawRecording.trial($0) }
        recordings += try (1...5).map { try RawRecording.exercises(subject: $0) }
        let found = recordings.map { recording in
            var recording = recording
            for index in recording.samples.indices { recording.samples[index].rotationRate *= factor }
            return verdict(recording)
        }
        for case .rotationUnit(let scale) in found { #expect(abs(scale * factor - 1) < 1e-9) }
        #expect(found.count { if case .rotationUnit = $0 { true } else { false } } >= 9, "\(found)")
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
