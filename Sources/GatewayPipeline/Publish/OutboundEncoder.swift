package import JSONText
package import TelemetryModel

/// Encodes derived events as messages of the wire contract.
package struct OutboundEncoder: Sendable {
    /// The schema that every message names.
    package static let schema = "wearables/1"

    private let root: String
    let configurationFingerprint: String
    private let hasEventProperties: Bool
    private let droppableKinds: Set<String>
    private let alarms: AlarmSettings

    /// An encoder for topics under the root of `settings`.
    package init(_ settings: PipelineSettings) {
        root = settings.topics.rootPath
        configurationFingerprint = settings.configurationFingerprint
        hasEventProperties = settings.hasEventProperties
        droppableKinds = settings.droppableKinds
        alarms = settings.derive[AlarmDerivation.self]
    }

    /// The topic of `kind` for `device`.
    package func topic(_ kind: String, of device: DeviceID) -> String { "\(root)/\(device.rawValue)/out/\(kind)" }

    /// Whether messages of `kind` wait for no others; all of one topic, so that they keep their order. A depth waits for those that are urgent,
    /// of which there may be no flood: devices by the hundred fall silent where the broker drops what they send.
    private func isUrgent(_ kind: String) -> Bool {
        let depth = DepthStateChange.kind.name
        return kind == depth || alarms.rule(of: kind).map { $0.severity == .critical || $0.isAbout([depth]) } ?? false
    }

    private static func isAlarm(_ kind: String) -> Bool { kind.hasPrefix(Alarm.kind.prefix) }

    /// The retained kinds of which each message is of an instant of its own: a day, or a change of wear.
    private static let dated: Set<String> = [ActivityDay.kind.name, WearChange.kind.name]

    /// Whether a newer message of `kind` replaces one that is retained. An alarm that was raised is told though it is cleared since.
    private static func isState(_ kind: String) -> Bool { !dated.contains(kind) && !isAlarm(kind) }

    /// The message that clears the retained message of `kind` for `device`.
    package func clearing(_ kind: String, of device: DeviceID) -> OutboundMessage {
        OutboundMessage(
            topic: topic(kind, of: device), payload: [], retain: true, isState: Self.isState(kind),
            isUrgent: isUrgent(kind))
    }

    /// The kind under which the committed sequence of `stream` is published.
    package static func committedKind(_ stream: StreamName) -> String { "committed/\(stream.rawValue)" }

    /// The retained message that names the highest `seq` of `stream` up to which every frame is committed; `more` adds members.
    package func encodeCommitted(
        _ stream: StreamName, boot: BootID, sequence: UInt64, of device: DeviceID, _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> OutboundMessage {
        let kind = Self.committedKind(stream)
        let payload = JSONWriter.object { json in
            json.field("schema", Self.schema)
            json.field("device", device.rawValue)
            json.field("kind", kind)
            json.field("boot", boot.rawValue)
            json.field("seq", Int(clamping: sequence))
            more(&json)
        }
        return OutboundMessage(topic: topic(kind, of: device), payload: payload, retain: true)
    }

    /// The retained message that names up to where the recorded history is committed: boot and `seq`, the identifier and date of the
    /// latest sample, and the `seq` of other boots. Nil while the first frame of each boot is missing.
    func encodeCommitted(_ history: HistoryTrack, of device: DeviceID) -> OutboundMessage? {
        guard let newest = history.newestCommitted, let prefix = newest.prefix else { return nil }
        let others = history.orders.filter { $0.boot != newest.boot }.sorted { $0.boot.rawValue < $1.boot.rawValue }
            .compactMap { order in order.prefix.map { (boot: order.boot, last: $0.last) } }
        return encodeCommitted(.recordedAccelerometer, boot: newest.boot, sequence: prefix.last, of: device) { json in
            json.field("through", prefix.through.map { Int($0) })
            json.seconds("throughDate", prefix.throughDate?.seconds)
            guard !others.isEmpty else { return }
            json.array("otherBoots") { json in
                for other in others {
                    json.object { json in
                        json.field("boot", other.boot.rawValue)
                        json.field("seq", Int(clamping: other.last))
                    }
                }
            }
        }
    }

    /// The message that publishes `value` again; nil when it has expired.
    func restoring(_ kind: String, _ value: RetainedValue, of device: DeviceID, at now: UnixTime) -> OutboundMessage? {
        let left = value.validUntil.map { $0 - now }
        if let left, left <= 0 { return nil }
        return OutboundMessage(
            topic: topic(kind, of: device), payload: value.payload, retain: true, isState: Self.isState(kind),
            expirySeconds: left.flatMap(Self.expirySeconds), isUrgent: isUrgent(kind))
    }

    /// The message for `derived`.
    package func encode(_ derived: DerivedMessage) -> OutboundMessage {
        let event = derived.event
        let (id, kind) = (derived.id, event.body.path)
        let payload = JSONWriter.object { json in
            json.field("schema", Self.schema)
            json.field("id", id)
            json.field("device", derived.device.rawValue)
            json.field("kind", kind)
            json.seconds("at", derived.at.seconds)
            json.seconds("deviceTime", derived.hasDeviceTime ? event.time.seconds : nil)
            json.seconds("received", derived.received.seconds)
            if let source = derived.source {
                json.object("source") { json in
                    json.field("stream", source.stream.rawValue)
                    json.field("boot", source.boot.rawValue)
                    if let run = source.run { json.field("run", run) }
                    json.field("seq", source.sequence)
                }
            } else {
                json.null("source")
            }
            json.object("derivation") { json in
                json.field("version", derived.version)
                json.field("config", configurationFingerprint)
                if derived.source?.isFused == true { json.field("source", "fused") }
            }
            json.field("quality", event.quality.rawValue)
            if let validUntil = derived.validUntil { json.seconds("validUntil", validUntil.seconds) }
            if let skew = derived.skew { json.seconds("skew", skew) }
            event.body.encode(into: &json, of: derived)
        }
        var message = OutboundMessage(
            topic: topic(kind, of: derived.device), payload: payload, retain: event.body.isRetained,
            isState: event.body.isRetained && Self.isState(kind), expirySeconds: expiry(of: derived),
            isUrgent: isUrgent(kind),
            event: event.body.isRetained ? nil : properties(id, derived.at))
        message.mayBeLost = droppableKinds.contains(kind)
        return message
    }

    /// The user properties of an event; nil where the settings do not ask for them.
    func properties(_ id: @autoclosure () -> String, _ at: UnixTime) -> OutboundMessage.EventProperties? {
        guard hasEventProperties else { return nil }
        var text = JSONWriter()
        text.seconds(nil, at.seconds)
        return .init(id: id(), at: String(decoding: text.bytes, as: UTF8.self))
    }

    /// The message expiry interval of `derived`; nil where it does not expire.
    private func expiry(of derived: DerivedMessage) -> UInt32? {
        guard derived.event.body.isRetained, let validUntil = derived.validUntil else { return nil }
        return Self.expirySeconds(left: validUntil - derived.received)
    }

    /// The message expiry interval of a value that is valid for `left` seconds more. A broker that counts in whole seconds removes a message up to
    /// a second before its interval is over, so the interval is a second longer. A value that is no longer valid is delivered for at least a second,
    /// so that subscribers receive the change.
    private static func expirySeconds(left: Double) -> UInt32? {
        UInt32(exactly: min(max(1, left), 4e9).rounded(.up) + 1)
    }
}
