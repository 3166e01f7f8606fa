package import TelemetryModel

/// A message of a device that cannot be processed yet, kept as it arrived.
///
/// It counts as processed and is stored with the state: acknowledgements are one queue, so one missing frame would hold up those
/// of all devices.
package struct WaitingMessage: Sendable, Equatable, Codable {
    /// What the message waits for.
    package enum Reason: String, Sendable, Codable {
        /// A frame with a smaller `seq`.
        case earlierFrame
        /// The units and signs of its motion, which are measured from samples.
        case units
        /// A workout of the device.
        case workout
        /// The end of the current boot: the message belongs to another.
        case boot
        /// The end of the current run of the boot: the message may belong to another.
        case run
    }

    /// Its place in the order of arrival; unique for the device.
    package var number: UInt64 = 0
    /// The message as it arrived; without payload where the frame was rejected and only its `seq` is kept.
    package var message: InboundMessage
    /// Whether the frame was rejected, so that only its `seq` is kept.
    package var isPlace = false
    /// What its `seq` is counted in.
    package var scope: SequenceScope
    /// Its header.
    package var header: FrameHeader
    /// The streams of its frames.
    package var streams: [StreamName]
    /// The device time of its first sample; its uptime where it has none.
    package var firstSample: DeviceTime
    /// When it arrived.
    package var received: GatewayTime
    /// What it waits for.
    package var reason = Reason.earlierFrame
    /// When the wait ends, on the gateway's monotonic clock in seconds.
    package var until = Double.infinity

    /// What was decoded of a depth frame, in memory alone.
    private var kept = Kept()

    private struct Kept: Sendable, Equatable {
        var depths: DecodedSubmersion?

        /// It follows from the message.
        static func == (left: Self, right: Self) -> Bool { true }
    }

    private enum CodingKeys: String, CodingKey {
        case number, message, isPlace, scope, header, streams, firstSample, received, reason, until
    }

    /// What the message holds, decoded again where that is not kept.
    func decoded(by decoder: MessageDecoder) throws(Rejection) -> DecodedMessage {
        var decoded =
            if let depths = kept.depths {
                DecodedMessage(message, received: received, scope: scope, header: header, content: .frames([.submersion(depths)]))
            } else {
                try decoder.decode(message, stream: scope.stream, received: received)
            }
        decoded.firstSample = firstSample
        return decoded
    }

    /// Drops what was decoded.
    fileprivate mutating func dropDecoded() { kept.depths = nil }

    /// Bytes that count against the limits.
    package var bytes: Int { message.payload.count + message.topic.utf8.count }

    /// Whether depth waits: these waits are the last to be ended for lack of room.
    package var isSubmersion: Bool { scope.stream == .submersion }
}

extension WaitingMessage {
    /// A message that waits. With `keepsDecoded` it is not decoded again where what was decoded takes no more room than the payload: that is
    /// so of depths in JSON, of which much may wait for a broker that delivers again. Samples of motion would take several times as much.
    init(_ decoded: DecodedMessage, for reason: Reason, until: Double, keepsDecoded: Bool) {
        self.init(
            message: decoded.message, scope: decoded.scope, header: decoded.header, streams: decoded.frames.map(\.stream),
            firstSample: decoded.firstSample, received: decoded.received, reason: reason, until: until)
        guard keepsDecoded, isSubmersion, case .submersion(let depths)? = decoded.body,
            depths.bytes <= message.payload.count, decoded.quantization.isEmpty
        else { return }
        kept.depths = depths
    }

    /// The `seq` of a rejected message of `streams`.
    init(
        placeOf header: FrameHeader, scope: SequenceScope, topic: String, streams: [StreamName], firstSample: DeviceTime,
        received: GatewayTime
    ) {
        self.init(
            message: InboundMessage(topic: topic, payload: []), scope: scope, header: header, streams: streams,
            firstSample: firstSample, received: received)
        isPlace = true
    }
}

/// The messages of one device that wait, in the order of their arrival.
package struct WaitingMessages: Sendable, Equatable, Codable {
    /// The messages that wait.
    package private(set) var messages: [WaitingMessage] = []
    /// Bytes of all messages.
    package private(set) var bytes = 0
    /// How many messages wait, without the places of rejected ones: each will have an outcome.
    package private(set) var count = 0
    private var nextNumber: UInt64 = 0
    /// The first number that is not stored yet.
    private var firstUnstored: UInt64 = 0
    /// Numbers that are stored of messages that wait no more.
    private var removed: [UInt64] = []
    /// Whether messages that are stored have changed.
    private var isChanged = false
    /// How often messages began to wait for something else.
    private var changes = 0

    /// Whether nothing waits.
    package var isEmpty: Bool { messages.isEmpty }

    /// Adds a message behind those that wait.
    mutating func insert(_ message: WaitingMessage) {
        var message = message
        message.number = nextNumber
        nextNumber &+= 1
        bytes += message.bytes
        if !message.isPlace { count += 1 }
        messages.append(message)
    }

    /// Removes the message at `index` of `messages`.
    mutating func remove(at index: Int) -> WaitingMessage {
        let message = messages.remove(at: index)
        noteRemoved(message)
        return message
    }

    private mutating func noteRemoved(_ message: WaitingMessage) {
        bytes -= message.bytes
        if !message.isPlace { count -= 1 }
        if message.number < firstUnstored { self.removed.append(message.number) }
    }

    /// Removes the messages for which `condition` is true, and returns them in the order of arrival.
    mutating func removeAll(where condition: (WaitingMessage) -> Bool) -> [WaitingMessage] {
        guard messages.contains(where: condition) else { return [] }
        let removed = messages.filter(condition)
        messages.removeAll(where: condition)
        for message in removed { noteRemoved(message) }
        return removed
    }

    /// Drops what was decoded of all.
    mutating func dropDecoded() { for index in messages.indices { messages[index].dropDecoded() } }

    /// Whether a message waits for `reason`.
    func holds(_ reason: WaitingMessage.Reason) -> Bool { messages.contains { $0.reason == reason } }

    /// How many messages and bytes of `scope` wait for `reason`.
    func load(of scope: SequenceScope, _ reason: WaitingMessage.Reason) -> (count: Int, bytes: Int) {
        messages.reduce(into: (0, 0)) { load, message in
            guard message.scope == scope, message.reason == reason else { return }
            load.0 += 1
            load.1 += message.bytes
        }
    }

    /// The index of the message of `scope` with the smallest `seq` that waits for an earlier one.
    func lowest(of scope: SequenceScope) -> Int? {
        messages.indices.filter { messages[$0].scope == scope && messages[$0].reason == .earlierFrame }
            .min { (messages[$0].header.sequence ?? 0) < (messages[$1].header.sequence ?? 0) }
    }

    /// The index of the message whose wait is over first at `monotonic` seconds, among those that `expiring` lets end.
    func firstDue(at monotonic: Double, _ expiring: WaitExpiry) -> Int? {
        guard expiring != .none else { return nil }
        return messages.indices
            .filter { messages[$0].until <= monotonic && (expiring == .all || messages[$0].isSubmersion) }
            .min { (messages[$0].until, messages[$0].number) < (messages[$1].until, messages[$1].number) }
    }

    /// When the first wait ends, on the gateway's monotonic clock; nil when nothing waits.
    var deadline: Double? { messages.lazy.map(\.until).min() }

    /// Changes whenever messages begin or end to wait.
    var version: Version { Version(nextNumber: nextNumber, count: messages.count, changes: changes) }

    struct Version: Equatable {
        fileprivate var nextNumber: UInt64
        fileprivate var count: Int
        fileprivate var changes: Int
    }

    /// The device time of the first sample that waits in each stream; those of another boot do not count.
    var firstSamples: [StreamName: DeviceTime] {
        guard !messages.isEmpty else { return [:] }
        var first: [StreamName: DeviceTime] = [:]
        for message in messages where message.reason != .boot && message.reason != .run && !message.isPlace {
            for stream in message.streams { first[stream] = min(first[stream] ?? message.firstSample, message.firstSample) }
        }
        return first
    }

    /// The streams with frames that wait for earlier ones.
    var incompleteStreams: Set<StreamName> {
        messages.reduce(into: []) { streams, message in
            if message.reason == .earlierFrame { streams.formUnion(message.streams) }
        }
    }

    /// When the first of the messages that wait for an earlier frame arrived, on the gateway's monotonic clock; nil when none does.
    var incompleteSince: Double? { messages.lazy.filter { $0.reason == .earlierFrame }.map(\.received.monotonic).min() }

    /// Ends every wait `seconds` later.
    mutating func postpone(by seconds: Double) {
        isChanged = !messages.isEmpty
        for index in messages.indices { messages[index].until += seconds }
    }

    /// Makes messages of `scope` that wait for earlier frames wait for a run until `until` instead: those for which `condition` is true.
    mutating func awaitRun(_ scope: SequenceScope, until: (WaitingMessage) -> Double, where condition: (WaitingMessage) -> Bool) {
        for index in messages.indices
        where messages[index].scope == scope && messages[index].reason == .earlierFrame && condition(messages[index]) {
            messages[index].reason = .run
            messages[index].until = until(messages[index])
            changes &+= 1
            isChanged = true
        }
    }

    /// Ends no wait for `reason` before `monotonic`.
    mutating func extend(_ reason: WaitingMessage.Reason, to monotonic: Double) {
        for index in messages.indices where messages[index].reason == reason && messages[index].until < monotonic {
            messages[index].until = monotonic
            isChanged = true
        }
    }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) {
        for index in messages.indices {
            messages[index].until += seconds
            messages[index].received.monotonic += seconds
        }
    }
}

/// Messages that wait are stored one by one: their numbers in the room, themselves as rows.
extension WaitingMessages {
    private enum CodingKeys: String, CodingKey {
        case nextNumber
    }

    /// Reads the numbering; the messages are put back with `restore`.
    package init(from decoder: any Decoder) throws {
        nextNumber = try decoder.container(keyedBy: CodingKeys.self).decode(UInt64.self, forKey: .nextNumber)
        firstUnstored = nextNumber
    }

    /// Writes the numbering.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(nextNumber, forKey: .nextNumber)
    }

    /// Compares what waits.
    package static func == (left: Self, right: Self) -> Bool {
        left.messages == right.messages && left.nextNumber == right.nextNumber
    }

    /// Whether messages began or ended to wait, or were postponed, since the last `takeStored`.
    var isUnstored: Bool { firstUnstored < nextNumber || !removed.isEmpty || isChanged }

    /// The messages that are to be stored, or all of them, and the stored numbers of those that wait no more; both count as
    /// stored from here on.
    mutating func takeStored(all: Bool) -> (added: [WaitingMessage], removed: [UInt64]) {
        let added = all || isChanged ? messages : messages.filter { $0.number >= firstUnstored }
        defer {
            firstUnstored = nextNumber
            removed = []
            isChanged = false
        }
        return (added, all ? [] : removed)
    }

    /// Puts back the messages that were stored.
    mutating func restore(_ stored: [WaitingMessage]) {
        messages = stored.sorted { $0.number < $1.number }
        bytes = stored.reduce(0) { $0 + $1.bytes }
        count = stored.count { !$0.isPlace }
        nextNumber = max(nextNumber, messages.last.map { $0.number &+ 1 } ?? 0)
        firstUnstored = nextNumber
    }
}
