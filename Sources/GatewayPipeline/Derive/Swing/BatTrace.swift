internal import Foundation
import TelemetryModel

/// How fast a point of a bat moves, by the rotation of the wrist that holds it.
struct BatSpeed: Sendable, Equatable {
    /// The greatest speed of the point in the 50 ms before the impact, or at the peak of a miss, in m/s.
    var greatest: Double?
    /// Its speed at the impact in m/s; nil on a miss.
    var atContact: Double?
    /// Whether the gyroscope was at its limit in the swing.
    var saturated: Bool
}

/// The speed of a point of the bat over the last seconds.
///
/// v = |w x R| with R = (arm + lever cos g, lever sin g, 0): x lies along the forearm, and g is the angle of the bat to it. A watch
/// whose crown is on the left turns x and y, which changes the sign of R and so nothing.
struct BatTrace: Sendable, Equatable, Codable {
    /// 5 s: the longest swing and its wait for the other stream.
    private static let seconds = 5.0
    /// Samples that are kept at the most.
    private static let capacity = 1_200
    /// The time before an impact in which the greatest speed is looked for, in s.
    private static let before = 0.05
    /// The limit of the gyroscope: 2,000 degrees a second, in rad/s.
    private static let limit = 34.8

    private var times: [Double] = []
    private var speeds: [Double] = []
    private var rates: [Double] = []

    /// Adds a sample: its time in s and the rotation rate in rad/s; one that is not later than those before is ignored.
    mutating func append(time: Double, rate: SIMD3<Double>, _ settings: SwingSettings) {
        let rate = rate.clamped(lowerBound: SIMD3(repeating: -1e6), upperBound: SIMD3(repeating: 1e6))
        guard time > times.last ?? -.infinity, time.isFinite, rate.sum().isFinite else { return }
        times.append(time)
        speeds.append(Self.speed(rate, settings))
        rates.append(max(abs(rate.x), abs(rate.y), abs(rate.z)))
        guard times.count % 128 == 0 else { return }
        let first = max(times.firstIndex { $0 >= time - Self.seconds } ?? 0, times.count - Self.capacity)
        times.removeFirst(first)
        speeds.removeFirst(first)
        rates.removeFirst(first)
    }

    /// The speed of the point at a rotation rate, in m/s.
    static func speed(_ rate: SIMD3<Double>, _ settings: SwingSettings) -> Double {
        let grip = settings.batGrip * .pi / 180
        let x = settings.batArm + settings.batPoint * cos(grip)
        let y = settings.batPoint * sin(grip)
        // w x (x, y, 0)
        let velocity = SIMD3(-rate.z * y, rate.z * x, rate.x * y - rate.y * x)
        return settings.batScale * (velocity * velocity).sum().squareRoot()
    }

    /// The speeds of a swing from `start` to `end` with an impact at `impact`, or else its fastest rotation at `peak`; all in s.
    func swing(from start: Double, to end: Double, impact: Double?, peak: Double) -> BatSpeed {
        let moment = impact ?? peak
        let from = impact.map { $0 - Self.before } ?? moment
        let greatest = times.indices.filter { times[$0] >= from - 1e-9 && times[$0] <= moment + 1e-9 }.map { speeds[$0] }.max()
        let saturated = times.indices.contains { times[$0] >= start && times[$0] <= end && rates[$0] > Self.limit }
        return BatSpeed(greatest: greatest ?? speed(at: moment), atContact: impact.flatMap(speed), saturated: saturated)
    }

    /// The speed at `time`, in a straight line between samples; nil where none is near.
    private func speed(at time: Double) -> Double? {
        guard let after = times.firstIndex(where: { $0 >= time }), after > 0 || times[after] == time else { return nil }
        if times[after] == time { return speeds[after] }
        let step = times[after] - times[after - 1]
        guard step < Self.before else { return nil }
        return speeds[after - 1] + (speeds[after] - speeds[after - 1]) * (time - times[after - 1]) / step
    }
}
