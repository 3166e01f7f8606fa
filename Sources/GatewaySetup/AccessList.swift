/// A broker's ACL, an `acl_file` of mosquitto.
package struct AccessList {
    /// The users that have a section, in the order of the file.
    package let users: [String]
    private let rules: [Rule]

    /// What a line permits or denies.
    private struct Rule {
        /// The user; nil where it holds for clients without an account, or as a pattern for all.
        var user: String?
        var isPattern = false
        var access: Substring
        var filter: Substring
    }

    /// Reads the lines. As the broker does, it ignores blanks and carriage returns at their ends.
    package init(_ text: String) {
        var (users, rules): ([String], [Rule]) = ([], [])
        for line in text.split(whereSeparator: \.isNewline) {
            let words = Self.trimmed(line).split(maxSplits: 2, whereSeparator: \.isWhitespace)
            switch words.first {
            // A name may have blanks.
            case "user" where words.count > 1: users.append(words.dropFirst().joined(separator: " "))
            case "topic", "pattern":
                let named = words.count == 3 ? words[1] : "readwrite"
                rules.append(
                    Rule(user: users.last, isPattern: words[0] == "pattern", access: named, filter: words.last ?? ""))
            default: continue
            }
        }
        (self.users, self.rules) = (users, rules)
    }

    /// Whether `user` is delivered what a subscription to `filter` matches. A line that permits only a part of it does not count.
    package func mayRead(_ filter: String, as user: String) -> Bool {
        let own = rules.filter { $0.isPattern || $0.user == user }
        func covers(_ rule: Rule) -> Bool {
            Self.covers(rule.isPattern ? String(rule.filter.replacing("%u", with: user)) : String(rule.filter), filter)
        }
        if own.contains(where: { $0.access == "deny" && covers($0) }) { return false }
        return own.contains { ["read", "readwrite"].contains($0.access) && covers($0) }
    }

    /// Whether a filter matches every topic that another matches.
    static func covers(_ rule: String, _ filter: String) -> Bool {
        let (rule, filter) = (levels(rule), levels(filter))
        for (index, level) in rule.enumerated() {
            if level == "#" { return true }
            guard index < filter.count, filter[index] != "#", level == "+" || level == filter[index] else { return false }
        }
        return rule.count == filter.count
    }

    private static func levels(_ filter: String) -> [Substring] { filter.split(separator: "/", omittingEmptySubsequences: false) }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.last?.isWhitespace ?? false { text.removeLast() }
        return text
    }
}
