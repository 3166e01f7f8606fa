package import GatewayPipeline
internal import Yams

extension ConfigurationTree {
    /// The pieces of a list; nil for anything else. Nothing is an empty list.
    var entries: [ConfigurationTree]? {
        switch value {
        case .list(let list): list
        case .table(let table) where table.isEmpty: []
        case .text, .table: nil
        }
    }

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
