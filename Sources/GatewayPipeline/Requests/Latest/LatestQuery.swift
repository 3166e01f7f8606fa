import JSONText
package import TelemetryModel

/// The query `latest`: the last committed message of each kind of a device, retained or not.
///
/// Request: `{"kinds": ["depth-state", "connection"]}`; without `kinds`, or with none, all. A kind names those below it, too.
package struct LatestQuery: Sendable, Equatable {
    /// The kinds that are asked for.
    package let kinds: KindFilter

    init(_ body: JSONNode?) throws(RequestFailure) {
        do throws(Rejection) { kinds = try KindFilter(body) } catch { throw RequestFailure(error) }
    }

    /// The reply with `messages` as they were published, and `notCurrent`, which says of which kinds the value may not be shown as
    /// current, and why: `expired` (past `validUntil`), or the quality where that is not `valid`.
    ///
    /// Of two messages of one kind, such as `gap` of two lanes, the one received later counts. `damaged` are the kinds whose message cannot be
    /// read.
    package func reply(
        to request: Request, _ messages: [StoredMessage], damaged: [String] = [], at now: UnixTime
    ) -> Reply {
        let splitter = JSONSplitter()
        let read = messages.filter { request.covers($0.kind) }.map { LatestMessage($0, splitter) }
        let latest = Dictionary(read.map { ($0.kind, $0) }) { $0.received >= $1.received ? $0 : $1 }.values
            .sorted { $0.kind < $1.kind }
        return .holding(request, at: now) { json in
            json.array("messages") { json in
                for message in latest { json.element(raw: message.payload) }
            }
            json.array("notCurrent") { json in
                for message in latest {
                    let reasons = message.reasons(at: now)
                    guard !reasons.isEmpty else { continue }
                    json.object { json in
                        json.field("kind", message.kind)
                        json.field("reasons", reasons)
                    }
                }
            }
            let damaged = damaged.filter(request.covers)
            if !damaged.isEmpty { json.field("damaged", damaged) }
        }
    }
}

/// A message with what the query reads of it.
private struct LatestMessage {
    let kind: String
    let payload: [UInt8]
    let received: Double
    private let quality: String
    private let validUntil: Double?

    init(_ message: StoredMessage, _ splitter: JSONSplitter) {
        kind = message.kind
        payload = message.payload
        let members = (try? splitter.split(message.payload[...], "received", "quality", "validUntil")) ?? [nil, nil, nil]
        received = members[0]?.number ?? 0
        quality = members[1]?.text ?? Quality.valid.rawValue
        validUntil = members[2]?.number
    }

    func reasons(at now: UnixTime) -> [String] {
        let isExpired = validUntil.map { $0 <= now.seconds } ?? false
        return (isExpired ? ["expired"] : []) + (quality == Quality.valid.rawValue ? [] : [quality])
    }
}
