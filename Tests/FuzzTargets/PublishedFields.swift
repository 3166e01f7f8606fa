import GatewayPipeline

/// The members of a published message that invariants are about.
struct PublishedFields {
    private let payload: [UInt8]
    private let members: [JSONSplitter.Member?]

    /// The boot of its source.
    let boot: String?

    /// The members of `payload`, read by `splitter`, which other threads must not use.
    init(_ payload: [UInt8], _ splitter: JSONSplitter) {
        self.payload = payload
        do {
            members = try splitter.split(
                payload[...], "id", "device", "deviceTime", "depth", "quality", "state", "source", "received", "skew",
                "validUntil",
                "cause", "kind")
        } catch {
            fatalError("no JSON is published: \(String(decoding: payload, as: UTF8.self))")
        }
        boot = members[6].flatMap { (try? splitter.split($0.bytes, "boot"))?[0]?.text }
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
