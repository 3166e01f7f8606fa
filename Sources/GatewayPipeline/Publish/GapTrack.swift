import StateCoding
import TelemetryModel

/// The gaps of one stream of a device: the first is published at once, those that follow within a second wait and are published as one for each
/// boot, run, unit and cause.
struct GapTrack: Sendable, Equatable, Codable {
    /// How long gaps are gathered, in seconds.
    static let seconds = 1.0
    /// The most boots, runs, units and causes of which gaps wait.
    static let mostWaiting = 4

    /// When the last one was published, on the gateway's monotonic clock.
    private(set) var published: Double
    /// Those that wait, the oldest first.
    private(set) var waiting: [MergedGap] = []

    /// A track of which a gap was published at `monotonic` seconds.
    init(publishedAt monotonic: Double) { published = monotonic }

    /// When those that wait are due, on the gateway's monotonic clock; nil where none does.
    var due: Double? { waiting.isEmpty ? nil : published + Self.seconds }

    /// Whether the next gap waits at `monotonic` seconds.
    func holds(at monotonic: Double) -> Bool { !waiting.isEmpty || monotonic - published < Self.seconds }

    /// Adds a gap to those that wait; returns whether there was room.
    mutating func add(_ gap: MergedGap) -> Bool {
        if let index = waiting.firstIndex(where: { $0.joins(gap) }) {
            waiting[index].add(gap)
            return true
        }
        guard waiting.count < Self.mostWaiting else { return false }
        waiting.append(gap)
        return true
    }

    /// Takes out those that wait: they are published at `monotonic` seconds.
    mutating func take(at monotonic: Double) -> [MergedGap] {
        defer { (waiting, published) = ([], monotonic) }
        return waiting
    }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) { published += seconds }
}

/// One gap, or several of one boot, run, unit and cause.
struct MergedGap: Sendable, Equatable, Codable {
    /// The most ranges of a message. Where there are more, the nearest are joined.
    static let mostRanges = 64

    /// The boot of the frames around it.
    let boot: BootID
    /// The number of the run of the boot, from 2; nil for the first.
    let run: Int?
    /// The gap.
    private(set) var gap: Gap
    /// When it ends, in the time of the event.
    private(set) var time: DeviceTime
    /// First and last `seq` of the message.
    private(set) var sequence: ClosedRange<UInt64>?
    /// Seconds to add to device time to get unix time.
    private(set) var offset: Double
    /// How far ahead of the gateway's the device's wall clock ran, beyond the allowance.
    private(set) var skew: Double?

    /// The gap of a message; nil where that has no source.
    init?(_ gap: Gap, _ message: DerivedMessage) {
        guard let source = message.source else { return nil }
        (boot, run, self.gap) = (source.boot, source.run, gap)
        (time, sequence, offset, skew) = (message.event.time, source.sequence, message.offset, message.skew)
    }

    /// The message, published at `received`.
    func message(of device: DeviceID, received: UnixTime) -> DerivedMessage {
        DerivedMessage(
            device: device, event: DerivedEvent(time: time, body: gap),
            source: .init(stream: gap.stream, boot: boot, run: run, sequence: sequence), offset: offset, skew: skew,
            received: received)
    }

    /// Whether `other` can be added.
    func joins(_ other: MergedGap) -> Bool {
        boot == other.boot && run == other.run && gap.unit == other.gap.unit && gap.cause == other.gap.cause
    }

    /// Adds a gap that was found after it.
    mutating func add(_ other: MergedGap) {
        if gap.unit == .frames {
            addRanges(of: other)
        } else {
            gap.expected.addSaturated(other.gap.expected)
            gap.received.addSaturated(other.gap.received)
        }
        gap.count.addSaturated(other.gap.count)
        gap.from = min(gap.from, other.gap.from)
        gap.to = max(gap.to, other.gap.to)
        (time, offset, skew) = (max(time, other.time), other.offset, other.skew)
    }

    private mutating func addRanges(of other: MergedGap) {
        if gap.ranges.isEmpty, let sequence { gap.ranges = [sequence] }
        let before = Self.length(of: gap.ranges)
        guard let added = other.sequence else { return gap.expected.addSaturated(other.gap.expected) }
        insert(added)
        gap.expected = gap.expected.addingSaturated(Self.length(of: gap.ranges).addingSaturated(-before))
        while gap.ranges.count > Self.mostRanges { joinNearest() }
        // Of what was stored it is not known that the ranges rise.
        if let first = gap.ranges.map(\.lowerBound).min(), let last = gap.ranges.map(\.upperBound).max() {
            sequence = first...last
        }
        gap.firstSequence = sequence?.lowerBound
    }

    /// Unites a range with those that it overlaps or adjoins.
    private mutating func insert(_ range: ClosedRange<UInt64>) {
        let start = gap.ranges.firstIndex { Self.reaches($0, range) } ?? gap.ranges.endIndex
        var (end, united) = (start, range)
        while end < gap.ranges.endIndex, Self.reaches(range, gap.ranges[end]) {
            united = min(united.lowerBound, gap.ranges[end].lowerBound)...max(united.upperBound, gap.ranges[end].upperBound)
            end += 1
        }
        gap.ranges.replaceSubrange(start..<end, with: CollectionOfOne(united))
    }

    /// Whether `right` begins at most one after `left` ends.
    private static func reaches(_ left: ClosedRange<UInt64>, _ right: ClosedRange<UInt64>) -> Bool {
        left.upperBound.addingReportingOverflow(1).partialValue >= right.lowerBound || left.upperBound == .max
    }

    /// Joins the two ranges with the fewest frames between them: those were received.
    private mutating func joinNearest() {
        func between(_ index: Int) -> UInt64 {
            let (left, right) = (gap.ranges[index].upperBound, gap.ranges[index + 1].lowerBound)
            return right > left ? right - left - 1 : 0
        }
        guard let index = gap.ranges.indices.dropLast().min(by: { between($0) < between($1) }) else { return }
        let received = Int(clamping: between(index))
        gap.expected.addSaturated(received)
        gap.received.addSaturated(received)
        let last = max(gap.ranges[index].upperBound, gap.ranges[index + 1].upperBound)
        gap.ranges[index] = gap.ranges[index].lowerBound...last
        gap.ranges.remove(at: index + 1)
    }

    private static func length(of ranges: [ClosedRange<UInt64>]) -> Int {
        ranges.reduce(0) { $0.addingSaturated(Int(clamping: $1.upperBound - $1.lowerBound).addingSaturated(1)) }
    }
}
