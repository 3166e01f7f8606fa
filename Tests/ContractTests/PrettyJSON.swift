/// JSON text with line breaks; numbers and the order of keys stay as they are.
struct PrettyJSON {
    /// How many values an array of numbers may have before it is cut, with `…` for the rest; nil to keep all.
    var longestArray: Int?

    private static let width = 110

    /// The text for compact JSON.
    func text(_ json: [UInt8]) -> String {
        var rest = Substring(String(decoding: json, as: UTF8.self))
        return Self.lines(value(&rest), indent: 0)
    }

    private indirect enum Value {
        case plain(String)
        case object([(key: String, value: Value)])
        case array([Value])
    }

    private func value(_ text: inout Substring) -> Value {
        switch text.first {
        case "{":
            var members: [(key: String, value: Value)] = []
            text.removeFirst()
            while let first = text.first, first != "}" {
                let key = Self.string(&text)
                text.removeFirst()
                members.append((key, value(&text)))
                if text.first == "," { text.removeFirst() }
            }
            text = text.dropFirst()
            return .object(members)
        case "[":
            var elements: [Value] = []
            text.removeFirst()
            while let first = text.first, first != "]" {
                elements.append(value(&text))
                if text.first == "," { text.removeFirst() }
            }
            text = text.dropFirst()
            guard let longestArray, elements.count > longestArray, case .plain = elements.first else { return .array(elements) }
            return .array(elements.prefix(longestArray) + [.plain("…")])
        case "\"": return .plain(Self.string(&text))
        default:
            let token = text.prefix { !",]}".contains($0) }
            text = text.dropFirst(token.count)
            return .plain(String(token))
        }
    }

    /// The string at the start of `text`, with its quotes.
    private static func string(_ text: inout Substring) -> String {
        var end = text.index(after: text.startIndex)
        while text[end] != "\"" {
            if text[end] == "\\" { end = text.index(after: end) }
            end = text.index(after: end)
        }
        defer { text = text[text.index(after: end)...] }
        return String(text[...end])
    }

    private static func line(_ value: Value) -> String {
        switch value {
        case .plain(let text): text
        case .object(let members): "{" + members.map { "\($0.key): \(line($0.value))" }.joined(separator: ", ") + "}"
        case .array(let elements): "[" + elements.map(line).joined(separator: ", ") + "]"
        }
    }

    private static func lines(_ value: Value, indent: Int) -> String {
        let short = line(value)
        if short == "{}" { return short }
        if indent > 0, short.count + indent <= width { return short }
        let pad = String(repeating: " ", count: indent + 2)
        let end = "\n" + String(repeating: " ", count: indent)
        switch value {
        case .plain: return short
        case .object(let members):
            return "{\n" + members.map { "\(pad)\($0.key): \(lines($0.value, indent: indent + 2))" }.joined(separator: ",\n")
                + end + "}"
        case .array(let elements):
            // Columns of numbers stay on one line.
            let isColumn = elements.allSatisfy { if case .plain = $0 { true } else { false } }
            if isColumn { return short }
            return "[\n" + elements.map { pad + lines($0, indent: indent + 2) }.joined(separator: ",\n") + end + "]"
        }
    }
}
