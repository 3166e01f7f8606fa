internal import Foundation
internal import SignalProcessing
package import TelemetryModel

/// `orientation`: where a device points, from attitudes in a reference frame with north.
///
/// The device's back, -z, is turned into the reference frame, whose x points north and z up. A frame without north has no azimuth,
/// and an invalid heading means that north is not known: nothing is published of either.
package struct OrientationDerivation: UntimedDerivation {
    /// `orientation`.
    package static let declaration = DerivationDeclaration(
        "orientation", version: 1, streams: [.deviceMotion], kinds: [Orientation.self, OrientationSeries.self],
        isOnByDefault: false,
        "Where the back of a device points: azimuth, elevation and roll.")

    private var newest: DeviceTime?
    private var publishedAt: DeviceTime?
    /// When the next sample of the series is due.
    private var seriesDue: DeviceTime?

    /// No sample.
    package init() {}

    /// The samples.
    package static func input(of frame: NormalizedFrame, settings: OrientationSettings) -> MotionSamples? {
        guard case .deviceMotion(let samples) = frame.body else { return nil }
        return samples
    }

    /// Publishes the first usable sample in each period of device time, and the series; samples not later than the newest before are
    /// ignored.
    package mutating func consume(
        _ samples: MotionSamples, settings: OrientationSettings, into events: inout [DerivedEvent]
    ) {
        var series = OrientationSeries()
        for index in samples.timestamp.indices {
            let time = DeviceTime(samples.timestamp[index])
            guard time.seconds.isFinite, newest.map({ $0 < time }) ?? true else { continue }
            newest = time
            let isLatest = time.isDue(after: publishedAt, hertz: settings.rateHertz)
            guard isLatest || settings.seriesHertz > 0, let orientation = Self.orientation(samples, at: index) else { continue }
            if time.joinsSeries(hertz: settings.seriesHertz, due: &seriesDue) {
                series.samples.append(.init(time: time.seconds, orientation: orientation))
            }
            guard isLatest else { continue }
            publishedAt = time
            events.append(DerivedEvent(time: time, validUntil: time + settings.validSeconds, body: orientation))
        }
        if let event = DerivedEvent(series: series) { events.append(event) }
    }

    /// The norms of valid attitudes.
    private static let acceptedNorm = 0.9...1.1
    /// The horizontal part of a direction, as part of 1, under which it has no azimuth: 0.006 degrees.
    private static let leastHorizontal = 1e-4

    private static func orientation(_ samples: MotionSamples, at index: Int) -> Orientation? {
        guard let frame = samples.referenceFrame, frame == .xMagneticNorthZVertical || frame == .xTrueNorthZVertical,
            let heading = samples.heading, heading[index] >= 0,
            let attitude = Quaternion.normalized(samples.attitude[index], ifNormIn: acceptedNorm)
        else { return nil }
        let (x, y, z, w) = (attitude.x, attitude.y, attitude.z, attitude.w)
        let (north, west) = (-2 * (x * z + w * y), -2 * (y * z - w * x))
        let up = min(max(2 * (x * x + y * y) - 1, -1), 1)
        let accuracy = samples.headingAccuracy?[index]
        return Orientation(
            azimuth: hypot(north, west) < leastHorizontal ? nil : clockwise(atan2(-west, north)), elevation: asin(up),
            roll: Attitude.angles(of: attitude).roll, accuracy: accuracy.flatMap { $0 >= 0 ? $0 : nil }, frame: frame)
    }

    /// An angle brought into 0 up to 2 pi.
    private static func clockwise(_ angle: Double) -> Double {
        let turned = angle < 0 ? angle + 2 * .pi : angle
        return turned < 2 * .pi ? turned : 0
    }
}
