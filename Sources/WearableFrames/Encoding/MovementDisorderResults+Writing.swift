internal import JSONText

extension MovementDisorderResults {
    private static let maximumEntries = 256
    fileprivate static let decimals = 6
    /// The contract allows sums within a hundredth of 1; some is kept for rounding.
    fileprivate static let sums = 0.9901...1.0099
    /// The contract allows 5 s past the frame's clock; a millisecond is kept for rounding.
    fileprivate static let tolerance = 4.999

    /// Throws unless the results can be written in a frame made at `instant`.
    func check(_ instant: DeviceInstant) throws(FrameError) {
        guard !tremor.isEmpty || !dyskinesia.isEmpty else { throw .empty }
        for (field, count) in [("tremor", tremor.count), ("dyskinesia", dyskinesia.count)] where count > Self.maximumEntries {
            throw .tooMany(field: field, count: count, limit: Self.maximumEntries)
        }
        for (index, minute) in tremor.enumerated() {
            try Self.check(minute.shares, from: minute.start.seconds, to: minute.end.seconds, "tremor[\(index)]", instant)
        }
        for (index, minute) in dyskinesia.enumerated() {
            try Self.check(minute.shares, from: minute.start.seconds, to: minute.end.seconds, "dyskinesia[\(index)]", instant)
        }
    }

    /// Writes the lists that are not empty.
    func write(into json: inout JSONWriter) {
        if !tremor.isEmpty {
            json.array("tremor") { json in
                for minute in tremor {
                    Self.write(minute.shares, from: minute.start.seconds, to: minute.end.seconds, into: &json)
                }
            }
        }
        if !dyskinesia.isEmpty {
            json.array("dyskinesia") { json in
                for minute in dyskinesia {
                    Self.write(minute.shares, from: minute.start.seconds, to: minute.end.seconds, into: &json)
                }
            }
        }
    }

    private static func check(
        _ shares: [(name: StaticString, value: Double)], from start: Double, to end: Double, _ field: String,
        _ instant: DeviceInstant
    ) throws(FrameError) {
        let hasWallClock = TimeRule.wallClock.contains(instant.unix)
        for (name, date) in [("startDate", start), ("endDate", end)] {
            guard date.isFinite else { throw .notFinite(field: "\(field).\(name)") }
            guard TimeRule.wallClock.contains(date), !hasWallClock || date <= instant.unix + tolerance else {
                throw .timeOutOfRange(field: "\(field).\(name)", seconds: date)
            }
        }
        // Two instants of one microsecond are one.
        guard end >= start + 2e-6 else { throw .timeOutOfRange(field: "\(field).endDate", seconds: end) }
        for (name, value) in shares { try value.check("\(field).\(name)", 0...1) }
        let sum = shares.reduce(0) { $0 + $1.value }
        guard sums.contains(sum) else { throw .outOfRange(field: field, value: sum) }
    }

    private static func write(
        _ shares: [(name: StaticString, value: Double)], from start: Double, to end: Double, into json: inout JSONWriter
    ) {
        json.object { json in
            json.field("startDate", start, decimals: FrameEncoding.time)
            json.field("endDate", end, decimals: FrameEncoding.time)
            for (name, value) in shares { json.field(name, value, decimals: decimals) }
        }
    }
}

extension TremorResult {
    fileprivate var shares: [(name: StaticString, value: Double)] {
        [
            ("unknown", unknown), ("none", none), ("slight", slight), ("mild", mild), ("moderate", moderate),
            ("strong", strong),
        ]
    }
}

extension DyskineticSymptomResult {
    fileprivate var shares: [(name: StaticString, value: Double)] { [("unlikely", unlikely), ("likely", likely)] }
}
