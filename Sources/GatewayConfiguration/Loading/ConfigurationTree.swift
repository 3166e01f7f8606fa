internal import Yams

/// The content of a YAML file whose keys another module defines: texts, lists and tables, each with its place.
package struct ConfigurationTree: Sendable, Equatable {
    /// What a piece holds.
    package enum Value: Sendable, Equatable {
        /// A single value, as it is written.
        case text(String)
        /// Several pieces in order.
        case list([ConfigurationTree])
        /// Pieces by their keys; also for an empty value.
        case table([String: ConfigurationTree])
    }

    /// The key path.
    package var path: String
    /// The line, from 1; nil where it is not known.
    package var line: Int?
    /// What it holds.
    package var value: Value

    /// A problem with a piece.
    struct Problem: Sendable {
        let path: String
        let line: Int?
        /// The rest of a sentence that starts with the path.
        let message: String
    }

    /// The pieces of a list; nil for anything else. Nothing is an empty list.
    var entries: [ConfigurationTree]? {
        switch value {
        case .list(let list): list
        case .table(let table) where table.isEmpty: []
        case .text, .table: nil
        }
    }

    /// The piece under a key; nil where there is none.
    subscript(key: String) -> ConfigurationTree? { if case .table(let table) = value { table[key] } else { nil } }

    /// Reads a file; nil if there is any problem, and every problem at once.
    package static func load(file: String) -> (tree: ConfigurationTree?, problems: [ConfigurationProblem]) {
        do throws(SettingFault) {
            return load(text: try TextFile.read(file), name: file)
        } catch {
            return (nil, [ConfigurationProblem("", source: .file(file), error.message)])
        }
    }

    /// Reads the text of a file, which problems call `name`.
    package static func load(
        text: String, name: String
    ) -> (tree: ConfigurationTree?, problems: [ConfigurationProblem]) {
        var reader = YAMLReader(.file(name))
        guard let root = reader.root(of: text) else {
            if reader.problems.isEmpty { reader.report("", line: nil, "is empty") }
            return (nil, reader.problems)
        }
        let tree = reader.tree(of: root, at: "", line: nil)
        return (reader.problems.isEmpty ? tree : nil, reader.problems)
    }
}

extension YAMLReader {
    /// The content of a node.
    mutating func tree(of node: Node, at path: String, line: Int?) -> ConfigurationTree {
        ConfigurationTree(path: path, line: line ?? node.mark?.line, value: value(of: node, at: path))
    }

    private mutating func value(of node: Node, at path: String) -> ConfigurationTree.Value {
        switch node {
        case .scalar(let scalar):
            return SettingInput(scalar).isNull(forText: false) ? .table([:]) : .text(scalar.string)
        case .sequence(let nodes):
            return .list(nodes.enumerated().map { tree(of: $1, at: "\(path)[\($0)]", line: nil) })
        case .mapping:
            var table: [String: ConfigurationTree] = [:]
            for entry in entries(of: node, at: path) ?? [] {
                table[entry.key] = tree(of: entry.value, at: entry.path, line: entry.line)
            }
            return .table(table)
        case .alias:
            report(Self.printable(path), line: node.mark?.line, "is an alias, which is not read here")
            return .table([:])
        }
    }
}
