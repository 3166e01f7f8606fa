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

/// The estimate of one device's clock in one boot.
package struct DeviceClock: Sendable, Equatable, Codable {
    /// The greatest uptime that the device has sent.
    private var uptime: DeviceTime?
    /// The gateway's monotonic clock when the frame with it arrived.
    private var arrival = 0.0
    /// `sent - uptime` of the frame that arrived last, if it had a `sent`.
    private var sentOffset: Double?
    /// The smallest (received - uptime) so far: that of the fastest frame.
    private var smallestOffset: Double?

    /// Records the clocks of a frame that arrived at `now`.
    package mutating func observe(_ header: FrameHeader, at now: GatewayTime) {
        // A frame that comes behind a later one shows nothing new: it rewinds no timer.
        if uptime.map({ header.uptime > $0 }) ?? true {
            uptime = header.uptime
            arrival = now.monotonic
        }
        sentOffset = header.sent.map { $0.seconds - header.uptime.seconds } ?? sentOffset
        let offset = now.unix.seconds - header.uptime.seconds
        smallestOffset = min(smallestOffset ?? offset, offset)
    }

    /// Seconds to add to device time to get unix time, by the frame's own `sent` or else by the fastest frame so far.
    package func offset(for header: FrameHeader) -> Double {
        if let sent = header.sent { return sent.seconds - header.uptime.seconds }
        return smallestOffset ?? 0
    }

    /// Whether frames arrived at the very instant of their uptime at most: they are timed by the gateway's own wall clock.
    var isTimedByArrival: Bool { smallestOffset == 0 }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) { arrival += seconds }

    /// The frame with the greatest uptime: its instant in unix time, whether that is by its own `sent`, and its arrival on the gateway's
    /// monotonic clock; nil before the first.
    var latest: (instant: Double, isSent: Bool, arrival: Double)? {
        guard let uptime, let latestOffset else { return nil }
        return (uptime.seconds + latestOffset, sentOffset != nil, arrival)
    }

    /// Seconds to add to device time to get unix time, by the frames so far; nil before the first.
    var latestOffset: Double? { sentOffset ?? smallestOffset }

    /// The device's time at `now`: its greatest uptime and the gateway's time since that frame arrived; nil before the first.
    package func estimate(at now: GatewayTime) -> DeviceTime? {
        uptime.map { $0 + max(0, now.monotonic - arrival) }
    }
}
