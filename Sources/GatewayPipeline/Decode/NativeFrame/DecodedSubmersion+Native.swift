internal import TelemetryModel

extension DecodedSubmersion {
    /// Reads the lists that are there; throws `missingField` when none is, and `columnLength` for one that is too long.
    init(_ frame: some FrameValue, in context: FrameContext) throws(Rejection) {
        try frame.requireAny(of: ["measurements", "events", "temperatures", "errors", "maximumDepth"])
        self.init(
            events: try Self.list("events", of: frame, in: context, Event.init),
            measurements: try Self.list("measurements", of: frame, in: context, Measurement.init),
            temperatures: try Self.list("temperatures", of: frame, in: context, Temperature.init),
            errors: try Self.list("errors", of: frame, in: context, Failure.init),
            maximumDepth: try Self.maximumDepth(of: frame))
    }

    private static func list<Entry, Value: FrameValue>(
        _ key: String, of frame: Value, in context: FrameContext,
        _ read: (Value, FrameContext) throws(Rejection) -> Entry
    ) throws(Rejection) -> [Entry] {
        try frame.entries(key, in: context) { entry throws(Rejection) in try read(entry, context) }
    }

    private static func maximumDepth(of frame: some FrameValue) throws(Rejection) -> Quantity<LengthUnit>? {
        guard let node = try frame.optional("maximumDepth") else { return nil }
        let depth = try Quantity<LengthUnit>(node)
        guard depth.meters >= 1, depth.meters.isFinite else {
            throw node.rejection(
                .invalidValue, "the maximum depth is \(depth.value) \(depth.unit.rawValue), expected 1 m or more")
        }
        return depth
    }
}

extension Instant {
    /// Reads the `timestamp` of an entry or, without one, its `date`.
    fileprivate init(_ entry: some FrameValue, _ context: FrameContext) throws(Rejection) {
        if let date = try entry.optional("date"), try entry.optional("timestamp") == nil {
            self = .unix(try date.unixTime())
        } else {
            self = .device(try context.deviceTime(try entry.required("timestamp")))
        }
    }
}

extension DecodedSubmersion.Event {
    fileprivate init(_ entry: some FrameValue, _ context: FrameContext) throws(Rejection) {
        self.init(
            instant: try Instant(entry, context), state: try entry.required("state").value(in: WireNames.submersionState))
    }
}

extension DecodedSubmersion.Measurement {
    fileprivate init(_ entry: some FrameValue, _ context: FrameContext) throws(Rejection) {
        self.init(
            instant: try Instant(entry, context),
            depth: try entry.quantity("depth"),
            pressure: try entry.quantity("pressure"),
            surfacePressure: try entry.quantity("surfacePressure"),
            submersionState: try Self.state(of: entry))
    }

    // Apple left gaps of 100 between the raw values, so later versions may add some.
    private static func state(of entry: some FrameValue) throws(Rejection) -> DepthState? {
        guard let node = try entry.optional("submersionState") else { return nil }
        return node.kind == .integer ? DepthState(rawValue: try node.integer()) : try node.value(in: WireNames.depthState)
    }
}

extension DecodedSubmersion.Temperature {
    fileprivate init(_ entry: some FrameValue, _ context: FrameContext) throws(Rejection) {
        let uncertaintyNode = try entry.required("temperatureUncertainty")
        let uncertainty = try Quantity<TemperatureUnit>(uncertaintyNode)
        guard uncertainty.value >= 0 else {
            throw uncertaintyNode.rejection(.invalidValue, "the uncertainty is \(uncertainty.value), expected 0 or more")
        }
        self.init(
            instant: try Instant(entry, context),
            temperature: try Quantity(try entry.required("temperature")),
            uncertainty: uncertainty)
    }
}

extension DecodedSubmersion.Failure {
    fileprivate init(_ entry: some FrameValue, _ context: FrameContext) throws(Rejection) {
        self.init(instant: try Instant(entry, context), code: try entry.required("code").integer())
    }
}

extension FrameValue {
    fileprivate func quantity<Unit>(_ key: String) throws(Rejection) -> Quantity<Unit>? {
        guard let node = try optional(key) else { return nil }
        return try Quantity(node)
    }
}
