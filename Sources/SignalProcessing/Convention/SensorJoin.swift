/// The value of one sensor at an instant at which another one measured.
package enum SensorJoin {
    /// Between readings that are further apart, in seconds, nothing is interpolated.
    private static let widest = 0.25
    /// So long before and after a reading it counts where nothing is interpolated, in seconds: sensors begin and end at other instants.
    private static let reach = 0.1

    /// A reading of a sensor.
    package typealias Reading<Time> = (time: Time, value: SIMD3<Double>)

    /// The value at `time` between the last reading before it and the first one at or after it; nil where nothing was measured around it.
    ///
    /// - Parameter seconds: The seconds of a difference of times.
    package static func value<Time: SignedNumeric & Comparable>(
        at time: Time, before: Reading<Time>?, after: Reading<Time>?, seconds: (Time) -> Double
    ) -> SIMD3<Double>? {
        if let before, let after {
            let apart = seconds(after.time - before.time)
            if apart <= widest {
                return before.value + (after.value - before.value) * (max(0, seconds(time - before.time)) / apart)
            }
        }
        let nearest = [before, after].compactMap(\.self).min { abs($0.time - time) < abs($1.time - time) }
        return nearest.flatMap { seconds(abs($0.time - time)) <= reach ? $0.value : nil }
    }
}
