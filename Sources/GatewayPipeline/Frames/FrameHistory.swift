internal import DequeModule
package import TelemetryModel

/// The latest frames of one stream, by which a device time is assigned a `seq` and a clock offset.
package struct FrameHistory: Sendable, Equatable {
    /// The entry of one frame.
    package struct Entry: Sendable, Equatable {
        /// Its place in the stream, if it had one.
        package var sequence: UInt64?
        /// The device times it covers.
        package var first, last: DeviceTime
        /// Seconds to add to device time to get unix time.
        package var offset: Double
        /// How far ahead of the gateway's the device's wall clock ran, beyond the allowance; nil when it did not.
        package var skew: Double?

        /// A frame that covers `first...last`.
        package init(sequence: UInt64?, first: DeviceTime, last: DeviceTime, offset: Double, skew: Double?) {
            self.sequence = sequence
            self.first = first
            self.last = last
            self.offset = offset
            self.skew = skew
        }
    }

    /// A swing is derived from at most a few one-second frames.
    private static let capacity = 12
    private var entries: Deque<Entry> = []

    /// No frame yet.
    package init() {}

    /// Adds a frame, in the order of processing.
    package mutating func append(_ entry: Entry) {
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append(entry)
    }

    /// The frame processed last.
    package var latest: Entry? { entries.last }

    /// The frame that carries the sample at `time`: the first that ends at or after it, else the latest.
    package func entry(at time: DeviceTime) -> Entry? { entries(endingFrom: time).first ?? entries.last }

    /// The latest frames that end at or after `time`. They are searched backwards: most samples are of the last one.
    private func entries(endingFrom time: DeviceTime) -> Slice<Deque<Entry>> {
        let before = entries.lastIndex { $0.last < time } ?? -1
        return entries[(before + 1)...]
    }

    /// The `seq` range of the frames that overlap `span`; nil when none had a `seq`.
    package func sequences(overlapping span: ClosedRange<DeviceTime>) -> ClosedRange<UInt64>? {
        var sequences: ClosedRange<UInt64>?
        var isOverlapped = false
        for entry in entries(endingFrom: span.lowerBound) where entry.first <= span.upperBound {
            isOverlapped = true
            guard let sequence = entry.sequence else { continue }
            sequences = min(sequences?.lowerBound ?? sequence, sequence)...max(sequences?.upperBound ?? sequence, sequence)
        }
        return isOverlapped ? sequences : entry(at: span.upperBound)?.sequence.map { $0...$0 }
    }
}

/// Entries are stored as columns: a history is part of every checkpoint of its device.
extension FrameHistory: Codable {
    private enum CodingKeys: String, CodingKey {
        case sequence, first, last, offset, skew
    }

    /// What stands for an entry without `seq`, or without skew; both are 0 or more.
    private static let none = -1

    /// Reads columns.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let first = try container.decode([Double].self, forKey: .first)
        let sequence = try container.decode([Int].self, forKey: .sequence)
        let last = try container.decode([Double].self, forKey: .last)
        let offset = try container.decode([Double].self, forKey: .offset)
        let skew = try container.decode([Double].self, forKey: .skew)
        guard [sequence.count, last.count, offset.count, skew.count].allSatisfy({ $0 == first.count }) else {
            throw DecodingError.dataCorruptedError(forKey: .first, in: container, debugDescription: "columns of other lengths")
        }
        for index in first.indices {
            entries.append(
                Entry(
                    sequence: UInt64(exactly: sequence[index]), first: DeviceTime(first[index]), last: DeviceTime(last[index]),
                    offset: offset[index], skew: skew[index] == Double(Self.none) ? nil : skew[index]))
        }
    }

    /// Writes columns.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entries.map { $0.sequence.flatMap(Int.init(exactly:)) ?? Self.none }, forKey: .sequence)
        try container.encode(entries.map(\.first.seconds), forKey: .first)
        try container.encode(entries.map(\.last.seconds), forKey: .last)
        try container.encode(entries.map(\.offset), forKey: .offset)
        try container.encode(entries.map { $0.skew ?? Double(Self.none) }, forKey: .skew)
    }
}
