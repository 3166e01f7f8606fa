internal import TelemetryModel

extension AltimeterSamples {
    /// Reads both halves; throws `missingField` when neither is there.
    init(_ frame: some FrameValue, in context: FrameContext) throws(Rejection) {
        try frame.requireAny(of: ["samples", "absolute"])
        self.init()
        if let node = try frame.optional("samples") {
            try node.requireAny(of: ["relativeAltitude", "pressure"])
            let counted = try node.optional("relativeAltitude") == nil ? "pressure" : "relativeAltitude"
            let series = try Series(node, column: try node.required(counted), in: context)
            timestamp = series.timestamp
            relativeAltitude = try series.optionalColumn("relativeAltitude", within: AltimeterRange.relative)
            pressure = try series.optionalColumn("pressure", within: AltimeterRange.pressure)
        }
        absolute = try frame.optional("absolute").map { node throws(Rejection) in
            try AbsoluteAltitudeSamples(node, in: context)
        }
    }
}

extension AbsoluteAltitudeSamples {
    fileprivate init(_ node: some FrameValue, in context: FrameContext) throws(Rejection) {
        let series = try Series(node, column: try node.required("altitude"), in: context)
        self.init(
            timestamp: series.timestamp, altitude: try series.column("altitude", within: AltimeterRange.altitude),
            accuracy: try series.column("accuracy", within: AltimeterRange.accuracy),
            precision: try series.column("precision", within: AltimeterRange.accuracy))
    }
}

/// What an altimeter can measure on Earth.
enum AltimeterRange {
    /// Altitude over the sea in m.
    static let altitude = -500.0...9_000
    /// A difference of two altitudes in m.
    static let relative = -9_500.0...9_500
    /// Air pressure in kPa.
    static let pressure = 30.0...120
    /// An error of an altitude in m.
    static let accuracy = 0.0...9_500
}

extension Series {
    /// The column `key`, every number within `range`; throws `invalidValue` with the place of the first that is not.
    fileprivate func column(_ key: String, within range: ClosedRange<Double>) throws(Rejection) -> [Double] {
        let numbers = try column(key, of: node)
        for (index, number) in numbers.enumerated() where !range.contains(number) {
            throw try node.required(key).element(index).rejection(
                .invalidValue, "\(number) is not within \(range.lowerBound) to \(range.upperBound)")
        }
        return numbers
    }

    fileprivate func optionalColumn(_ key: String, within range: ClosedRange<Double>) throws(Rejection) -> [Double]? {
        try node.optional(key) == nil ? nil : try column(key, within: range)
    }
}
