import JSONText

/// The encoding of a simulated message as one line of a recording.
package enum RecordingLine {
    /// One NDJSON line with its line feed: `{"at":…,"topic":…,"retain":…,"payload":{…}}`.
    package static func encode(_ message: SimulatedMessage, root: String = "wearables") -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.field("at", message.at, decimals: 6)
            $0.field("topic", message.topic(root: root))
            $0.field("retain", message.retain)
            $0.raw("payload", message.payload)
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
