internal import GatewayPipeline
internal import TelemetryModel

/// The documentation of derivations, written from their declarations.
package enum DerivationReference {
    /// Every derivation with its streams, settings and kinds, and the kinds of the gateway itself, as Markdown.
    package static var markdown: String {
        let derivations = Derivations.declarations.map { section($0) }
        let own = KindDescription.all.filter { kind in
            !Derivations.declarations.contains { $0.kinds.contains { KindDescription(of: $0) == kind } }
        }
        let parts =
            [
                """
                # Derivations

                Written from their declarations by `UPDATE_REFERENCE=1 swift test --filter ReferenceTests`. What all messages hold, and how each
                is computed where it matters to a reader, is in [wire-contract.md](wire-contract.md). Instants are unix seconds.
                """
            ] + derivations + ["## Of the gateway itself"] + own.map { table($0) }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func section(_ declaration: DerivationDeclaration) -> String {
        let path = "derive.\(declaration.name)."
        let settings = ConfigurationReference.settings.filter { $0.path.hasPrefix(path) }
        let streams = declaration.streams.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        let from = declaration.followsActivity ? "\(streams), and the activity on every other stream" : streams
        let parts =
            [
                "## \(declaration.name)",
                """
                \(declaration.summary) From \(from); version \(declaration.version), \
                \(declaration.isOnByDefault ? "on" : "off") by default.
                """, ConfigurationReference.markdown(settings),
            ] + declaration.kinds.map { table(KindDescription(of: $0)) }
        return parts.joined(separator: "\n\n")
    }

    private static func table(_ kind: KindDescription) -> String {
        let rows = kind.fields.map { field in "| `\(field.name)` | \(field.unit ?? "") | \(field.summary) |" }
        return
            (["**`\(kind.name)`**\(kind.isRetained ? ", retained" : ""): \(kind.summary)", "", "| field | | |", "|---|---|---|"]
            + rows)
            .joined(separator: "\n")
    }
}
