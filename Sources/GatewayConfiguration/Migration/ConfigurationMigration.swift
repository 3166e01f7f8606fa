internal import Yams

/// Rewrites a configuration file of an earlier version: old names are replaced by those of this one, everything else stays as it
/// is written.
package enum ConfigurationMigration {
    /// The new text of a file; nil if there is any problem, and every problem at once.
    package static func migrate(file: String) -> (text: String?, problems: [ConfigurationProblem]) {
        do throws(SettingFault) {
            return migrate(text: try TextFile.read(file), name: file)
        } catch {
            return (nil, [ConfigurationProblem("", source: .file(file), error.message)])
        }
    }

    /// The new text of a file whose text is `text` and which problems call `name`.
    ///
    /// The layout and the comments stay, but for sections in braces that lose or get a setting: those are written in lines.
    package static func migrate(text: String, name: String) -> (text: String?, problems: [ConfigurationProblem]) {
        var reader = YAMLReader(.file(name))
        guard let root = reader.root(of: text) else { return (reader.problems.isEmpty ? text : nil, reader.problems) }
        var lines = YAMLLines(text)
        let content = YAMLContent(root)
        var expected = content
        do {
            for rename in Rename.all {
                let old = path(rename.old)
                guard let value = expected[old[...]] else { continue }
                expected[old[...]] = nil
                if let new = rename.new.map(path) {
                    guard expected[new[...]] == nil else {
                        reader.report(rename.old, line: try lines.line(of: old), "is now \(rename.new ?? ""), which is there too")
                        continue
                    }
                    expected[new[...]] = value
                    try lines.move(old, to: new)
                } else {
                    try lines.remove(old)
                }
            }
            for list in ConfigurationReference.settings.filter(\.isList).map({ path($0.path) }) {
                guard case .value(let text, _) = expected[list[...]], let names = try names(text) else { continue }
                expected[list[...]] = .list(names.map { .value($0, isPlain: true) })
                try lines.replaceValue(of: list, by: "[\(names.joined(separator: ", "))]")
            }
            guard reader.problems.isEmpty else { return (nil, reader.problems) }
            if expected == content { return (text, []) }
            let result = lines.text
            if try Yams.compose(yaml: result).map(YAMLContent.init) == expected { return (result, []) }
        } catch {}
        reader.report(
            "", line: nil, "has a layout that cannot be rewritten: change the names that 'fathom check' reports by hand")
        return (nil, reader.problems)
    }

    private static func path(_ path: String) -> [String] { path.split(separator: ".").map(String.init) }

    /// The names in the former text of a list, which had spaces between them; nil where the value is null. Throws where a name would be
    /// something else without quotes, an alias for instance.
    private static func names(_ text: String) throws -> [String]? {
        if SettingInput(text: text, form: .plain).isNull(forText: false) { return nil }
        let names = text == "none" ? [] : text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard names.allSatisfy({ YAMLReader.printable($0) == $0 }) else { throw SettingFault(message: "") }
        return names
    }
}

/// The content of a YAML text, independent of its layout.
private indirect enum YAMLContent: Equatable {
    case value(String, isPlain: Bool)
    case list([YAMLContent])
    case table([String: YAMLContent])

    private static let nothing = YAMLContent.value("", isPlain: true)

    init(_ node: Node) {
        switch node {
        case .scalar(let scalar): self = .value(scalar.string, isPlain: SettingInput(scalar).form == .plain)
        case .sequence(let nodes): self = .list(nodes.map(YAMLContent.init))
        case .mapping(let pairs) where pairs.isEmpty: self = .nothing
        case .mapping(let pairs):
            self = .table(Dictionary(pairs.map { ($0.key.scalar?.string ?? "", YAMLContent($0.value)) }) { first, _ in first })
        case .alias: self = .nothing
        }
    }

    /// The value under a path of keys; nil for none. An emptied table is the same as no value.
    subscript(path: ArraySlice<String>) -> YAMLContent? {
        get {
            guard let key = path.first else { return self }
            guard case .table(let table) = self else { return nil }
            return table[key]?[path.dropFirst()]
        }
        set {
            guard let key = path.first else {
                self = newValue ?? .nothing
                return
            }
            var table: [String: YAMLContent] = [:]
            if case .table(let existing) = self { table = existing }
            if path.count == 1 {
                table[key] = newValue
            } else if newValue != nil || table[key] != nil {
                table[key, default: .nothing][path.dropFirst()] = newValue
            }
            self = table.isEmpty ? .nothing : .table(table)
        }
    }
}
