internal import SignalProcessing
package import TelemetryModel

/// Impacts and swings from batched accelerometer and device motion (`batched-imu`), in device time.
///
/// An impact follows from the accelerometer alone. A swing needs both streams: a rotation about gravity is a candidate until
/// accelerometer samples cover it, in whichever order the two arrive, and is then decided once.
///
/// The rotation was tested on synthetic swings only: no recording holds both gravity and accelerometer data.
package struct SwingDerivation: Derivation {
    /// The settings.
    package typealias Settings = SwingSettings

    /// `swing`.
    package static let declaration = DerivationDeclaration(
        "swing", version: 1, streams: [.batchedIMU], kinds: [Impact.self, Swing.self], decidesAtEnd: true,
        "Impacts, and swings that hit or miss.")

    var finder = ImpactFinder()
    var rotation = ThresholdRunDetector()
    var impacts: [KnownImpact] = []
    var waiting: [SwingCandidate] = []
    var times = StreamTimes()
    /// The speed of the bat; nil where none is described.
    var bat: BatTrace?

    /// The keys that states have been stored under from the first version on.
    private enum CodingKeys: String, CodingKey {
        case finder, rotation, impacts, waiting, bat
        case times = "heard"
    }

    /// No data yet.
    package init() {}

    /// The batch.
    package static func input(of frame: NormalizedFrame, settings: SwingSettings) -> BatchedIMU? {
        guard case .batchedIMU(let batch) = frame.body else { return nil }
        return batch
    }

    /// Processes one frame's samples; of each half, those not later than the newest one before are ignored.
    ///
    /// The halves are merged by time, so that the result does not depend on where frames begin and end.
    package mutating func consume(_ input: BatchedIMU, settings: SwingSettings, into events: inout [DerivedEvent]) {
        let accelerometer = input.accelerometer ?? AccelerometerSamples()
        let motion = input.deviceMotion ?? MotionSamples()
        times.note(accelerometer: accelerometer.timestamp.last, motion: motion.timestamp.last)
        if !settings.hasBat { bat = nil }
        let tuning = ImpactTuning(settings)
        let judge = SwingJudge(settings)

        var taken = 0
        for index in motion.timestamp.indices {
            let time = motion.timestamp[index]
            take(accelerometer, from: &taken, through: time, tuning, judge, into: &events)
            if settings.hasBat {
                bat = bat ?? BatTrace()
                bat?.append(time: time, rate: motion.rotationRate[index], settings)
            }
            let rate = rotationAboutGravity(motion.rotationRate[index], motion.gravity[index])
            guard let ended = rotation.step(time: time, value: rate, limits: judge.limits) else { continue }
            enqueue(ended, knownAt: times.newest, settings: settings)
            decideSettled(judge, into: &events)
        }
        take(accelerometer, from: &taken, through: .infinity, tuning, judge, into: &events)
        removeUnclaimableImpacts()
    }

    private mutating func take(
        _ samples: AccelerometerSamples, from index: inout Int, through time: Double, _ tuning: ImpactTuning,
        _ judge: SwingJudge, into events: inout [DerivedEvent]
    ) {
        while index < samples.count, samples.timestamp[index] <= time {
            let peak = finder.step(
                time: samples.timestamp[index], samples.acceleration.x[index], samples.acceleration.y[index],
                samples.acceleration.z[index], tuning)
            index += 1
            if let peak { publish(peak, axis: tuning.axis, into: &events) }
            if !waiting.isEmpty { decideSettled(judge, into: &events) }
        }
    }

    private func rotationAboutGravity(_ rate: SIMD3<Double>, _ gravity: SIMD3<Double>) -> Double {
        let signal = (rate * gravity).sum()
        // Finite factors can overflow, and the stored state has to be finite; no gyroscope reaches the bound.
        return signal.isNaN ? 0 : min(max(signal, -1e6), 1e6)
    }
}
