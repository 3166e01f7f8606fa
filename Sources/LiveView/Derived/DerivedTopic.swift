/// The subject of a derived message, read from its topic.
package enum DerivedTopic: Hashable {
    /// `{root}/{device}/out/{kind}`; the kind may hold a slash.
    case device(String, kind: String)
    /// `fathom/{gateway}/status` or `fathom/{gateway}/rejected`.
    case gateway(String, kind: String)

    /// Reads a topic; nil if it is neither.
    package init?(_ topic: String, root: String) {
        let prefix = "\(root)/".utf8
        let slash = UInt8(ascii: "/")
        if topic.utf8.starts(with: prefix) {
            let parts = topic.utf8.dropFirst(prefix.count)
                .split(separator: slash, maxSplits: 2, omittingEmptySubsequences: false).map { Substring($0) }
            if parts.count == 3, parts[1] == "out", !parts[0].isEmpty, !parts[2].isEmpty {
                self = .device(String(parts[0]), kind: String(parts[2]))
                return
            }
        }
        let parts = topic.utf8.split(separator: slash, omittingEmptySubsequences: false).map { Substring($0) }
        guard parts.count == 3, parts[0] == "fathom" else { return nil }
        self = .gateway(String(parts[1]), kind: String(parts[2]))
    }
}
