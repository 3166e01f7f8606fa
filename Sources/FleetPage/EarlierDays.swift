import GatewayPipeline
import JSONText
package import LiveView
import Synchronization
import TelemetryModel

/// What a device did in the days of which a gateway keeps the messages: its dives, sessions, sets and nights.
///
/// It asks anew after half a minute; between, and for further viewers, it answers from what it was sent.
package final class EarlierDays: Sendable {
    /// Bytes of documents that are kept.
    private static let mostBytes = 33_554_432
    /// Seconds for which a document is kept.
    private static let keptSeconds = 30.0
    /// Replies that are read of a device, of at most 200,000 bytes of messages each.
    private static let mostReplies = 12
    private static let replySeconds = 10.0
    private static let daySeconds = 86_400.0

    private struct Kept {
        var document: [UInt8]
        var at: Double
    }

    private let requests: PageRequests
    private let kinds: DeclaredKinds
    private let days: Double
    private let kept = Mutex<[String: Kept]>([:])

    /// Asks with `requests` for as many `days` as gateways keep.
    package init(requests: PageRequests, days: Double, kinds: DeclaredKinds = DeclaredKinds()) {
        self.requests = requests
        self.days = days
        self.kinds = kinds
    }

    /// The episodes of a device up to `now`, unix seconds, as a JSON object; `recordsDays` where it records its wearer's days and nights.
    ///
    /// Where there are none, or not all, the object says why.
    package func document(of device: String, recordsDays: Bool, at now: Double) async -> [UInt8] {
        if let known = kept.withLock({ $0[device] }), now >= known.at, now - known.at < Self.keptSeconds { return known.document }
        let named = kinds.episodes
        let consented = Set(Consent.allCases.flatMap(\.kinds))
        var found = Episodes()
        do throws(PageRequests.Failure) {
            try await read(named.filter { !consented.contains($0) }, of: device, at: now, into: &found)
            // Whether the person has consented only the gateway knows. A refusal is no more than that.
            if recordsDays {
                do throws(PageRequests.Failure) {
                    try await read(named.filter(consented.contains), of: device, at: now, into: &found)
                } catch {
                    guard case .refused("notAuthorized", _, _) = error else { throw error }
                }
            }
        } catch {
            found.problem = error.text
        }
        let document = found.json(device: device, from: now - days * Self.daySeconds, to: now)
        if found.problem == nil { keep(document, of: device, at: now) }
        return document
    }

    private func read(
        _ kinds: [String], of device: String, at now: Double, into found: inout Episodes
    ) async throws(PageRequests.Failure) {
        guard !kinds.isEmpty else { return }
        var body: [String: MessageValue] = [
            "kinds": .list(kinds.map(MessageValue.text)), "from": .number(now - days * Self.daySeconds),
            "to": .number(now + Self.daySeconds), "limit": .number(1_000),
        ]
        for _ in 0..<Self.mostReplies {
            let reply = try await requests.ask("events", of: device, body, within: Self.replySeconds)
            guard let next = found.add(reply, self.kinds) else { return }
            body["after"] = next
        }
        found.isComplete = false
    }

    private func keep(_ document: [UInt8], of device: String, at now: Double) {
        kept.withLock { kept in
            kept = kept.filter { now >= $0.value.at && now - $0.value.at < Self.keptSeconds }
            let bytes = kept.values.reduce(document.count) { $0 + $1.document.count }
            if bytes <= Self.mostBytes { kept[device] = Kept(document: document, at: now) }
        }
    }
}

/// The episodes of one device as they were published; of revisions the last.
private struct Episodes {
    private var entries: [String: (start: Double, fields: ShownFields, kind: KindDescription)] = [:]
    /// Why there are none, or no more.
    var problem: String?
    /// Whether all of the time is there.
    var isComplete = true

    /// Adds the messages of a reply; returns where to go on, nil at the end.
    mutating func add(_ reply: [UInt8], _ kinds: DeclaredKinds) -> MessageValue? {
        guard let fields = kinds.fields(reply, on: "reply") else { return nil }
        if case .list(let messages) = fields.values["messages"] {
            for case .object(let values) in messages {
                guard let path = values["kind"]?.text, let kind = kinds[path]?.kind, kind.view.episode != nil else { continue }
                let fields = ShownFields(path: path, values: values, kind: kind)
                guard let start = fields.number("since") ?? fields.number("start") ?? fields.at else { continue }
                entries["\(path) \(start)"] = (start, fields, kind)
            }
        }
        if fields.values["damaged"] != nil { isComplete = false }
        return fields.values["next"] == .null ? nil : fields.values["next"]
    }

    private var ordered: [(start: Double, fields: ShownFields, kind: KindDescription)] {
        entries.values.sorted { ($0.start, $0.fields.path) < ($1.start, $1.fields.path) }
    }

    func json(device: String, from: Double, to: Double) -> [UInt8] {
        JSONWriter.object { json in
            json.field("device", device)
            json.seconds("from", from)
            json.seconds("to", to)
            json.field("problem", problem)
            json.field("isComplete", isComplete)
            json.array("episodes") { json in
                for (start, fields, kind) in ordered {
                    json.object { json in
                        json.field("kind", fields.path)
                        json.field("heading", kind.view.episode?.heading)
                        json.seconds("start", start)
                        json.seconds("end", fields.number("end") ?? fields.at)
                        json.field("text", kind.view.episode?.text(fields)?.text)
                        json.array("facts") { json in
                            for fact in fields.facts {
                                json.array { json in
                                    json.element(fact.name)
                                    json.element(fact.text)
                                }
                            }
                        }
                        json.raw("message", fields.json)
                    }
                }
            }
        }
    }
}
