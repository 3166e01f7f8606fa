import JSONText

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
            $0.field("timestamp", seconds, decimals: 6)
            // Core Motion withholds depth and pressure 10 % past the limit.
            if let depth, depth <= 1.1 * maximumDepth {
                $0.quantity("depth", depth, decimals: 2, unit: "m")
                $0.quantity(
                    "pressure",
                    Self.surfacePressure + depth * Self.pressurePerMeter, decimals: 3, unit: "kPa")
            }
            $0.quantity("surfacePressure", Self.surfacePressure, decimals: 3, unit: "kPa")
            if withState { $0.field("submersionState", state) }
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
            $0.field("timestamp", seconds, decimals: 6)
            $0.quantity("temperature", temperature, decimals: 2, unit: "C")
            $0.quantity("temperatureUncertainty", uncertainty, decimals: 2, unit: "C")
        }
    }
}

extension JSONWriter {
    /// A value and its unit.
    mutating func quantity(_ key: StaticString, _ value: Double, decimals: Int, unit: String) {
        object(key) {
            $0.field("value", value, decimals: decimals)
            $0.field("unit", unit)
        }
    }
}
