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
        let levels = topic.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let expected = layout.mountLevels + layout.root.count + 3
        guard levels.count == expected else {
            throw Rejection(.invalidTopic, "the topic has \(levels.count) levels where \(expected) were expected")
        }
        let own = levels.dropFirst(layout.mountLevels)
        guard own.prefix(layout.root.count).elementsEqual(layout.root, by: { $0.elementsEqual($1.utf8) }) else {
            throw Rejection(.invalidTopic, "the topic does not start with the root '\(layout.rootPath)'")
        }
        let device = try DeviceID(level: Substring(own[own.endIndex - 3]))
        guard own[own.endIndex - 2].elementsEqual(level.utf8) else {
            throw Rejection(.invalidTopic, "the level after the device must be '\(level)'")
        }
        self.device = device
        stream = Substring(own[own.endIndex - 1])
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
