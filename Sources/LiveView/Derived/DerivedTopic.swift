/// The subject of a derived message, read from its topic.
package enum DerivedTopic: Hashable {
    /// `{root}/{device}/out/{kind}`; the kind may hold a slash.
    case device(String, kind: String)
    /// `fathom/{gateway}/status` or `fathom/{gateway}/rejected`.
    case gateway(String, kind: String)

    /// Reads a topic; nil if it is neither.
    package init?(_ topic: String, root: String) {
        let prefix = root + "/"
        if topic.hasPrefix(prefix) {
            let parts = topic.dropFirst(prefix.count).split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            if parts.count == 3, parts[1] == "out", !parts[0].isEmpty, !parts[2].isEmpty {
                self = .device(String(parts[0]), kind: String(parts[2]))
                return
            }
        }
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "fathom" else { return nil }
        self = .gateway(String(parts[1]), kind: String(parts[2]))
    }
}
