import FoundationEssentials

/// A declared kind of derived message, for kinds that the view has no picture for.
package struct LiveKind: Sendable {
    /// The path after `out/`.
    package let name: String
    /// Whether a message is a state rather than an event.
    let isRetained: Bool
    /// The fields with their units, in their order.
    let fields: [(name: String, unit: String?)]

    /// A kind.
    package init(name: String, isRetained: Bool, fields: [(name: String, unit: String?)]) {
        self.name = name
        self.isRetained = isRetained
        self.fields = fields
    }

    private static let shownFields = 4

    /// The first fields of a message that have a value, with their units; nil where it cannot be read or none has.
    func phrase(_ payload: [UInt8]) -> Phrase? {
        guard let values = try? JSONDecoder().decode([String: Value].self, from: Data(payload)) else { return nil }
        let shown = fields.compactMap { field in
            values[field.name]?.text.map { "\(field.name.words) \($0)" + (field.unit.map { " \($0)" } ?? "") }
        }
        guard !shown.isEmpty else { return nil }
        return Phrase("\(name.printable): " + shown.prefix(Self.shownFields).joined(separator: ", "))
    }

    /// A value that can be shown in a line.
    private struct Value: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                text = flag ? "yes" : "no"
            } else if let number = try? container.decode(Double.self) {
                text = number.text(2)
            } else {
                text = (try? container.decode(String.self))?.printable
            }
        }
    }
}
