internal import Yams

/// Reads YAML nodes and collects problems.
struct YAMLReader {
    /// One key of a mapping.
    struct Entry {
        let key: String
        let path: String
        let line: Int?
        let value: Node
    }

    let source: ConfigurationProblem.Source
    private(set) var problems: [ConfigurationProblem] = []

    init(_ source: ConfigurationProblem.Source) { self.source = source }

    /// The most problems of a file that are listed: it may have as many as it has keys.
    private static let mostProblems = 1_000

    /// Adds a problem. `message` is made only for a problem that is listed.
    mutating func report(_ path: @autoclosure () -> String, line: Int?, _ message: @autoclosure () -> String) {
        guard problems.count <= Self.mostProblems else { return }
        let isLast = problems.count == Self.mostProblems
        problems.append(
            ConfigurationProblem(
                isLast ? "" : path(), line: line, source: source, isLast ? "has more problems, which are not listed" : message()))
    }

    /// The root of a text's only document; nil if there is none or it cannot be parsed, which is then a problem.
    ///
    /// A key that appears more than once in a section is a problem; the text is read without its later entries, so that its other
    /// problems are found too.
    mutating func root(of text: String) -> Node? {
        if let fault = YAMLLimits.fault(of: text) {
            report("", line: fault.line, fault.message)
            return nil
        }
        return compose(text)
    }

    private mutating func compose(_ text: String) -> Node? {
        do {
            return try Yams.compose(yaml: text, .default, .default, .utf8)
        } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
            // Each repeated key costs one more pass over the text.
            guard let key = keys.first, problems.count < min(100, 10_000_000 / max(1, text.utf8.count)),
                let repeated = RepeatedKey(key, after: context.mark, in: text)
            else {
                report(.duplicatedKeysInMapping(duplicates: keys, context: context))
                return nil
            }
            report(Self.printable(key), line: repeated.line, "appears more than once in its section")
            return compose(repeated.textWithoutIt)
        } catch let error as YamlError {
            report(error)
        } catch {
            report("", line: nil, "is not YAML")
        }
        return nil
    }

    /// The entries of a mapping, or nil if the node is something else, which is then a problem.
    mutating func entries(of node: Node, at path: String) -> [Entry]? {
        guard case .mapping(let mapping) = node else {
            report(path, line: node.mark?.line, "must hold keys and values, is \(Self.kind(of: node))")
            return nil
        }
        var seen: Set<String> = []
        var entries: [Entry] = []
        for (key, value) in mapping {
            guard let name = key.scalar?.string else {
                report(path, line: key.mark?.line, "must have texts as keys, has \(Self.kind(of: key))")
                continue
            }
            let entryPath = path.isEmpty ? name : "\(path).\(name)"
            guard entryPath.utf8.count <= YAMLLimits.pathBytes else {
                report(path, line: key.mark?.line, "has a key that makes a path of more than \(YAMLLimits.pathBytes) bytes")
                continue
            }
            // Yams compares the resolved tags too, so that to it `on` and `"on"` are two keys.
            guard seen.insert(name).inserted else {
                report(Self.printable(entryPath), line: key.mark?.line, "appears more than once")
                continue
            }
            entries.append(Entry(key: name, path: entryPath, line: key.mark?.line, value: value))
        }
        return entries
    }

    /// The part of a key that is safe to print: a secret can end up in a key when a space is missing.
    static func printable(_ key: String) -> String {
        String(key.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) })
    }

    static func kind(of node: Node) -> String {
        switch node {
        case .scalar(let scalar): scalar.string.isEmpty ? "empty" : "a single value"
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }

    // The descriptions of Yams quote the line, which may hold a password.
    private mutating func report(_ error: YamlError) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _), .composer(_, let problem, let mark, _):
            report("", line: mark.line, "is not YAML: \(problem)")
        case .duplicatedKeysInMapping(let keys, let context):
            report(Self.printable(keys.first ?? ""), line: context.mark.line, "appears more than once in its section")
        case .reader(let problem, _, _, _):
            report("", line: nil, "is not YAML: \(problem)")
        default:
            report("", line: nil, "is not YAML")
        }
    }
}

extension SettingInput {
    /// The value of a setting; nil when it is of another kind than the setting's.
    init?(_ node: Node, isList: Bool) {
        switch node {
        case .scalar(let scalar) where !isList || SettingInput(scalar).isNull(forText: false):
            self.init(scalar)
        case .sequence(let entries) where isList:
            let texts = entries.compactMap(\.scalar?.string)
            guard texts.count == entries.count else { return nil }
            self.init(text: "", form: .quoted, list: texts)
        case .scalar, .sequence, .mapping, .alias:
            return nil
        }
    }

    init(_ scalar: Node.Scalar) {
        self.init(text: scalar.string, form: scalar.style == .plain || scalar.style == .any ? .plain : .quoted)
    }
}
