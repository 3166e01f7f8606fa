internal import GatewayPipeline
internal import TelemetryModel

/// The documentation of derivations, written from their declarations.
package enum DerivationReference {
    /// Every derivation with its streams, settings and kinds as Markdown.
    package static var markdown: String {
        let derivations = Derivations.declarations.map { section($0) }
        let parts =
            [
                """
                # Derivations

                What each derivation reads, publishes and can be set to, written from the declarations in the source. The messages are in
                [messages.md](messages.md).
                """
            ] + derivations
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func section(_ declaration: DerivationDeclaration) -> String {
        let path = "\(declaration.section)."
        let settings = ConfigurationReference.settings.filter { $0.path.hasPrefix(path) }
        let streams = declaration.streams.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        let from =
            streams.isEmpty
            ? "messages of other kinds"
            : declaration.followsActivity ? "\(streams), and the activity on every other stream" : streams
        let parts =
            [
                "## \(declaration.name)",
                """
                \(declaration.summary) From \(from); version \(declaration.version), \
                \(declaration.isOnByDefault ? "on" : "off") by default.
                """, links(declaration.kinds),
                ConfigurationReference.markdown(settings),
            ]
        return parts.joined(separator: "\n\n")
    }

    /// The kinds, each with a link to its section.
    private static func links(_ kinds: [any DerivedBody.Type]) -> String {
        let names = kinds.map { $0.name }
        let links = names.map { name in
            "[`\(name)`](messages.md#out\(name.filter { $0.isLetter || $0 == "-" }))"
        }
        return "Publishes \(links.joined(separator: ", "))."
    }
}
