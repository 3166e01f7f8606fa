internal import JSONText

/// Makes the frames of one device: numbers them, checks every value, and writes them as the wire contract has it.
///
/// A frame that is returned is valid: the gateway can read it. What cannot be sent is a `FrameError`, and no `seq` is used up.
public struct FrameBuilder: Sendable {
    /// The id of the device.
    public let device: DeviceID

    /// The first levels of the device's topics.
    public let root: String

    /// The boot that frames are numbered in.
    public let boot: BootID

    /// How values are written.
    public var encoding: FrameEncoding

    private var next: [StreamName: UInt64] = [:]
    private var latest: DeviceInstant?

    private static let maximumBytes = 262_144
    private static let sequenceEnd: UInt64 = 1 << 53

    /// A builder that numbers every stream from 0 in `boot`.
    ///
    /// Each launch of an app needs a boot of its own, as long as the counters are not stored: frames with a `seq` that the
    /// gateway has seen already are discarded as repeated.
    public init(device: DeviceID, boot: BootID = .random(), root: String = "wearables", encoding: FrameEncoding = .json) {
        self.device = device
        self.boot = boot
        self.root = root
        self.encoding = encoding
    }

    /// A builder that continues where `counters` stand, if the monotonic clock still runs; else it begins a new boot.
    ///
    /// The clock still runs if `uptime` has not become less and differs from the wall clock by the same time as before, to 5 s.
    /// After a sleep of the device, or when its wall clock was set, a new boot begins, which is always safe.
    public init(
        device: DeviceID, resuming counters: FrameCounters, at instant: DeviceInstant = .now, root: String = "wearables",
        encoding: FrameEncoding = .json
    ) {
        self.init(
            device: device, boot: counters.isSameBoot(at: instant) ? counters.boot : .random(), root: root, encoding: encoding)
        guard boot == counters.boot else { return }
        for (name, sequence) in counters.next {
            if let stream = StreamName(rawValue: name) { next[stream] = sequence }
        }
    }

    /// The counters, to be stored before the frames that were counted are published; nil before the first frame.
    public var counters: FrameCounters? {
        guard let latest else { return nil }
        return FrameCounters(
            boot: boot, next: Dictionary(uniqueKeysWithValues: next.map { ($0.rawValue, $1) }), uptime: latest.uptime,
            unix: latest.unix)
    }

    /// The last will of a connection: `status` offline.
    public var will: LastWill {
        LastWill(
            topic: topic(.status),
            payload: JSONWriter.object { json in
                json.field("schema", Self.schema)
                json.field("boot", boot.rawValue)
                DeviceStatus(state: .offline).write(into: &json)
            })
    }

    /// Writes a frame with its header; `body` writes the fields after it, which have been checked.
    mutating func frame(
        _ stream: StreamName, at instant: DeviceInstant, _ body: (inout JSONWriter) -> Void
    ) throws(FrameError) -> Frame {
        let sequence = next[stream, default: 0]
        guard sequence < Self.sequenceEnd else { throw .sequenceExhausted }
        let payload = JSONWriter.object { json in
            json.field("schema", Self.schema)
            json.field("boot", boot.rawValue)
            json.field("seq", Int(sequence))
            json.field("uptime", instant.uptime, decimals: FrameEncoding.time)
            if TimeRule.wallClock.contains(instant.unix) {
                json.field("sent", instant.unix, decimals: FrameEncoding.time)
            }
            body(&json)
        }
        guard payload.count <= Self.maximumBytes else { throw .tooLarge(bytes: payload.count) }
        next[stream] = sequence + 1
        latest = instant
        return Frame(topic: topic(stream), stream: stream, boot: boot, sequence: sequence, payload: payload)
    }

    private static let schema = "wearables/1"

    private func topic(_ stream: StreamName) -> String { "\(root)/\(device)/in/\(stream.rawValue)" }
}

/// The `seq` counters of a `FrameBuilder`, to be stored over launches of an app.
public struct FrameCounters: Sendable, Hashable, Codable {
    /// The boot that is counted in.
    public var boot: BootID
    /// The next `seq` of each stream, by its name on the wire.
    public var next: [String: UInt64]
    /// The monotonic clock of the last frame, in seconds.
    public var uptime: Double
    /// The wall clock of the last frame, in unix seconds.
    public var unix: Double

    private static let tolerance = 5.0

    func isSameBoot(at instant: DeviceInstant) -> Bool {
        instant.uptime >= uptime && abs((instant.unix - instant.uptime) - (unix - uptime)) <= Self.tolerance
    }
}
