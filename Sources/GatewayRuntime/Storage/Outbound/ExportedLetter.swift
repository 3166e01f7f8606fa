import GatewayPipeline
import Mosquitto
import TelemetryModel

/// What the broker refuses of a device, as an export has it: an outbound dead letter, or a state that clears a retained message.
///
/// It has no topic: the gateway that imports it may have another root.
struct ExportedLetter: Sendable, Equatable, Codable {
    /// Whose it is.
    let device: DeviceID
    /// The kind: the path after `out/`.
    let kind: String
    /// Whether it is a state.
    let isState: Bool
    private let at: Double
    private let refusal: String
    private let detail: String
    private let isOfMessage: Bool
    private let retain: Bool
    private let contentType: String?
    private let isText: Bool
    private let id: String?
    private let instant: String?
    private let payload: [UInt8]

    /// A letter on a topic under `root`; nil where that is of no device.
    init?(_ letter: OutboundLetter, isState: Bool = false, root: String) {
        let message = letter.message
        guard let (device, kind) = Self.place(of: message.topic, root: root) else { return nil }
        (self.device, self.kind, self.isState) = (device, kind, isState)
        (at, refusal, detail, isOfMessage) = (letter.at, letter.refusal.rawValue, letter.detail, letter.isOfMessage)
        (retain, contentType, isText) = (message.retain, message.contentType, message.isText)
        (id, instant, payload) = (message.property("id"), message.property("at"), message.payload)
    }

    /// The device and the kind of a topic under `root`; nil where it is of no device.
    static func place(of topic: String, root: String) -> (device: DeviceID, kind: String)? {
        let prefix = "\(root)/".utf8
        guard topic.utf8.starts(with: prefix) else { return nil }
        let parts = topic.utf8.dropFirst(prefix.count)
            .split(separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false).map { Substring($0) }
        guard parts.count == 3, parts[1] == "out", let device = DeviceID(parts[0]) else { return nil }
        return (device, String(parts[2]))
    }

    /// Whether a gateway may have written it: the file may come from anywhere.
    var isPossible: Bool {
        let wrong = [UInt8(ascii: "+"), UInt8(ascii: "#"), 0]
        return !kind.isEmpty && !kind.utf8.contains { wrong.contains($0) } && at.isFinite
    }

    /// The letter on the topic that `encoder` gives its kind.
    func letter(by encoder: OutboundEncoder) -> OutboundLetter {
        var message = MQTTMessage(
            topic: encoder.topic(kind, of: device), payload: payload, retain: retain, contentType: contentType)
        message.isText = isText
        message.setEvent(id: id, at: instant)
        return OutboundLetter(
            at: at, refusal: PublishRefusal(rawValue: refusal) ?? .other, detail: detail, isOfMessage: isOfMessage,
            message: message)
    }
}

extension OutboundLetters {
    /// The devices under `root` of which anything is kept.
    func devices(root: String) throws -> Set<DeviceID> {
        Set(try topics().compactMap { ExportedLetter.place(of: $0, root: root)?.device })
    }

    /// Replaces everything that is kept of `devices` by `letters`, in one transaction.
    func replace(_ devices: Set<DeviceID>, by letters: [ExportedLetter], encoder: OutboundEncoder) throws {
        let clearing = letters.filter(\.isState).map { encoder.topic($0.kind, of: $0.device) }
        try replace(
            devices.map { encoder.topic("", of: $0) }, by: letters.filter { !$0.isState }.map { $0.letter(by: encoder) },
            states: Dictionary(clearing.map { ($0, true) }) { first, _ in first })
    }

    /// Calls `body` with everything of devices under `root` that cannot be made again: letters, oldest first, and states that clear.
    func forEachExported(root: String, _ body: (ExportedLetter) throws -> Void) throws {
        try forEach { _, letter in
            if let letter = letter.flatMap({ ExportedLetter($0, root: root) }) { try body(letter) }
        }
        for (topic, isClearing) in try states().sorted(by: { $0.key < $1.key }) where isClearing {
            let clearing = OutboundLetter(
                at: 0, refusal: .other, detail: "", isOfMessage: false,
                message: MQTTMessage(topic: topic, payload: [], retain: true))
            if let letter = ExportedLetter(clearing, isState: true, root: root) { try body(letter) }
        }
    }
}
