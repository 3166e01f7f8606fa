package import TelemetryModel

/// A depth at an instant.
package struct DepthPoint: Codable, Sendable, Equatable {
    /// When.
    package var time: DeviceTime
    /// Depth in m; finite.
    package var depth: Double

    /// `depth` metres at `time`.
    package init(time: DeviceTime, depth: Double) {
        self.time = time
        self.depth = depth
    }

    /// Whether a diver can get from here to `next` at `maximumSpeed`. The interval is floored at
    /// `minimumIntervalSeconds`, so that noise between two samples of nearly one instant is not a speed. False on NaN.
    package func reaches(_ next: DepthPoint, settings: SubmersionSettings) -> Bool {
        abs(next.depth - depth) / max(next.time - time, settings.minimumIntervalSeconds) <= settings.maximumSpeed
    }
}

/// Which depths are believed.
///
/// After a contradiction nothing is believed until two measurements in a row agree with each other and a diver can have
/// come there from the last depth believed. Because that depth stays where it was, a sensor that jumps from 30 m to 0
/// is believed no sooner than the fastest ascent would have brought it there. `recoverySeconds` of measurements that
/// all agree end the doubt whatever was believed before, so that one wrong first depth does not last for ever.
package struct DepthTrust: Codable, Sendable, Equatable {
    /// What is to be made of a depth.
    package enum Verdict: Sendable, Equatable {
        /// True as far as can be known.
        case accepted
        /// Not against the measurement before it, but trust is not restored yet.
        case unconfirmed
        /// Against what was measured before, or deeper than any water.
        case contradiction
    }

    /// Measurements since a contradiction, each of which agrees with the one before.
    private struct Run: Codable, Sendable, Equatable {
        var start: DeviceTime
        var last: DepthPoint
    }

    /// The last depth believed; nil before the first.
    package private(set) var accepted: DepthPoint?
    /// Whether a contradiction has not been resolved yet.
    package private(set) var isInDoubt = false
    private var run: Run?

    /// The keys that states have been stored under from the first version on.
    private enum CodingKeys: String, CodingKey {
        case isInDoubt, run
        case accepted = "believed"
    }

    /// Nothing measured yet: the first possible depth is believed.
    package init() {}

    /// Judges the next depth.
    package mutating func judge(_ point: DepthPoint, settings: SubmersionSettings) -> Verdict {
        guard point.depth <= Self.deepestWater else {
            doubt()
            return .contradiction
        }
        guard isInDoubt else {
            guard canFollowAccepted(point, settings: settings) else {
                isInDoubt = true
                run = Run(start: point.time, last: point)
                return .contradiction
            }
            accepted = point
            return .accepted
        }
        return resolve(point, settings: settings)
    }

    /// Takes note of a reading that is no depth.
    package mutating func doubt() {
        isInDoubt = true
        run = nil
    }

    /// Takes note that the device is no shallower at `time` than it was last believed to be.
    package mutating func keepAccepted(until time: DeviceTime) { accepted?.time = time }

    /// Judges an event that reports the surface: it is believed, and all doubt ends, if a diver can have come up
    /// from all that was measured, whether that was believed or not.
    package mutating func judgeSurface(at time: DeviceTime, settings: SubmersionSettings) -> Verdict {
        let surface = DepthPoint(time: time, depth: 0)
        guard canFollowAccepted(surface, settings: settings), run?.last.reaches(surface, settings: settings) ?? true else {
            isInDoubt = true
            return .contradiction
        }
        accept(surface)
        return .accepted
    }

    private mutating func resolve(_ point: DepthPoint, settings: SubmersionSettings) -> Verdict {
        guard let before = run else {
            run = Run(start: point.time, last: point)
            return .unconfirmed
        }
        guard before.last.reaches(point, settings: settings) else {
            run = Run(start: point.time, last: point)
            return .contradiction
        }
        guard
            canFollowAccepted(point, settings: settings) || point.time - before.start >= settings.recoverySeconds
        else {
            run?.last = point
            return .unconfirmed
        }
        accept(point)
        return .accepted
    }

    private mutating func accept(_ point: DepthPoint) {
        accepted = point
        isInDoubt = false
        run = nil
    }

    private func canFollowAccepted(_ point: DepthPoint, settings: SubmersionSettings) -> Bool {
        accepted?.reaches(point, settings: settings) ?? true
    }

    /// The bottom of the Challenger Deep, rounded up, in m.
    private static let deepestWater = 11_000.0
}
