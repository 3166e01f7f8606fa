internal import TelemetryModel

extension RecordedAcceleration {
    /// The shortest and the longest time from one sample to the next, in s; half a microsecond more and less for rounding.
    private static let interval = 0.005 - 5e-7...0.5 + 5e-7
    /// The greatest acceleration that is no fault, in G.
    private static let greatest = 64.0
    /// How far after `sent` a sample may lie, for clocks that are read one after the other, in s.
    private static let toleranceSeconds = 5.0

    /// Reads a series of the accelerometer's history. A `timestamp` is not used: it may be of another boot than the frame.
    init(_ node: some FrameValue, of header: FrameHeader, in context: FrameContext) throws(Rejection) {
        let dates = try node.required("startDate")
        let isEven = dates.kind == .object
        let counted = isEven ? try node.required("x") : dates
        let count = try counted.count()
        guard (1...max(1, context.limits.maximumSamples)).contains(count) else {
            throw counted.rejection(.columnLength, "\(count) samples, expected 1 to \(context.limits.maximumSamples)")
        }
        let seconds = isEven ? try Self.even(dates, count: count) : try dates.numbers()
        try Self.check(seconds, at: dates, sent: header.sent)
        let acceleration = VectorColumns(
            x: try Self.column("x", of: node, count: count), y: try Self.column("y", of: node, count: count),
            z: try Self.column("z", of: node, count: count))
        self.init(
            identifier: try node.optional("identifier").map { node throws(Rejection) in
                try Self.identifiers(node, count: count)
            },
            startDate: seconds.map { UnixTime($0) }, acceleration: acceleration)
    }

    private static func even(_ node: some FrameValue, count: Int) throws(Rejection) -> [Double] {
        let start = try node.required("start").number()
        let interval = try node.required("interval").number()
        return (0..<count).map { start + Double($0) * interval }
    }

    private static func check(_ seconds: [Double], at node: some FrameValue, sent: UnixTime?) throws(Rejection) {
        let isColumn = node.kind == .array
        for index in seconds.indices.dropFirst() where !interval.contains(seconds[index] - seconds[index - 1]) {
            throw (isColumn ? node.element(index) : node).rejection(
                .timestampOrder,
                "sample \(index) is at \(seconds[index]) s, the one before it at \(seconds[index - 1]) s, expected 5 to 500 ms more"
            )
        }
        for index in [0, seconds.count - 1] where !FrameClock.wallClock.contains(seconds[index]) {
            throw (isColumn ? node.element(index) : node).rejection(
                .timeOutOfRange, "\(seconds[index]) is no unix time in seconds between 2001 and 2100")
        }
        if let sent, let last = seconds.last, last > sent.seconds + toleranceSeconds {
            throw (isColumn ? node.element(seconds.count - 1) : node).rejection(
                .timeOutOfRange, "\(last) s is later than the frame, which was sent at \(sent.seconds) s")
        }
    }

    private static func column(_ key: String, of node: some FrameValue, count: Int) throws(Rejection) -> [Double] {
        let column = try node.required(key)
        try column.checkLength(count)
        let values = try column.numbers()
        if let index = values.firstIndex(where: { !(abs($0) <= greatest) }) {
            throw column.element(index).rejection(
                .invalidValue, "an acceleration of \(values[index]) G, expected -64 to 64")
        }
        return values
    }

    private static func identifiers(_ node: some FrameValue, count: Int) throws(Rejection) -> [Int64] {
        try node.checkLength(count)
        let values = try node.map { element throws(Rejection) in
            let value = try element.integer()
            guard value >= 0 else { throw element.rejection(.invalidValue, "\(value) is negative") }
            return Int64(value)
        }
        if let index = values.indices.dropFirst().first(where: { values[$0] <= values[$0 - 1] }) {
            throw node.element(index).rejection(
                .invalidValue, "\(values[index]) after \(values[index - 1]): identifiers increase")
        }
        return values
    }
}
