/// A JSON value as it was read; the order of an object's keys is not kept.
///
/// Its texts hold no character that does not print: these are written as `\u{…}`, so that no line of an export is broken by one, and no
/// terminal acts on one.
package enum MessageValue: Sendable, Hashable, Decodable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([MessageValue])
    case object([String: MessageValue])

    /// Reads a value.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text.escaped)
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let list = try? container.decode([MessageValue].self) {
            self = .list(list)
        } else {
            let members = try container.decode([String: MessageValue].self)
            self = .object(Dictionary(members.map { ($0.key.escaped, $0.value) }) { first, _ in first })
        }
    }

    /// The text; nil where it is none.
    package var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The number; nil where it is none.
    package var number: Double? { if case .number(let number) = self { number } else { nil } }

    /// The member of an object at a path of keys; nil where there is none, or it is null.
    package func member(_ path: some Sequence<String>) -> MessageValue? {
        var value = self
        for key in path {
            guard case .object(let members) = value, let member = members[key] else { return nil }
            value = member
        }
        return value == .null ? nil : value
    }

    /// The value as JSON without spaces, the keys of objects in order.
    package var json: String {
        switch self {
        case .null: "null"
        case .flag(let flag): flag ? "true" : "false"
        case .number(let number): number.shortest
        case .text(let text): text.inQuotes
        case .list(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { $0.key.inQuotes + ":" + $0.value.json }.joined(separator: ",")
                + "}"
        }
    }
}

extension [String: MessageValue] {
    /// The members that are of the frame, whatever lists they hold.
    private static let ofFrame: Set<String> = ["source", "derivation"]

    /// The instants of the samples of a series in unix seconds; nil for a message that is none.
    package var sampleTimes: [Double]? {
        guard case .list(let list)? = self["timestamp"] else { return nil }
        let times = list.compactMap(\.number)
        return times.isEmpty || times.count < list.count ? nil : times
    }

    /// The members of a series of samples at `times` as those of one of them: an element of each column, and its own instant.
    package func sample(_ index: Int, of times: [Double]) -> [String: MessageValue] {
        var members = self
        for (name, value) in self where !Self.ofFrame.contains(name) { members[name] = value.element(index, of: times.count) }
        members["timestamp"] = nil
        members["at"] = .number(times[index])
        if let at = self["at"]?.number, let deviceTime = self["deviceTime"]?.number {
            // Whole microseconds, as the message has them.
            members["deviceTime"] = .number(((deviceTime + times[index] - at) * 1e6).rounded() / 1e6)
        }
        return members
    }
}

extension MessageValue {
    /// What a column, or an object of columns, has at a place; another value as it is.
    fileprivate func element(_ index: Int, of count: Int) -> MessageValue {
        switch self {
        case .list(let elements) where elements.count == count: elements[index]
        case .object(let members): .object(members.mapValues { $0.element(index, of: count) })
        default: self
        }
    }
}

extension String {
    /// The text in double quotes, with a backslash before quotes and backslashes. Other characters stay: see `MessageValue`.
    package var inQuotes: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}

extension Double {
    /// The number in its shortest form, whole numbers without a point.
    package var shortest: String {
        self == rounded() && abs(self) < 1e15 ? String(Int64(self)) : description
    }
}
