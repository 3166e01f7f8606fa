import SignalProcessing
package import TelemetryModel

/// `head-pose`: where a head points, relative to where it pointed when it was first calm.
///
/// Real streams begin with up to 0.25 s of wrong attitudes on a still head. Therefore a reference is taken only at the end of a
/// calm time in which every attitude follows from the one before and the rotation between them. After a silence the reference is
/// kept, but the first sample cannot be compared with an earlier one: poses are held back until two samples in a row, both after
/// the silence, agree. A dropout shorter than the silence limit holds nothing back, nor does a disagreeing step without a
/// silence: they only restart the calm time.
package struct HeadPoseDerivation: UntimedDerivation {
    /// The input of a head pose; each case may be ahead of or behind the others in device time.
    package enum Input: Sendable {
        /// Motion of the headphones. Samples not later than those before, and those without a usable attitude, are ignored.
        case samples(MotionSamples)
        /// A disconnect clears the reference; a connect changes nothing.
        case connection(HeadphoneConnectionEvent)
        /// `resetHeadPose`, given at this time.
        case reset(DeviceTime)
    }

    /// `headPose`.
    package static let declaration = DerivationDeclaration(
        "headPose", version: 1, streams: [.headphoneMotion, .headphoneConnection, .command],
        kinds: [HeadPose.self, HeadPoseSeries.self],
        "Where a head points, relative to where it pointed when it was first calm.")

    /// An attitude step that differs from the predicted one by more than this, 20 degrees in rad, is a change of frame.
    private static let frameChange = 20 * Double.pi / 180

    private var previous: AttitudeSample?
    private var reference = ReferencePose()
    private var isHeld = false
    private var publishedAt: DeviceTime?
    /// When the next sample of the series is due.
    private var seriesDue: DeviceTime?
    /// The frame that the attitudes are relative to; nil where no frame has stated one.
    private var referenceFrame: ReferenceFrame?
    /// Whether the gateway has fused the latest samples.
    private var isFused = false

    /// No sample, no reference.
    package init() {}

    /// Publishes the first sample at or after each multiple of the period of device time, and the series, as far as poses are known.
    package mutating func consume(_ input: Input, settings: HeadPoseSettings, into events: inout [DerivedEvent]) {
        switch input {
        case .samples(let samples):
            if let stated = samples.referenceFrame {
                if let referenceFrame, referenceFrame != stated { reference.void() }
                referenceFrame = stated
            }
            let restarts = samples.source.fused?.restarts ?? []
            if isFused != samples.source.isFused { reference.void() }
            isFused = samples.source.isFused
            var series = HeadPoseSeries()
            for index in 0..<samples.count {
                // The heading is another one after a gap in raw motion.
                if restarts.contains(index) { reference.void() }
                guard let sample = AttitudeSample(samples, at: index), let agrees = follow(sample, settings: settings),
                    !isHeld, let origin = reference.sample
                else { continue }
                let isLatest = sample.time.isDue(after: publishedAt, hertz: settings.rateHertz)
                let isInSeries = sample.time.joinsSeries(hertz: settings.seriesHertz, due: &seriesDue)
                guard isLatest || isInSeries else { continue }
                let pose = Self.pose(sample, relativeTo: origin, in: samples.location(at: index))
                if isInSeries { series.samples.append(.init(time: sample.time.seconds, pose: pose, agrees: agrees)) }
                guard isLatest else { continue }
                publishedAt = sample.time
                events.append(
                    DerivedEvent(time: sample.time, validUntil: sample.time + settings.validSeconds, body: pose))
            }
            if let event = DerivedEvent(series: series) { events.append(event) }
        case .connection(let connection):
            if connection.event == .didDisconnect { reference.disconnect(at: connection.time) }
        case .reset(let time):
            reference.reset(at: time, settings: settings)
        }
    }

    /// The samples, a report of the headphones, or the command `resetHeadPose`.
    package static func input(of frame: NormalizedFrame, settings: HeadPoseSettings) -> Input? {
        switch frame.body {
        case .headphoneMotion(let samples): .samples(samples)
        case .headphoneConnection(let event): .connection(event)
        case .command(.resetHeadPose): .reset(frame.header.uptime)
        default: nil
        }
    }

    /// Adds `sample` to the state, and returns whether it agrees with the one before; nil when it is not later than that.
    private mutating func follow(_ sample: AttitudeSample, settings: HeadPoseSettings) -> Bool? {
        var agrees = false
        if let previous {
            guard previous.time < sample.time else { return nil }
            let deviation = sample.deviation(from: previous)
            agrees = AttitudeSample.agrees(deviation)
            // An app that restarts its updates may do so in another frame without stating it.
            if let deviation, deviation > Self.frameChange { reference.void() }
            if previous.time + settings.silenceSeconds < sample.time {
                isHeld = true
            } else if agrees {
                isHeld = false
            }
        }
        reference.take(sample, continues: agrees, settings: settings)
        previous = sample
        return agrees
    }

    private static func pose(
        _ sample: AttitudeSample, relativeTo origin: AttitudeSample, in location: SensorLocation
    ) -> HeadPose {
        let attitude = Attitude.relative(sample.attitude, to: origin.attitude)
        let angles = Attitude.angles(of: attitude)
        return HeadPose(
            attitude: attitude, roll: angles.roll, pitch: angles.pitch, yaw: angles.yaw, sensorLocation: location,
            referenceAt: origin.time)
    }
}
