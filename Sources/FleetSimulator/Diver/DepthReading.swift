/// One submersion measurement as a watch makes it.
struct DepthReading: Sendable {
    /// Device time.
    var seconds: Double
    /// Meters as measured; nil out of the water.
    var depth: Double?
    /// The limit of the entitlement, m.
    var maximumDepth: Double

    /// kPa at the surface.
    static let surfacePressure = 101.3

    /// kPa for each meter of sea water: 1025 kg/m³ under standard gravity.
    private static let pressurePerMeter = 1025 * 9.80665 / 1000

    /// The watch's own view of the depth, by Core Motion's names.
    var state: String {
        guard let depth else { return "notSubmerged" }
        if depth > 1.1 * maximumDepth { return "sensorDepthError" }
        if depth > maximumDepth { return "pastMaxDepth" }
        if depth > 0.875 * maximumDepth { return "approachingMaxDepth" }
        return depth >= 1 ? "submergedDeep" : "submergedShallow"
    }

    func write(into writer: inout JSONWriter, withState: Bool) {
        writer.object {
            $0.number(seconds, digits: 6, for: "timestamp")
            // Core Motion withholds depth and pressure 10 % past the limit.
            if let depth, depth <= 1.1 * maximumDepth {
                $0.quantity(depth, digits: 2, unit: "m", for: "depth")
                $0.quantity(
                    Self.surfacePressure + depth * Self.pressurePerMeter, digits: 3, unit: "kPa", for: "pressure")
            }
            $0.quantity(Self.surfacePressure, digits: 3, unit: "kPa", for: "surfacePressure")
            if withState { $0.string(state, for: "submersionState") }
        }
    }
}

/// One water temperature as a watch makes it.
struct TemperatureReading: Sendable {
    /// Device time.
    var seconds: Double
    /// C.
    var temperature: Double
    /// C.
    var uncertainty: Double

    func write(into writer: inout JSONWriter) {
        writer.object {
            $0.number(seconds, digits: 6, for: "timestamp")
            $0.quantity(temperature, digits: 2, unit: "C", for: "temperature")
            $0.quantity(uncertainty, digits: 2, unit: "C", for: "temperatureUncertainty")
        }
    }
}

extension JSONWriter {
    /// A value and its unit.
    mutating func quantity(_ value: Double, digits: Int, unit: String, for key: StaticString) {
        object(for: key) {
            $0.number(value, digits: digits, for: "value")
            $0.string(unit, for: "unit")
        }
    }
}
