internal import TelemetryModel

extension MovementDisorderResults {
    /// How far from 1 the sum of the shares of a minute may be.
    private static let sumTolerance = 0.01
    /// How far after `sent` a minute may end, for clocks that are read one after the other, in s.
    private static let toleranceSeconds = 5.0

    /// Reads both lists, each sorted by start; throws `missingField` when neither is there, and `columnLength` for one that is too long.
    init(_ frame: some FrameValue, of header: FrameHeader, in context: FrameContext) throws(Rejection) {
        try frame.requireAny(of: ["tremor", "dyskinesia"])
        let tremor = try frame.entries("tremor", in: context) { entry throws(Rejection) in
            let (start, end) = try Self.times(of: entry, sent: header.sent)
            let shares = try Self.shares(["unknown", "none", "slight", "mild", "moderate", "strong"], of: entry)
            return TremorResult(
                start: start, end: end, unknown: shares[0], none: shares[1], slight: shares[2], mild: shares[3],
                moderate: shares[4], strong: shares[5])
        }
        let dyskinesia = try frame.entries("dyskinesia", in: context) { entry throws(Rejection) in
            let (start, end) = try Self.times(of: entry, sent: header.sent)
            let shares = try Self.shares(["unlikely", "likely"], of: entry)
            return DyskineticSymptomResult(start: start, end: end, unlikely: shares[0], likely: shares[1])
        }
        self.init(tremor: tremor.sorted { $0.start < $1.start }, dyskinesia: dyskinesia.sorted { $0.start < $1.start })
    }

    private static func times(
        of entry: some FrameValue, sent: UnixTime?
    ) throws(Rejection) -> (start: UnixTime, end: UnixTime) {
        let start = try entry.required("startDate").unixTime()
        let node = try entry.required("endDate")
        let end = try node.unixTime()
        guard end > start else {
            throw node.rejection(.invalidValue, "\(end.seconds) is not after the start, \(start.seconds)")
        }
        if let sent, end > sent + toleranceSeconds {
            throw node.rejection(
                .timeOutOfRange, "\(end.seconds) s is later than the frame, which was sent at \(sent.seconds) s")
        }
        return (start, end)
    }

    private static func shares(_ keys: [String], of entry: some FrameValue) throws(Rejection) -> [Double] {
        var shares: [Double] = []
        for key in keys {
            let node = try entry.required(key)
            let share = try node.number()
            guard (0...1).contains(share) else { throw node.rejection(.invalidValue, "a share of \(share), expected 0 to 1") }
            // Not -0.
            shares.append(share + 0)
        }
        let sum = shares.reduce(0, +)
        guard abs(sum - 1) <= sumTolerance else {
            throw entry.rejection(.invalidValue, "the shares sum to \(sum), expected 1")
        }
        return shares
    }
}
