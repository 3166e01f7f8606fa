import WearableFrames

extension SubmersionReadings.Measurement {
    /// kPa at the surface.
    private static let airPressure = 101.3

    /// kPa for each meter of sea water: 1025 kg/m³ under standard gravity.
    private static let pressurePerMeter = 1025 * 9.80665 / 1000

    /// What a watch measures at `depth` m, nil out of the water, with an entitlement that ends at `maximumDepth` m.
    static func simulated(
        at seconds: Double, depth: Double?, maximumDepth: Double, reportsState: Bool
    ) -> SubmersionReadings.Measurement {
        // Core Motion withholds depth and pressure 10 % past the limit.
        let measured = depth.flatMap { $0 <= 1.1 * maximumDepth ? $0 : nil }
        return SubmersionReadings.Measurement(
            time: .timestamp(seconds), depth: measured, pressure: measured.map { airPressure + $0 * pressurePerMeter },
            surfacePressure: airPressure,
            submersionState: reportsState ? DepthState(depth: depth, maximumDepth: maximumDepth) : nil)
    }
}

extension DepthState {
    /// The watch's own view of a depth, nil out of the water.
    fileprivate init(depth: Double?, maximumDepth: Double) {
        guard let depth else {
            self = .notSubmerged
            return
        }
        if depth > 1.1 * maximumDepth {
            self = .sensorDepthError
        } else if depth > maximumDepth {
            self = .pastMaxDepth
        } else if depth > 0.875 * maximumDepth {
            self = .approachingMaxDepth
        } else {
            self = depth >= 1 ? .submergedDeep : .submergedShallow
        }
    }
}
