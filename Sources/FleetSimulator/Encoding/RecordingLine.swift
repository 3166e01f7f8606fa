/// The encoding of a simulated message as one line of a recording.
package enum RecordingLine {
    /// One NDJSON line with its line feed: `{"at":…,"topic":…,"retain":…,"payload":{…}}`.
    package static func encode(_ message: SimulatedMessage, root: String = "wearables") -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.number(message.at, digits: 6, for: "at")
            $0.string(message.topic(root: root), for: "topic")
            $0.bool(message.retain, for: "retain")
            $0.raw(message.payload, for: "payload")
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
