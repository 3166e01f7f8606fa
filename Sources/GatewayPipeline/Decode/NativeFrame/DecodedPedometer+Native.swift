internal import TelemetryModel

extension DecodedPedometer {
    /// Reads both lists; throws `missingField` when neither is there, and `columnLength` for one that is too long.
    init(_ frame: some FrameValue, in context: FrameContext) throws(Rejection) {
        try frame.requireAny(of: ["data", "events"])
        self.init(
            data: try frame.entries("data", in: context) { entry throws(Rejection) in try Count(entry) },
            events: try frame.entries("events", in: context) { entry throws(Rejection) in
                Event(
                    kind: try entry.required("type").value(in: WireNames.pedometerEvent),
                    date: try entry.required("date").unixTime())
            })
    }
}

extension FrameValue {
    /// The entries of the list named `key`, none where it is absent; throws `columnLength` for one that is too long.
    func entries<Entry>(
        _ key: String, in context: FrameContext, _ read: (Self) throws(Rejection) -> Entry
    ) throws(Rejection) -> [Entry] {
        guard let node = try optional(key) else { return [] }
        let count = try node.count()
        guard count <= context.limits.maximumEntries else {
            throw node.rejection(.columnLength, "\(count) entries, at most \(context.limits.maximumEntries) are read")
        }
        return try node.map(read)
    }
}

extension DecodedPedometer.Count {
    /// Seconds from which on means are checked: a count over a moment is too coarse for one.
    private static let checkedSeconds = 10.0

    fileprivate init(_ entry: some FrameValue) throws(Rejection) {
        let start = try entry.required("startDate").unixTime()
        let endNode = try entry.required("endDate")
        let end = try endNode.unixTime()
        guard end >= start else {
            throw endNode.rejection(.invalidValue, "\(end.seconds) is before the start, \(start.seconds)")
        }
        let seconds = end - start
        let stepsNode = try entry.required("numberOfSteps")
        let steps = try stepsNode.naturalNumber(atMost: PedometerRange.mostSteps)
        if seconds >= Self.checkedSeconds, Double(steps) > PedometerRange.fastestCadence * seconds {
            throw stepsNode.rejection(.invalidValue, "\(steps) steps in \(seconds) s, expected at most 6 a second")
        }
        let distance = try entry.optional("distance").map { node throws(Rejection) -> Double in
            let meters = try node.number()
            guard meters >= 0, meters <= PedometerRange.longest,
                seconds < Self.checkedSeconds || meters <= PedometerRange.fastestSpeed * seconds
            else {
                throw node.rejection(.invalidValue, "\(meters) m in \(seconds) s, expected 0 or more and at most 12.5 m/s")
            }
            return meters + 0
        }
        let cadence = try entry.optional("currentCadence").map { node throws(Rejection) -> Double in
            let cadence = try node.number()
            guard (0...PedometerRange.fastestCadence).contains(cadence) else {
                throw node.rejection(.invalidValue, "\(cadence) steps/s, expected 0 to 6")
            }
            return cadence + 0
        }
        startDate = start
        endDate = end
        values = PedometerData(
            start: DeviceTime(0), startDate: start, end: DeviceTime(0), steps: steps, distance: distance,
            floorsAscended: try Self.floors("floorsAscended", of: entry),
            floorsDescended: try Self.floors("floorsDescended", of: entry),
            currentPace: try Self.pace("currentPace", of: entry), currentCadence: cadence,
            averageActivePace: try Self.pace("averageActivePace", of: entry))
    }

    private static func floors(_ key: String, of entry: some FrameValue) throws(Rejection) -> Int? {
        try entry.optional(key).map { node throws(Rejection) in try node.naturalNumber(atMost: PedometerRange.mostSteps) }
    }

    private static func pace(_ key: String, of entry: some FrameValue) throws(Rejection) -> Double? {
        try entry.optional(key).map { node throws(Rejection) -> Double in
            let pace = try node.number()
            guard pace * PedometerRange.fastestSpeed >= 1 else {
                throw node.rejection(.invalidValue, "\(pace) s/m is faster than 12.5 m/s")
            }
            return pace
        }
    }
}

extension FrameValue {
    /// A whole number from 0 to `most`; throws `wrongType` or `invalidValue`.
    fileprivate func naturalNumber(atMost most: Int) throws(Rejection) -> Int {
        let number = try integer()
        guard (0...most).contains(number) else { throw rejection(.invalidValue, "\(number) is no count") }
        return number
    }
}
