package import TelemetryModel

/// A message of a device and what it holds, well-formed but in the device's own units and clocks: frames of one scope, or a report of its presence.
package struct DecodedMessage: Sendable, Equatable {
    /// The kinds of content.
    package enum Content: Sendable, Equatable {
        /// Frames, of one stream or several; none where nothing in it is used.
        case frames([DecodedBody])
        /// A last will of the contract (`status` with neither `seq` nor `uptime`): exempt from `seq`, effective on arrival, if it is of the
        /// current boot. Of its header only the boot is defined.
        case lastWill(DecodedBody)
        /// A report by another party that the device is online or offline, effective on arrival, whatever the boot.
        case presence(DeviceStatus.State)
    }

    /// The message as it arrived.
    package let message: InboundMessage
    /// When it arrived.
    package let received: GatewayTime
    /// What its `seq` is counted in.
    package let scope: SequenceScope
    /// The boot, the `seq` and the clocks that all its frames share.
    package let header: FrameHeader
    /// What it holds.
    package var content: Content
    /// How far scaled columns may be off.
    package var quantization = Quantization()
    /// What of it is not used, for the counters.
    package var passedOver = PassedOver()
    /// The device time of its first new sample, once that is known; until then its uptime.
    var firstSample: DeviceTime

    /// What a message of `scope` that arrived at `received` holds.
    package init(
        _ message: InboundMessage, received: GatewayTime, scope: SequenceScope, header: FrameHeader, content: Content
    ) {
        self.message = message
        self.received = received
        self.scope = scope
        self.header = header
        self.content = content
        firstSample = header.uptime
    }

    /// What its frames hold, if it holds any.
    package var frames: [DecodedBody] { if case .frames(let frames) = content { frames } else { [] } }

    /// What its first frame holds, or the last will.
    package var body: DecodedBody? { if case .lastWill(let body) = content { body } else { frames.first } }
}

/// What a frame holds before normalization; indirect like `FrameBody`.
package indirect enum DecodedBody: Sendable, Equatable {
    /// Already in the model's units and in device time.
    case model(FrameBody)
    /// Submersion data in the device's units, dated by either clock.
    case submersion(DecodedSubmersion)
    /// Steps and pauses, dated by the device's wall clock.
    case pedometer(DecodedPedometer)
    /// Motion in a producer's units and signs.
    case motion(DecodedMotion)
}

extension DecodedBody {
    /// The stream it is of.
    package var stream: StreamName {
        switch self {
        case .model(let body): body.stream
        case .submersion: .submersion
        case .pedometer: .pedometer
        case .motion(let motion): motion.stream
        }
    }
}

/// A message as the broker delivered it, or as a recording holds it.
package struct InboundMessage: Sendable, Equatable, Codable {
    /// The topic it came on, mount prefix included.
    package var topic: String
    /// The bytes, not decoded.
    package var payload: [UInt8]
    /// The retain flag of the delivery.
    package var retain: Bool
    /// The MQTT 5 content type, if there was one.
    package var contentType: String?

    /// A message on `topic`.
    package init(topic: String, payload: [UInt8], retain: Bool = false, contentType: String? = nil) {
        self.topic = topic
        self.payload = payload
        self.retain = retain
        self.contentType = contentType
    }
}

/// What `seq` is counted in: a stream of the contract, or the envelopes of a producer, each of which may hold frames of several
/// streams.
package struct SequenceScope: Hashable, Sendable, Codable {
    /// The stream's or the producer's name.
    package let name: String
    /// The stream; nil for envelopes.
    package let stream: StreamName?

    /// The scope of a stream's frames.
    package init(_ stream: StreamName) {
        name = stream.rawValue
        self.stream = stream
    }

    /// The scope of a producer's envelopes.
    package init(producer: String) { self.init(name: producer) }

    private init(name: String) {
        self.name = name
        stream = StreamName(rawValue: name)
    }

    /// Whether the names are equal: that of a stream is no producer's.
    package static func == (left: Self, right: Self) -> Bool {
        left.stream == right.stream && (left.stream != nil || left.name == right.name)
    }

    /// Hashes the name.
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Reads the name.
    package init(from decoder: any Decoder) throws { self.init(name: try decoder.singleValueContainer().decode(String.self)) }

    /// Writes the name.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// The parts of a message that are not used.
package struct PassedOver: Sendable, Equatable {
    /// Readings that nothing is derived from, by name.
    package var ignored: [String: Int] = [:]
    /// Readings that repeat an earlier one.
    package var repeated = 0
    /// Readings that cannot be read.
    package private(set) var refused = 0
    /// Why the first of these cannot, with its place; nil where all can.
    package private(set) var refusal: Rejection?

    /// What is to be reported of the readings that cannot be read; nil where all can.
    package var report: Rejection? {
        guard var report = refusal else { return nil }
        let what = refused == 1 ? "a reading is left out" : "\(refused) readings are left out, the first"
        report.detail = "\(what): \(report.detail)"
        return report
    }

    /// Counts a reading that cannot be read, which is left out, not those beside it.
    ///
    /// Throws `rejection` again where it is about the payload as a whole.
    mutating func leaveOut(_ rejection: Rejection) throws(Rejection) {
        guard rejection.concernsOneValue else { throw rejection }
        count(rejection)
    }

    /// What `field` gives; nil where it throws, which is counted whatever the reason: for a field beside others that can be read.
    mutating func reading<Value>(_ field: () throws(Rejection) -> Value?) -> Value? {
        do throws(Rejection) {
            return try field()
        } catch {
            count(error)
            return nil
        }
    }

    /// Counts what cannot be read.
    mutating func count(_ rejection: Rejection) {
        refused += 1
        if refusal == nil { refusal = rejection }
    }
}

/// Counts by name. Senders choose the names, so their number is limited.
package struct NameCounts: Sendable, Equatable {
    /// The greatest number of names, `others` included.
    package static let most = 32
    /// The name under which further names are counted.
    package static let others = "others"
    private static let longestName = 40

    /// The count of each name.
    package private(set) var counts: [String: Int] = [:]

    /// Counts `name` another `count` times.
    package mutating func add(_ count: Int, of name: String) {
        let short = name.isEmpty ? Self.others : String(name.unicodeScalars.prefix(Self.longestName))
        let isKnown = counts[short] != nil || counts.count < Self.most - 1
        counts[isKnown ? short : Self.others, default: 0].addSaturated(count)
    }

    /// The sum of two counts, by the same rule.
    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        for (name, count) in right.counts.sorted(by: { $0.key < $1.key }) { sum.add(count, of: name) }
        return sum
    }
}
