/// The topic of a request: `{root}/{device}/query/{query}`, with or without the user that asks as one more level.
///
/// A broker's ACL can permit an account to publish with its own name in that level only. Such a name is one that the broker has checked;
/// the name in a response topic is one that the asker chose.
package struct RequestTopic: Sendable, Equatable {
    /// The topic without the user.
    let path: Substring
    /// The user that asks; nil where the topic names none.
    package let user: Substring?

    /// Reads `topic`. One with another number of levels names no user, and `InboundTopic` rejects it.
    package init(_ topic: String, layout: TopicLayout) {
        let slash = UInt8(ascii: "/")
        let hasUser = topic.utf8.count { $0 == slash } == layout.mountLevels + layout.root.count + 3
        if hasUser, let last = topic.utf8.lastIndex(of: slash) {
            path = topic[..<last]
            user = topic[topic.utf8.index(after: last)...]
        } else {
            path = topic[...]
            user = nil
        }
    }
}
