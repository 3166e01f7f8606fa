internal import JSONText

extension Array<RecordedAcceleration> {
    private static var maximumSamples: Int { 4096 }
    /// The microseconds from one sample to the next.
    private static var steps: ClosedRange<Int64> { 5_000...500_000 }
    private static var axes: ClosedRange<Double> { -64...64 }
    private static var identifiers: ClosedRange<UInt64> { 0...(1 << 53) }
    /// The contract allows 5 s past the frame's clock; a millisecond is kept for rounding.
    private static var tolerance: Double { 4.999 }

    /// Throws unless the samples can be written in a frame made at `instant`.
    func check(_ instant: DeviceInstant) throws(FrameError) {
        guard !isEmpty else { throw .empty }
        guard count <= Self.maximumSamples else { throw .tooMany(field: "samples", count: count, limit: Self.maximumSamples) }
        let hasWallClock = TimeRule.wallClock.contains(instant.unix)
        for (index, sample) in enumerated() {
            let field = "samples.startDate[\(index)]"
            try sample.startDate.checkFinite(field)
            guard TimeRule.wallClock.contains(sample.startDate),
                !hasWallClock || sample.startDate <= instant.unix + Self.tolerance
            else { throw .timeOutOfRange(field: field, seconds: sample.startDate) }
            try sample.acceleration.x.check("samples.x[\(index)]", Self.axes)
            try sample.acceleration.y.check("samples.y[\(index)]", Self.axes)
            try sample.acceleration.z.check("samples.z[\(index)]", Self.axes)
            guard index > 0 else { continue }
            guard let before = TimeRule.microseconds(self[index - 1].startDate),
                let time = TimeRule.microseconds(sample.startDate), Self.steps.contains(time - before)
            else {
                let seconds = sample.startDate - self[index - 1].startDate
                throw .sampleInterval(field: "samples.startDate", index: index, seconds: seconds)
            }
        }
        guard let identifiers = identifiers else { return }
        for (index, identifier) in identifiers.enumerated()
        where !Self.identifiers.contains(identifier) || (index > 0 && identifier <= identifiers[index - 1]) {
            throw .outOfRange(field: "samples.identifier[\(index)]", value: Double(identifier))
        }
    }

    /// The identifiers; nil unless every sample has one.
    private var identifiers: [UInt64]? {
        let identifiers = compactMap(\.identifier)
        return identifiers.count == count ? identifiers : nil
    }

    /// Writes the samples as columns.
    func write(into json: inout JSONWriter, _ encoding: FrameEncoding) {
        json.object("samples") { json in
            if let identifiers {
                json.array("identifier") { json in
                    for identifier in identifiers { json.fixed(nil, Int64(clamping: identifier), decimals: 0) }
                }
            }
            json.column("startDate", self, decimals: FrameEncoding.time) { $0.startDate }
            json.column("x", self, decimals: encoding.acceleration) { $0.acceleration.x }
            json.column("y", self, decimals: encoding.acceleration) { $0.acceleration.y }
            json.column("z", self, decimals: encoding.acceleration) { $0.acceleration.z }
        }
    }
}
