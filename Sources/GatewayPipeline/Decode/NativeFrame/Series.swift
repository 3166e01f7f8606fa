internal import TelemetryModel

/// A series of samples on the wire: an object with a `timestamp` and columns as long as it.
struct Series<Node: FrameValue> {
    /// The object that holds the columns.
    let node: Node
    /// Device time of each sample in seconds, strictly increasing.
    let timestamp: [Double]

    /// The number of samples, at least 1.
    var count: Int { timestamp.count }

    /// Reads the times of the series in `node`; where only start and interval are given, `column` gives the number of samples.
    ///
    /// Throws `columnLength` when the series is empty or too long, `timestampOrder`, `timeOutOfRange` and the rejections of the
    /// fields' types.
    init(_ node: Node, column: Node, in context: FrameContext) throws(Rejection) {
        self.node = node
        let times = try node.required("timestamp")
        let isEven = times.kind == .object
        let counted = isEven ? column : times
        let count = try counted.count()
        guard (1...max(1, context.limits.maximumSamples)).contains(count) else {
            throw counted.rejection(.columnLength, "\(count) samples, expected 1 to \(context.limits.maximumSamples)")
        }
        timestamp = isEven ? try Self.even(times, count: count) : try times.numbers()
        try Self.checkOrder(timestamp, at: times)
        try context.check(timestamp[0], at: isEven ? times : times.element(0))
        try context.check(timestamp[count - 1], at: isEven ? times : times.element(count - 1))
    }

    private static func even(_ node: some FrameValue, count: Int) throws(Rejection) -> [Double] {
        let start = try node.required("start").number()
        let intervalNode = try node.required("interval")
        let interval = try intervalNode.number()
        guard interval > 0 else {
            throw intervalNode.rejection(.invalidValue, "the interval is \(interval) s, expected more than 0")
        }
        return (0..<count).map { start + Double($0) * interval }
    }

    private static func checkOrder(_ times: [Double], at node: some FrameValue) throws(Rejection) {
        for index in times.indices.dropFirst() where !(times[index] > times[index - 1]) {
            throw (node.kind == .object ? node : node.element(index)).rejection(
                .timestampOrder, "sample \(index) is at \(times[index]) s, the one before it at \(times[index - 1]) s")
        }
    }

    /// The column `key` of `object`; throws `missingField`, `wrongType` or `columnLength`.
    func column(_ key: String, of object: some FrameValue) throws(Rejection) -> [Double] {
        let column = try object.required(key)
        try column.checkLength(count)
        return try column.numbers()
    }

    /// The column `key` of the series; nil where it is absent.
    func optionalColumn(_ key: String) throws(Rejection) -> [Double]? {
        try node.optional(key) == nil ? nil : try column(key, of: node)
    }

    /// The columns `x`, `y` and `z` of `object`.
    func vectors(of object: some FrameValue) throws(Rejection) -> VectorColumns {
        VectorColumns(
            x: try column("x", of: object), y: try column("y", of: object), z: try column("z", of: object))
    }

    /// One case, or a column of them; throws `wrongType`, `columnLength` or `invalidValue`.
    func values<Value>(of node: some FrameValue, in vocabulary: Vocabulary<Value>) throws(Rejection) -> [Value] {
        guard node.kind == .array else { return [try node.value(in: vocabulary)] }
        try node.checkLength(count)
        return try node.map { element throws(Rejection) in try element.value(in: vocabulary) }
    }
}

extension FrameValue {
    /// Throws `columnLength` unless this column has a value for each of so many samples.
    func checkLength(_ count: Int) throws(Rejection) {
        let found = try self.count()
        guard found == count else {
            throw rejection(.columnLength, "\(found) values in a series of \(count) samples")
        }
    }
}
