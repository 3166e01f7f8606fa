import FoundationEssentials
package import GatewayPipeline

/// The declared kinds by the paths of their messages.
package struct DeclaredKinds: Sendable {
    /// A kind, and its place in the order of the documentation.
    package typealias Entry = (place: Int, kind: KindDescription)

    private let exact: [String: Entry]
    private let families: [Entry]

    /// The kinds of this program, unless others are given.
    package init(_ kinds: [KindDescription] = KindDescription.all) {
        let entries = kinds.enumerated().map { (place: $0.offset, kind: $0.element) }
        exact = Dictionary(entries.map { ($0.kind.name, $0) }) { first, _ in first }
        families = entries.filter { $0.kind.name.contains("{") }
    }

    /// The kind of messages with a path after `out/`; nil for one that is not declared.
    package subscript(path: String) -> Entry? { exact[path] ?? families.first { $0.kind.covers(path) } }

    /// The columns of the table, in their order.
    package var columns: [ViewColumn] {
        let entries = exact.values.sorted { $0.place < $1.place }
        return entries.compactMap(\.kind.view.cell?.column).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            .enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element)
    }

    /// The fields that the table draws over the last minutes, in the order of the documentation.
    package var trends: [(kind: String, field: String)] {
        exact.values.sorted { $0.place < $1.place }.compactMap { entry in entry.kind.view.trend.map { (entry.kind.name, $0) } }
    }

    /// The names of the kinds that the page's earlier days have, in the order of the documentation.
    package var episodes: [String] {
        exact.values.filter { $0.kind.view.episode != nil }.sorted { $0.place < $1.place }.map(\.kind.name)
    }

    /// The fields of a message on a path after `out/`; nil where the payload is no JSON object.
    package func fields(_ payload: [UInt8], on path: String) -> ShownFields? {
        guard let values = try? JSONDecoder().decode([String: MessageValue].self, from: Data(payload)) else { return nil }
        return ShownFields(path: path, values: values, kind: self[path]?.kind)
    }
}

extension ShownFields {
    /// How many occurrences a `gap` or a `rejected` stands for, 1 to 1,000,000.
    package var occurrences: Int { max(1, min(integer("count") ?? 1, 1_000_000)) }
}
