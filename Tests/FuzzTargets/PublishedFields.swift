import GatewayPipeline

/// The members of a published message that invariants are about.
struct PublishedFields {
    private static let splitter = SharedSplitter()

    private let payload: [UInt8]
    private let members: [JSONSplitter.Member?]

    init(_ payload: [UInt8]) {
        self.payload = payload
        members = Self.splitter.members(of: payload)
    }

    /// The message.
    var description: String { String(decoding: payload, as: UTF8.self) }

    /// Its `id`; nil where it has none.
    var id: String? { members[0]?.text }
    /// Its `device`.
    var device: String? { members[1]?.text }
    /// Its `deviceTime` in s.
    var deviceTime: Double? { members[2]?.number }
    /// Its `depth` in m.
    var depth: Double? { members[3]?.number }
    /// Its `quality`.
    var quality: String? { members[4]?.text }
    /// Its `state`.
    var state: String? { members[5]?.text }
    /// Whether it depends on when the gateway ran, as silence does and what is published about access and connections.
    var dependsOnRun: Bool {
        if let cause = members[10]?.text { return !["sample", "event", "fault"].contains(cause) }
        let kind = members[11]?.text ?? ""
        return ["access/", "connection/", "session/", "gap", "rejected"].contains(where: kind.hasPrefix)
    }
    /// The boot of its source.
    var boot: String? { members[6].flatMap { Self.splitter.boot(of: $0.bytes) } }

    /// The message without what may differ under one `id`: `received`, `skew`, and `validUntil`, which depends on it.
    var content: [UInt8] {
        var content = payload
        let free = zip(["received", "skew", "validUntil"], members[7...9]).compactMap { name, member in
            // With the quoted name, the colon and the comma after it.
            member.map { $0.bytes.startIndex - name.utf8.count - 3..<min(payload.count, $0.bytes.endIndex + 1) }
        }
        for range in free.sorted(by: { $0.lowerBound > $1.lowerBound }) { content.removeSubrange(range) }
        return content
    }
}

/// The one splitter of a process: inputs run one after another.
private final class SharedSplitter: @unchecked Sendable {
    private let splitter = JSONSplitter()

    func members(of payload: [UInt8]) -> [JSONSplitter.Member?] {
        do {
            return try splitter.split(
                payload[...], "id", "device", "deviceTime", "depth", "quality", "state", "source", "received", "skew",
                "validUntil",
                "cause", "kind")
        } catch {
            fatalError("no JSON is published: \(String(decoding: payload, as: UTF8.self))")
        }
    }

    func boot(of source: ArraySlice<UInt8>) -> String? { (try? splitter.split(source, "boot"))?[0]?.text }
}
