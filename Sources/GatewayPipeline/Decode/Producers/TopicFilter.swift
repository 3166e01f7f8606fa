/// A topic filter in which levels may be named: `sensor/{device}/state` is subscribed to as `sensor/+/state`.
struct TopicFilter: Sendable, Equatable {
    private let levels: [Substring]

    /// A filter as it is written.
    init(_ text: String) { levels = text[...].topicLevels }

    /// The MQTT topic filter.
    var filter: String { levels.map { Self.name(of: $0) == nil ? $0 : "+" }.joined(separator: "/") }

    /// The names of levels, in order.
    var names: [String] { levels.compactMap { Self.name(of: $0).map(String.init) } }

    /// The problem with it, as the rest of a sentence; nil when there is none.
    var fault: String? {
        if levels.contains("") { return "has an empty level" }
        for (index, level) in levels.enumerated() {
            if Self.has("#", level), level != "#" || index != levels.count - 1 { return "has # elsewhere than alone at its end" }
            if Self.has("+", level), level != "+" { return "has + beside other characters of a level" }
            if Self.has("{", level) || Self.has("}", level), Self.name(of: level) == nil {
                return "has a level with braces in it"
            }
        }
        return Set(names).count == names.count ? nil : "names a level twice"
    }

    /// Whether there is a topic that both match.
    func overlaps(_ other: TopicFilter) -> Bool {
        for index in 0..<max(levels.count, other.levels.count) {
            let here = index < levels.count ? levels[index] : nil
            let there = index < other.levels.count ? other.levels[index] : nil
            if here == "#" || there == "#" { return true }
            guard let here, let there else { return false }
            let isAny = [here, there].contains { $0 == "+" || Self.name(of: $0) != nil }
            if !isAny, !Self.isSame(here, there) { return false }
        }
        return true
    }

    /// Whether it matches `topic`.
    func matches(_ topic: String) -> Bool { values(in: topic) != nil }

    /// The named levels of `topic`; nil when the filter does not match it.
    func values(in topic: String) -> [String: Substring]? {
        let parts = topic[...].topicLevels
        var values: [String: Substring] = [:]
        for (index, level) in levels.enumerated() {
            if level == "#" { return values }
            guard index < parts.count else { return nil }
            if let name = Self.name(of: level) {
                values[String(name)] = parts[index]
            } else if level != "+", !Self.isSame(level, parts[index]) {
                return nil
            }
        }
        return parts.count == levels.count ? values : nil
    }

    private static func name(of level: Substring) -> Substring? {
        let scalars = level.unicodeScalars
        guard scalars.count > 2, scalars.first == "{", scalars.last == "}" else { return nil }
        let name = Substring(scalars.dropFirst().dropLast())
        return "{}+#".unicodeScalars.contains { has($0, name) } ? nil : name
    }

    private static func has(_ scalar: Unicode.Scalar, _ level: Substring) -> Bool { level.unicodeScalars.contains(scalar) }

    /// Whether two levels are the same to a broker: by their bytes. As `String`s two spellings of a letter are equal.
    private static func isSame(_ left: Substring, _ right: Substring) -> Bool { left.utf8.elementsEqual(right.utf8) }
}
