/// A topic filter in which levels may be named: `sensor/{device}/state` is subscribed to as `sensor/+/state`.
struct TopicFilter: Sendable, Equatable {
    private let levels: [Substring]

    /// A filter as it is written.
    init(_ text: String) { levels = text.split(separator: "/", omittingEmptySubsequences: false) }

    /// The MQTT topic filter.
    var filter: String { levels.map { Self.name(of: $0) == nil ? $0 : "+" }.joined(separator: "/") }

    /// The names of levels, in order.
    var names: [String] { levels.compactMap { Self.name(of: $0).map(String.init) } }

    /// The problem with it, as the rest of a sentence; nil when there is none.
    var fault: String? {
        if levels.contains("") { return "has an empty level" }
        for (index, level) in levels.enumerated() {
            if level.contains("#"), level != "#" || index != levels.count - 1 { return "has # elsewhere than alone at its end" }
            if level.contains("+"), level != "+" { return "has + beside other characters of a level" }
            if level.contains("{") || level.contains("}"), Self.name(of: level) == nil { return "has a level with braces in it" }
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
            if !isAny, here != there { return false }
        }
        return true
    }

    /// Whether it matches `topic`.
    func matches(_ topic: String) -> Bool { values(in: topic) != nil }

    /// The named levels of `topic`; nil when the filter does not match it.
    func values(in topic: String) -> [String: Substring]? {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        var values: [String: Substring] = [:]
        for (index, level) in levels.enumerated() {
            if level == "#" { return values }
            guard index < parts.count else { return nil }
            if let name = Self.name(of: level) {
                values[String(name)] = parts[index]
            } else if level != "+", level != parts[index] {
                return nil
            }
        }
        return parts.count == levels.count ? values : nil
    }

    private static func name(of level: Substring) -> Substring? {
        guard level.count > 2, level.first == "{", level.last == "}" else { return nil }
        let name = level.dropFirst().dropLast()
        return name.contains { "{}+#".contains($0) } ? nil : name
    }
}
