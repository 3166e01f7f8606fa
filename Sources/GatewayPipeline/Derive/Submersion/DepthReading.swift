package import TelemetryModel

/// The depth of one measurement, taken alone.
package enum DepthReading: Sendable, Equatable {
    /// A depth in m; finite, 0 or more.
    case depth(Double)
    /// Neither a depth nor both pressures.
    case absent
    /// A number that cannot be a depth: not finite, or too far above the surface.
    case impossible

    /// Reads the depth or, where it is missing, computes it from the pressures.
    ///
    /// A depth of NaN is `impossible` even beside valid pressures, as the two values contradict each other.
    package init(_ measurement: SubmersionMeasurement, settings: SubmersionSettings) {
        guard let meters = measurement.depth ?? Self.hydrostaticDepth(measurement, settings: settings) else {
            self = .absent
            return
        }
        guard meters.isFinite, meters >= settings.minimumDepthMeters else {
            self = .impossible
            return
        }
        self = .depth(max(meters, 0))
    }

    /// The pressure of the air over the water in kPa, if the measurement holds a plausible one.
    package static func surfacePressure(of measurement: SubmersionMeasurement) -> Double? {
        measurement.surfacePressure.flatMap { airPressures.contains($0) ? $0 : nil }
    }

    /// Depth = (pressure - surface pressure) / (density x gravity) in m; NaN where the air pressure is not plausible, nil where
    /// either pressure is missing.
    private static func hydrostaticDepth(_ measurement: SubmersionMeasurement, settings: SubmersionSettings) -> Double? {
        guard let pressure = measurement.pressure, measurement.surfacePressure != nil else { return nil }
        guard let surface = surfacePressure(of: measurement) else { return .nan }
        let pascals = (pressure - surface) * 1000
        return pascals / (settings.water.density * settings.gravity)
    }

    /// Air pressures in kPa from the top of Everest (33) to the highest ever recorded (108.5). A greater one would make
    /// every depth computed with it too small.
    private static let airPressures = 30.0...110.0
}
