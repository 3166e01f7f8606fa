internal import SignalProcessing
package import TelemetryModel

/// `altitude`: how high a device is, and how far it has gone up and down since the session began.
///
/// A session begins with a workout, with `resetCounts`, and else with the first sample of a boot. Rises and falls are summed from
/// extreme to extreme; a sample that cannot be true is published as a fault and not summed.
package struct AltitudeDerivation: UntimedDerivation {
    /// The input of altitudes.
    package enum Input: Sendable {
        /// Samples of the altimeter.
        case samples(AltimeterSamples)
        /// A session begins.
        case begin
        /// The workout is in this state.
        case workout(WorkoutState)
    }

    /// `altitude`.
    package static let declaration = DerivationDeclaration(
        "altitude", version: 1, streams: [.altimeter, .workout, .command], kinds: [Altitude.self],
        "Altitude, ascent and descent, from relative altitude or air pressure.")

    private struct Point: Sendable, Equatable, Codable {
        var time: Double
        var height: Double
    }

    private var track = HeightTrack()
    private var zigZag: ZigZag?
    /// The height at the start of the session.
    private var start: Double?
    /// The heights of the last 30 s, at most one a second.
    private var recent: [Point] = []
    /// The last altitude over the sea.
    private var absolute: Absolute?
    private var publishedAt: DeviceTime?
    private var workout: WorkoutState?
    /// Whether the device has sent relative altitude or pressure; until then altitude over the sea stands for it.
    private var hasRelative = false

    private struct Absolute: Sendable, Equatable, Codable {
        var time, altitude, accuracy, precision: Double
    }

    /// No sample.
    package init() {}

    /// The samples, a workout, or the command `resetCounts`.
    package static func input(of frame: NormalizedFrame, settings: AltitudeSettings) -> Input? {
        switch frame.body {
        case .altimeter(let samples): .samples(samples)
        case .workout(let change): .workout(change.state)
        case .command(.resetCounts): .begin
        default: nil
        }
    }

    /// Publishes the first altitude in each second of device time.
    package mutating func consume(_ input: Input, settings: AltitudeSettings, into events: inout [DerivedEvent]) {
        switch input {
        case .samples(let samples): consume(samples, settings, into: &events)
        case .begin: begin()
        case .workout(let state):
            defer { workout = state }
            // A workout that goes on after a pause, or that is reported again, is the same one.
            if state == .running, workout != .running, workout != .paused { begin() }
        }
    }

    private mutating func begin() {
        start = nil
        zigZag = nil
    }

    private mutating func consume(_ samples: AltimeterSamples, _ settings: AltitudeSettings, into events: inout [DerivedEvent]) {
        var samples = samples
        if !samples.timestamp.isEmpty {
            // What was measured so far is over the sea.
            if !hasRelative { track.changeSource() }
            hasRelative = true
        } else if !hasRelative, let absolute = samples.absolute {
            samples.timestamp = absolute.timestamp
            samples.relativeAltitude = absolute.altitude
            samples.pressure = nil
        }
        var next = 0
        for index in samples.timestamp.indices {
            let time = samples.timestamp[index]
            next = take(samples.absolute, from: next, until: time)
            let sample = HeightTrack.Sample(
                time: time, relativeAltitude: samples.relativeAltitude?[index], pressure: samples.pressure?[index])
            switch track.step(sample, timeConstant: settings.smoothingSeconds) {
            case .ignored: break
            case .fault:
                guard let height = recent.last?.height else { break }
                publish(height, sample, .fault, settings, into: &events)
            case .height(let height, let isNew):
                sum(height, at: time, isNew: isNew, settings)
                publish(height, sample, .valid, settings, into: &events)
            }
        }
        _ = take(samples.absolute, from: next, until: .infinity)
    }

    /// Takes the altitudes over the sea up to `time`, from number `first` on; returns the number of the next.
    private mutating func take(_ samples: AbsoluteAltitudeSamples?, from first: Int, until time: Double) -> Int {
        guard let samples else { return 0 }
        var index = first
        while index < samples.timestamp.count, samples.timestamp[index] <= time {
            if absolute.map({ $0.time < samples.timestamp[index] }) ?? true {
                absolute = Absolute(
                    time: samples.timestamp[index], altitude: samples.altitude[index], accuracy: samples.accuracy[index],
                    precision: samples.precision[index])
            }
            index += 1
        }
        return index
    }

    private mutating func sum(_ height: Double, at time: Double, isNew: Bool, _ settings: AltitudeSettings) {
        if isNew { recent = [] }
        if start == nil { start = height }
        if zigZag == nil { zigZag = ZigZag(value: height, at: time) }
        zigZag?.step(height, at: time, hysteresis: settings.hysteresisMeters, drift: weatherDrift)
        if recent.last.map({ time - $0.time >= 1 }) ?? true { recent.append(Point(time: time, height: height)) }
        while let first = recent.first, time - first.time > Self.speedSeconds + 1 { recent.removeFirst() }
    }

    private static let speedSeconds = 30.0
    private static let floorMeters = 3.0

    private mutating func publish(
        _ height: Double, _ sample: HeightTrack.Sample, _ quality: Quality, _ settings: AltitudeSettings,
        into events: inout [DerivedEvent]
    ) {
        let time = DeviceTime(sample.time)
        guard time.isDue(after: publishedAt, hertz: 1) else { return }
        publishedAt = time
        let relative = height - (start ?? height)
        let sums = zigZag?.sums(drift: weatherDrift) ?? (rise: 0, fall: 0)
        let known = absolute.flatMap { sample.time - $0.time <= settings.validSeconds ? $0 : nil }
        let speed = recent.first.flatMap { first -> Double? in
            let interval = sample.time - first.time
            return interval >= Self.speedSeconds ? (height - first.height) / interval * 60 : nil
        }
        events.append(
            DerivedEvent(
                time: time, quality: quality, validUntil: time + settings.validSeconds,
                body: Altitude(
                    relativeAltitude: relative, altitude: known?.altitude, accuracy: known?.accuracy,
                    precision: known?.precision, pressure: sample.pressure, ascent: sums.rise, descent: sums.fall,
                    verticalSpeed: quality == .valid ? speed : nil,
                    floors: Int((min(abs(relative), 1e6) / Self.floorMeters).rounded(.down)))))
    }
}
