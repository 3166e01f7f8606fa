package import TelemetryModel

/// The layout of topics on the way in: the root, and the number of mount levels before it on a partitioned broker.
package struct TopicLayout: Sendable, Equatable {
    /// The levels of `{root}`.
    package let root: [Substring]
    /// How many levels of any name precede the root on the way in.
    package let mountLevels: Int

    /// The layout for `root`, which may hold `/`.
    package init(root: String = "wearables", mountLevels: Int = 0) {
        self.root = root.split(separator: "/", omittingEmptySubsequences: false)
        self.mountLevels = mountLevels
    }

    /// The root as text.
    package var rootPath: String { root.joined(separator: "/") }
}

/// The device and the stream of a message, read from the topic alone.
package struct InboundTopic: Sendable, Equatable {
    /// The device's level.
    package var device: DeviceID
    /// The last level, not yet known to be a stream.
    package var stream: Substring

    /// Reads `topic`, whose level after the device is `level`; a topic of another layout, or an invalid device id, is rejected.
    package init(_ topic: String, layout: TopicLayout, level: String = "in") throws(Rejection) {
        // Levels are compared as bytes, as MQTT compares topics.
        let bytes = topic.utf8.span
        let count = Self.levels(of: bytes)
        let expected = layout.mountLevels + layout.root.count + 3
        guard count == expected else {
            throw Rejection(.invalidTopic, "the topic has \(count) levels where \(expected) were expected")
        }
        var start = 0
        for _ in 0..<layout.mountLevels { start = Self.end(of: start, in: bytes) + 1 }
        for root in layout.root {
            let end = Self.end(of: start, in: bytes)
            guard Self.isEqual(bytes.extracting(start..<end), root.utf8.span) else {
                throw Rejection(.invalidTopic, "the topic does not start with the root '\(layout.rootPath)'")
            }
            start = end + 1
        }
        let deviceEnd = Self.end(of: start, in: bytes)
        let levelEnd = Self.end(of: deviceEnd + 1, in: bytes)
        let device = try DeviceID(level: topic.level(start..<deviceEnd))
        guard Self.isEqual(bytes.extracting(deviceEnd + 1..<levelEnd), level.utf8.span) else {
            throw Rejection(.invalidTopic, "the level after the device must be '\(level)'")
        }
        self.device = device
        stream = topic.level(levelEnd + 1..<bytes.count)
    }

    private static func levels(of topic: Span<UInt8>) -> Int {
        var count = 1
        for index in topic.indices where topic[index] == UInt8(ascii: "/") { count += 1 }
        return count
    }

    /// Where the level that starts at `start` ends.
    private static func end(of start: Int, in topic: Span<UInt8>) -> Int {
        var end = start
        while end < topic.count, topic[end] != UInt8(ascii: "/") { end += 1 }
        return end
    }

    private static func isEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}

/// What the topic of a message says of it. A session reads it once, for all of its lanes.
package enum TopicAddress: Sendable {
    /// A topic of the contract: its device, and its stream; nil for a last level that names none.
    case contract(DeviceID, StreamName?)
    /// A topic that a producer claims.
    indirect case producer(Producers.Route)
    /// A topic of neither, with the reason.
    indirect case invalid(Rejection)

    /// Reads `topic`.
    init(_ topic: String, layout: TopicLayout, producers: Producers) {
        if let route = producers.route(of: topic) {
            self = .producer(route)
            return
        }
        do throws(Rejection) {
            let parsed = try InboundTopic(topic, layout: layout)
            self = .contract(parsed.device, StreamName(rawValue: String(parsed.stream)))
        } catch {
            self = .invalid(error)
        }
    }

    /// The stream; of a producer's topic the one whose lane receives it.
    var stream: StreamName? {
        switch self {
        case .contract(_, let stream): stream
        case .producer(let route): route.stream
        case .invalid: nil
        }
    }
}

extension String {
    /// The text at these bytes.
    fileprivate func level(_ bytes: Range<Int>) -> Substring {
        self[utf8.index(startIndex, offsetBy: bytes.lowerBound)..<utf8.index(startIndex, offsetBy: bytes.upperBound)]
    }
}

extension DeviceID {
    /// The device that a level of a topic names; an invalid id is rejected.
    init(level: Substring) throws(Rejection) {
        guard let device = DeviceID(level) else {
            throw Rejection(.invalidTopic, "a device id is 1 to 64 of A-Z, a-z, 0-9, '_' and '-'")
        }
        self = device
    }
}

extension Substring {
    /// The levels of a topic, split at the bytes of `/` as a broker splits it: with a combining mark behind it, `/` is no `Character` of its
    /// own.
    var topicLevels: [Substring] {
        utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
    }
}
