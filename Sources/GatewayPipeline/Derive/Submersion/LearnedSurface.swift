package import TelemetryModel

/// The pressure of the air over the water, learned from a sensor of absolute pressure while it is out of the water.
///
/// A value that is too large makes every depth too small. So it is known only after a minute of steady air, follows a smaller pressure at
/// once, also under water, and is raised only to the lowest pressure of hours that were spent out of the water.
package struct LearnedSurface: Codable, Sendable, Equatable {
    /// The pressure in kPa; nil before it is known.
    package private(set) var pressure: Double?
    /// Readings that are not the known air, until they are steady.
    private var candidate: Stretch?
    /// The readings out of the water.
    private var window: Stretch?

    /// Readings without a hole between them.
    private struct Stretch: Codable, Sendable, Equatable {
        var since: DeviceTime
        var last: DeviceTime
        var lowest: Double
        var highest: Double
        var count = 1

        init(_ pressure: Double, at time: DeviceTime) {
            (since, last, lowest, highest) = (time, time, pressure, pressure)
        }

        /// Adds a reading, or begins anew with it after a hole, or where it differs too much.
        mutating func add(_ pressure: Double, at time: DeviceTime, spread: Double) {
            let range = min(lowest, pressure)...max(highest, pressure)
            guard time > last else { return }
            guard time - last <= LearnedSurface.longestHole, range.upperBound - range.lowerBound <= spread else {
                return self = Stretch(pressure, at: time)
            }
            (last, lowest, highest) = (time, range.lowerBound, range.upperBound)
            count = count.addingSaturated(1)
        }
    }

    /// kPa from the top of Everest to what is rarely exceeded at the sea. Another 4 cm of water would be air by the record of 108.5.
    private static let air = 30.0...105.0
    /// How long, in seconds, for how many readings, and within what a pressure must be steady to be that of air.
    private static let (steadySeconds, steadyCount, steadySpread) = (60.0, 10, 0.1)
    /// A smaller pressure is followed at once by so much; more may be a fault of the sensor. In kPa.
    private static let step = 0.5
    /// The hours out of the water whose lowest pressure counts, what they may differ, and by how much they raise it. In s and kPa.
    private static let (windowSeconds, windowSpread, mostRaised) = (3 * 3600.0, 1.0, 1.0)
    private static let longestHole = 600.0

    /// Takes a reading in kPa of a sensor that is in `state`; gives the pressure of the air, nil while it is not known.
    package mutating func take(_ reading: Double, at time: DeviceTime, state: DepthState) -> Double? {
        guard Self.air.contains(reading) else {
            (candidate, window) = (nil, nil)
            return pressure
        }
        if let known = pressure, reading >= known {
            candidate = nil
            raise(known, reading, at: time, state: state)
        } else if let known = pressure, known - reading <= Self.step {
            (pressure, candidate) = (reading, nil)
            raise(reading, reading, at: time, state: state)
        } else {
            window = nil
            confirm(reading, at: time)
        }
        return pressure
    }

    private mutating func confirm(_ reading: Double, at time: DeviceTime) {
        var stretch = candidate ?? Stretch(reading, at: time)
        stretch.add(reading, at: time, spread: Self.steadySpread)
        candidate = stretch
        guard stretch.count >= Self.steadyCount, stretch.last - stretch.since >= Self.steadySeconds else { return }
        (pressure, candidate) = (stretch.lowest, nil)
    }

    private mutating func raise(_ known: Double, _ reading: Double, at time: DeviceTime, state: DepthState) {
        guard state == .notSubmerged else { return window = nil }
        var stretch = window ?? Stretch(reading, at: time)
        stretch.add(reading, at: time, spread: Self.windowSpread)
        window = stretch
        guard stretch.last - stretch.since >= Self.windowSeconds else { return }
        pressure = max(known, min(stretch.lowest, known + Self.mostRaised))
        window = Stretch(reading, at: time)
    }
}
