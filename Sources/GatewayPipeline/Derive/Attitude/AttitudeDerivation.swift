package import TelemetryModel

/// `attitude`: the device motion of each stream that has any, for programs that draw it or compute with it.
package struct AttitudeDerivation: UntimedDerivation {
    /// The motion of one frame.
    package struct Input: Sendable {
        /// The stream.
        package var stream: StreamName
        /// The samples, at least one; not raw.
        package var samples: MotionSamples
    }

    /// What is kept of a stream.
    private struct Track: Sendable, Equatable, Codable {
        var stream: StreamName
        /// The instant of the newest sample; nil before the first.
        var newest: DeviceTime?
        /// The sample before, where its attitude is usable.
        var previous: AttitudeSample?
        var publishedAt: DeviceTime?
        /// When the next sample of the series is due.
        var seriesDue: DeviceTime?
    }

    /// `attitude`.
    package static let declaration = DerivationDeclaration(
        "attitude", version: 1, streams: [.deviceMotion, .headphoneMotion, .batchedIMU],
        kinds: [DeviceAttitude.self, AttitudeSeries.self], isOnByDefault: false,
        "The latest device motion, and that of each frame, about 110 bytes a sample.")

    /// One of each stream; nil before the first frame.
    private var tracks: [Track]?

    /// No sample.
    package init() {}

    /// The motion of a frame that has any.
    package static func input(of frame: NormalizedFrame, settings: AttitudeSettings) -> Input? {
        guard let samples = frame.body.motion, samples.count > 0 else { return nil }
        return Input(stream: frame.stream, samples: samples)
    }

    /// Publishes the first sample in each period of device time, and the series; samples not later than the newest before are ignored.
    package mutating func consume(_ input: Input, settings: AttitudeSettings, into events: inout [DerivedEvent]) {
        let (stream, samples) = (input.stream, input.samples)
        var tracks = tracks ?? []
        let place = tracks.firstIndex { $0.stream == stream } ?? tracks.endIndex
        if place == tracks.endIndex { tracks.append(Track(stream: stream)) }
        var series = AttitudeSeries(stream: stream, samples: samples)
        let restarts = samples.source.fused?.restarts ?? []
        for index in samples.timestamp.indices {
            let time = DeviceTime(samples.timestamp[index])
            guard time.seconds.isFinite, tracks[place].newest.map({ $0 < time }) ?? true else { continue }
            tracks[place].newest = time
            if settings.seriesHertz > 0 {
                let sample = AttitudeSample(samples, at: index)
                let before = restarts.contains(index) ? nil : tracks[place].previous
                tracks[place].previous = sample
                if time.joinsSeries(hertz: settings.seriesHertz, due: &tracks[place].seriesDue) {
                    let agrees = before.flatMap { sample?.agrees(with: $0) } ?? false
                    series.places.append(.init(index: index, agrees: agrees))
                }
            }
            guard time.isDue(after: tracks[place].publishedAt, hertz: settings.rateHertz) else { continue }
            tracks[place].publishedAt = time
            let latest = DeviceAttitude(samples, at: index, of: stream)
            events.append(DerivedEvent(time: time, validUntil: time + settings.validSeconds, body: latest))
        }
        self.tracks = tracks
        if let event = DerivedEvent(series: series) { events.append(event) }
    }
}
