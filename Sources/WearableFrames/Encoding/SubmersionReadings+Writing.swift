internal import JSONText

extension SubmersionReadings {
    private static let maximumEntries = 256
    private static let leastMaximumDepth = 1.0

    /// Throws unless the readings can be written.
    func check(_ rule: TimeRule) throws(FrameError) {
        guard !isEmpty else { throw .empty }
        let lists = [
            ("events", events.count), ("measurements", measurements.count), ("temperatures", temperatures.count),
            ("errors", errors.count),
        ]
        for (field, count) in lists where count > Self.maximumEntries {
            throw .tooMany(field: field, count: count, limit: Self.maximumEntries)
        }
        for (index, event) in events.enumerated() { try rule.check(event.time, "events[\(index)]") }
        for (index, measurement) in measurements.enumerated() {
            try rule.check(measurement.time, "measurements[\(index)]")
            try measurement.depth?.checkFinite("measurements[\(index)].depth")
            try measurement.pressure?.checkFinite("measurements[\(index)].pressure")
            try measurement.surfacePressure?.checkFinite("measurements[\(index)].surfacePressure")
        }
        for (index, temperature) in temperatures.enumerated() {
            try rule.check(temperature.time, "temperatures[\(index)]")
            try temperature.temperature.checkFinite("temperatures[\(index)].temperature")
            try temperature.uncertainty.checkFinite("temperatures[\(index)].temperatureUncertainty")
            guard temperature.uncertainty >= 0 else {
                throw .outOfRange(field: "temperatures[\(index)].temperatureUncertainty", value: temperature.uncertainty)
            }
        }
        for (index, failure) in errors.enumerated() { try rule.check(failure.time, "errors[\(index)]") }
        if let maximumDepth {
            try maximumDepth.checkFinite("maximumDepth")
            guard maximumDepth >= Self.leastMaximumDepth else { throw .outOfRange(field: "maximumDepth", value: maximumDepth) }
        }
    }

    /// Writes the lists that are not empty.
    func write(into json: inout JSONWriter, _ encoding: FrameEncoding) {
        json.list("events", events) { json, event in
            json.time(event.time)
            json.field("state", event.state.name)
        }
        json.list("measurements", measurements) { json, measurement in
            json.time(measurement.time)
            json.quantity("depth", measurement.depth, decimals: encoding.depth, unit: "m")
            json.quantity("pressure", measurement.pressure, decimals: encoding.pressure, unit: "kPa")
            json.quantity("surfacePressure", measurement.surfacePressure, decimals: encoding.pressure, unit: "kPa")
            if let state = measurement.submersionState { json.field("submersionState", state.name) }
        }
        json.list("temperatures", temperatures) { json, temperature in
            json.time(temperature.time)
            json.quantity("temperature", temperature.temperature, decimals: encoding.depth, unit: "C")
            json.quantity("temperatureUncertainty", temperature.uncertainty, decimals: encoding.depth, unit: "C")
        }
        json.list("errors", errors) { json, failure in
            json.time(failure.time)
            json.field("code", failure.code)
        }
        json.quantity("maximumDepth", maximumDepth, decimals: encoding.depth, unit: "m")
    }
}

extension JSONWriter {
    fileprivate mutating func list<Entry>(
        _ key: StaticString, _ entries: [Entry], _ write: (inout JSONWriter, Entry) -> Void
    ) {
        guard !entries.isEmpty else { return }
        array(key) { json in
            for entry in entries { json.object { write(&$0, entry) } }
        }
    }

    fileprivate mutating func time(_ time: ReadingTime) {
        switch time {
        case .timestamp(let seconds): field("timestamp", seconds, decimals: FrameEncoding.time)
        case .date(let seconds): field("date", seconds, decimals: FrameEncoding.time)
        }
    }

    fileprivate mutating func quantity(_ key: StaticString, _ value: Double?, decimals: Int, unit: String) {
        guard let value else { return }
        object(key) {
            $0.field("value", value, decimals: decimals)
            $0.field("unit", unit)
        }
    }
}
