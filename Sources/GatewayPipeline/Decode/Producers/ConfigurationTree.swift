/// A piece of a YAML file: a text, a list or a table, with its place for error messages.
package struct ConfigurationTree: Sendable, Equatable {
    /// What it holds.
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

    /// A piece at a place.
    package init(path: String, line: Int?, value: Value) {
        self.path = path
        self.line = line
        self.value = value
    }

    /// The piece under `key`; nil where there is none, or this is no table.
    package subscript(key: String) -> ConfigurationTree? { if case .table(let table) = value { table[key] } else { nil } }
}

/// A problem with a piece.
package struct TreeProblem: Error, Sendable, Equatable {
    /// The key path.
    package var path: String
    /// The line, from 1; nil where it is not known.
    package var line: Int?
    /// What is wrong, as the rest of a sentence that starts with the path.
    package var message: String

    /// A problem of one key.
    package init(path: String, line: Int?, message: String) {
        self.path = path
        self.line = line
        self.message = message
    }
}

// What producers read.
extension ConfigurationTree {
    /// A problem with this piece.
    func problem(_ message: String) -> TreeProblem { TreeProblem(path: path, line: line, message: message) }

    /// The text under `key`, `fallback` where there is none; anything but a text is reported.
    func text(_ key: String, or fallback: String? = nil, problems: inout [TreeProblem]) -> String? {
        guard let piece = self[key] else {
            if fallback == nil { problems.append(problem("needs a \(key)")) }
            return fallback
        }
        guard case .text(let text) = piece.value, !text.isEmpty else {
            problems.append(piece.problem("must be a text"))
            return fallback
        }
        return text
    }

    /// The number under `key`, `fallback` where there is none; anything but a finite number is reported.
    func number(_ key: String, or fallback: Double? = nil, problems: inout [TreeProblem]) -> Double? {
        guard let text = text(key, or: fallback.map { "\($0)" }, problems: &problems) else { return nil }
        guard let number = Double(text), number.isFinite else {
            problems.append((self[key] ?? self).problem("must be a number, is \(text.quoted)"))
            return nil
        }
        return number
    }

    /// The texts under `key`: one text, or a list of them; nil where there is none.
    func texts(_ key: String, problems: inout [TreeProblem]) -> [String]? {
        guard let piece = self[key] else { return nil }
        switch piece.value {
        case .text(let text): return [text]
        case .table: break
        case .list(let list):
            let texts = list.compactMap { if case .text(let text) = $0.value { text } else { nil } }
            if texts.count == list.count { return texts }
        }
        problems.append(piece.problem("must be a text or a list of texts"))
        return nil
    }

    /// The pieces of a list; a table or a text is a list of one.
    var items: [ConfigurationTree] { if case .list(let list) = value { list } else { [self] } }

    /// Reports keys that are none of `known`.
    func expectKeys(_ known: [String], problems: inout [TreeProblem]) {
        guard case .table(let table) = value else {
            problems.append(problem("must hold keys and values"))
            return
        }
        for (key, piece) in table.sorted(by: { $0.key < $1.key }) where !known.contains(key) {
            problems.append(piece.problem("is not a key here; there are \(known.joined(separator: ", "))"))
        }
    }
}
