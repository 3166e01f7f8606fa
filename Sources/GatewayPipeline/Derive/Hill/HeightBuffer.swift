internal import SignalProcessing
import TelemetryModel

/// The latest heights of a device, by which the ends of segments and steps of distance get one.
struct HeightBuffer: Sendable, Equatable, Codable {
    /// One height.
    struct Point: Sendable, Equatable, Codable {
        /// Device time in s.
        var time: Double
        /// In m, low-passed as altitudes are.
        var height: Double
        /// In m, low-passed for grades.
        var smooth: Double
    }

    private static let capacity = 256
    /// Two heights a second are closer than an altimeter measures.
    private static let leastInterval = 0.5
    /// The time constant for grades in s.
    private static let gradeSmoothingSeconds = 5.0
    /// How far a height may lie from the instant that it is used for, in s, and how far apart two may be between which it lies.
    private static let (reach, gap) = (10.0, 30.0)

    private var track = HeightTrack()
    private var smooth: LowPass?
    private var newest: Double?
    private(set) var points: [Point] = []

    /// Adds the samples of a frame.
    mutating func append(_ samples: AltimeterSamples, timeConstant: Double) {
        for index in samples.timestamp.indices {
            let time = samples.timestamp[index]
            let sample = HeightTrack.Sample(
                time: time, relativeAltitude: samples.relativeAltitude?[index], pressure: samples.pressure?[index])
            guard case .height(let height, let isNew) = track.step(sample, timeConstant: timeConstant),
                let measured = track.height
            else { continue }
            if isNew { smooth = LowPass(settledAt: measured) }
            let interval = newest.map { time - $0 } ?? 0
            let smoothed = smooth?.step(measured, interval: interval, timeConstant: Self.gradeSmoothingSeconds) ?? measured
            newest = time
            if let last = points.last, time - last.time < Self.leastInterval { continue }
            points.append(Point(time: time, height: height, smooth: smoothed))
            if points.count > Self.capacity { points.removeFirst() }
        }
    }

    /// Drops the heights of more than a minute before `time`.
    mutating func drop(before time: Double) {
        let kept = points.firstIndex { $0.time >= time - 60 } ?? points.endIndex
        if kept > 0 { points.removeFirst(kept) }
    }

    /// The height at an instant, between the two around it; nil where none is near.
    func point(at time: Double) -> Point? {
        guard let after = points.firstIndex(where: { $0.time >= time }) else {
            return points.last.flatMap { time - $0.time <= Self.reach ? $0 : nil }
        }
        let next = points[after]
        guard after > 0, next.time - points[after - 1].time <= Self.gap else {
            if next.time - time <= Self.reach { return next }
            guard after > 0 else { return nil }
            return time - points[after - 1].time <= Self.reach ? points[after - 1] : nil
        }
        let before = points[after - 1]
        let share = (time - before.time) / (next.time - before.time)
        return Point(
            time: time, height: before.height + share * (next.height - before.height),
            smooth: before.smooth + share * (next.smooth - before.smooth))
    }
}
