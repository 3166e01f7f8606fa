package import TelemetryModel

/// A depth at an instant.
package struct DepthPoint: Codable, Sendable, Equatable {
    /// When the depth was measured.
    package var time: DeviceTime
    /// Depth in m; finite.
    package var depth: Double

    /// Whether a diver can get from here to `next` at `maximumSpeed`. The interval is floored at
    /// `minimumIntervalSeconds`, so that noise between two samples of nearly one instant is not a speed. False on NaN.
    package func reaches(_ next: DepthPoint, settings: SubmersionSettings) -> Bool {
        abs(next.depth - depth) / max(next.time - time, settings.minimumIntervalSeconds) <= settings.maximumSpeed
    }
}

/// Decides which depths are accepted.
///
/// After a contradiction no depth is accepted until two measurements in a row agree with each other and a diver could have
/// reached them from the last accepted depth. As that depth is kept, a jump from 30 m to 0 is accepted no earlier than the
/// fastest ascent takes. `recoverySeconds` of agreeing measurements end the doubt whatever was accepted before, so that the
/// effect of a wrong first depth is limited.
///
/// A measurement may be older than the one before it. The time of the last accepted depth then stays: it would give a diver seconds
/// for an ascent that there were not.
package struct DepthTrust: Codable, Sendable, Equatable {
    /// The result for a depth.
    package enum Verdict: Sendable, Equatable {
        /// The depth is used.
        case accepted
        /// It agrees with the measurement before, but the doubt has not ended yet.
        case unconfirmed
        /// It contradicts earlier measurements, or is deeper than any water.
        case contradiction
    }

    /// Measurements since a contradiction, each of which agrees with the one before.
    fileprivate struct Run: Codable, Sendable, Equatable {
        var start: DeviceTime
        var last: DepthPoint
    }

    /// The last accepted depth; nil before the first.
    package private(set) var accepted: DepthPoint?
    /// Whether a contradiction has not been resolved yet.
    package private(set) var isInDoubt = false
    private var run: Run?
    /// Before this no diver can have come up from every depth that was measured since the last accepted one; nil where there was none.
    private var surfacing: DeviceTime?

    /// The keys that states have been stored under from the first version on.
    private enum CodingKeys: String, CodingKey {
        case isInDoubt, run, surfacing
        case accepted = "believed"
    }

    /// Judges the next depth.
    package mutating func judge(_ point: DepthPoint, settings: SubmersionSettings) -> Verdict {
        guard point.depth <= Self.deepestWater else {
            doubt()
            return .contradiction
        }
        guard isInDoubt else {
            guard canFollowAccepted(point, settings: settings) else {
                isInDoubt = true
                beginRun(with: point, settings: settings)
                return .contradiction
            }
            accept(point)
            return .accepted
        }
        return resolve(point, settings: settings)
    }

    /// Records a reading that is not a depth.
    package mutating func doubt() {
        isInDoubt = true
        run = nil
    }

    /// Records that the device is no shallower at `time` than the last accepted depth.
    package mutating func keepAccepted(until time: DeviceTime) {
        accepted = accepted.map { DepthPoint(time: notBeforeAccepted(time), depth: $0.depth) }
    }

    /// Judges an event that reports the surface: it is accepted, and the doubt ends, if a diver could have come up from every
    /// depth measured, accepted or not, and it is not older than a depth in the water.
    package mutating func judgeSurface(at time: DeviceTime, settings: SubmersionSettings) -> Verdict {
        let surface = DepthPoint(time: time, depth: 0)
        guard canFollowAccepted(surface, settings: settings), !isBeforeWater(time, settings: settings),
            surfacing.map({ $0 <= time }) ?? true
        else {
            isInDoubt = true
            return .contradiction
        }
        accept(surface)
        return .accepted
    }

    private mutating func resolve(_ point: DepthPoint, settings: SubmersionSettings) -> Verdict {
        guard let before = run else {
            beginRun(with: point, settings: settings)
            return .unconfirmed
        }
        guard before.last.reaches(point, settings: settings) else {
            beginRun(with: point, settings: settings)
            return .contradiction
        }
        guard
            canFollowAccepted(point, settings: settings) || point.time - before.start >= settings.recoverySeconds
        else {
            run?.last = point
            delaySurfacing(from: point, settings: settings)
            return .unconfirmed
        }
        accept(point)
        return .accepted
    }

    private mutating func accept(_ point: DepthPoint) {
        accepted = DepthPoint(time: notBeforeAccepted(point.time), depth: point.depth)
        isInDoubt = false
        run = nil
        surfacing = nil
    }

    private mutating func beginRun(with point: DepthPoint, settings: SubmersionSettings) {
        run = Run(start: notBeforeAccepted(point.time), last: point)
        delaySurfacing(from: point, settings: settings)
    }

    /// A diver who was as deep as `point` needs time to come up; from less than a metre none (`DepthPoint.reaches`).
    private mutating func delaySurfacing(from point: DepthPoint, settings: SubmersionSettings) {
        guard point.depth > settings.maximumSpeed * settings.minimumIntervalSeconds else { return }
        surfacing = surfacing.greatest(notBeforeAccepted(point.time) + point.depth / settings.maximumSpeed)
    }

    /// `time`, or that of the last accepted depth where it is later; a time so much later was a wrong one.
    private func notBeforeAccepted(_ time: DeviceTime) -> DeviceTime {
        guard let accepted, accepted.time - time < Self.longestStepBack else { return time }
        return max(accepted.time, time)
    }

    /// Whether the last accepted depth is in the water and later than `time`; by how much one instant may vary does not count.
    private func isBeforeWater(_ time: DeviceTime, settings: SubmersionSettings) -> Bool {
        guard let accepted, accepted.depth >= settings.enterWaterMeters else { return false }
        return notBeforeAccepted(time) - time > settings.minimumIntervalSeconds
    }

    private func canFollowAccepted(_ point: DepthPoint, settings: SubmersionSettings) -> Bool {
        accepted?.reaches(point, settings: settings) ?? true
    }

    /// In s: devices keep samples that they could not send for as long.
    private static let longestStepBack = 3_600.0
    /// The bottom of the Challenger Deep, rounded up, in m.
    private static let deepestWater = 11_000.0
}
