import GatewayPipeline

/// Which streams of a device are refused, and why: at most 64, as a level of a path may be any text.
package struct AccessState: Sendable, Hashable {
    private static let most = 64
    /// The longest reason that is kept, in characters.
    private static let longest = 64

    /// The reason of each refused stream, in words.
    package private(set) var refusals: [String: String] = [:]

    /// Every refusal there has been, in order, each once.
    package private(set) var history: [String] = []

    mutating func take(_ stream: String, _ fields: ShownFields) -> Phrase? {
        guard let allowed = fields.flag("allowed") else { return nil }
        guard !allowed else {
            return refusals.removeValue(forKey: stream).map { _ in Phrase("\(stream.printable) allowed", .good) }
        }
        guard refusals[stream] != nil || refusals.count < Self.most else { return nil }
        let reason = Self.words(fields)
        let text = "\(stream.printable) refused: \(reason)"
        if !history.contains(text), history.count < 16 { history.append(text) }
        return refusals.updateValue(reason, forKey: stream) == reason ? nil : Phrase(text, .danger)
    }

    mutating func clear(_ stream: String) {
        refusals[stream] = nil
    }

    var headline: Phrase? {
        guard let (stream, reason) = refusals.min(by: { $0.key < $1.key }) else { return nil }
        let others = refusals.count > 1 ? " and \((refusals.count - 1).counted("other stream"))" : ""
        return Phrase("\(stream.printable)\(others) refused: \(reason)", .danger)
    }

    private static func words(_ fields: ShownFields) -> String {
        let reason: String =
            switch fields.integer("code") {
            case 105, 111: "not authorized"
            case 108: "no workout running"
            case 109: "not available"
            case 110: "not entitled"
            default: fields.words("reason")?.start(scalars: longest) ?? "no reason given"
            }
        return fields.integer("code").map { "\(reason) (\($0))" } ?? reason
    }
}
