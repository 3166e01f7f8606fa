import GatewayPipeline

/// What is written together: the kinds of derived messages with the same first level.
package struct ExportTable: Sendable, Equatable {
    /// The first level of the kinds: the measurement of line protocol, the name of a CSV file.
    package let name: String

    /// The fields of the kinds in the order of their declaration, as paths of keys.
    let fields: [[String]]

    /// The names of the fields; a component is named `attitude.x`.
    package var fieldNames: [String] { fields.map { $0.joined(separator: ".") } }

    /// Every table, in the order of the documentation.
    package static let all: [ExportTable] = {
        var tables: [ExportTable] = []
        for kind in KindDescription.all {
            let name = String(kind.name.prefix { $0 != "/" })
            // The instants of a series are those of its rows.
            let fields = kind.fields.filter { kind.sampledKind == nil || $0.name != "timestamp" }.flatMap(paths)
            if let index = tables.firstIndex(where: { $0.name == name }) {
                let known = tables[index].fields
                tables[index] = ExportTable(name: name, fields: known + fields.filter { !known.contains($0) })
            } else {
                tables.append(ExportTable(name: name, fields: fields))
            }
        }
        return tables + [rejected]
    }()

    /// Rejections are no kind of a derivation. Their payload is left out.
    private static let rejected = ExportTable(
        name: "rejected", fields: ["reason", "pointer", "detail", "boot", "seq", "topic", "count"].map { [$0] })

    /// The components of a field that is an object; else the field itself.
    private static func paths(of field: KindDescription.Field) -> [[String]] {
        field.components.isEmpty ? [[field.name]] : field.components.map { [field.name, $0] }
    }
}
