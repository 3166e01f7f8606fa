extension Substring {
    /// The levels of a topic, split at the bytes of `/` as a broker splits it: with a combining mark behind it, `/` is no `Character` of its
    /// own.
    var topicLevels: [Substring] {
        utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
    }
}
