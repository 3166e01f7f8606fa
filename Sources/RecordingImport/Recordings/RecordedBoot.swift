import JSONText

/// One run of one device's clock, as far as a recording holds it.
struct RecordedBoot {
    /// The device id in the topics.
    var device: String
    /// The boot id.
    var boot: String
    /// Unix microseconds at which the device's clock showed 0; nil where the export does not contain it.
    var epoch: Int64?
    /// The device time of the first reading, in microseconds.
    var start: Int64

    /// The time in the recording, unix microseconds, at which the device's clock shows `micros`; without a wall clock the
    /// device's own.
    func arrival(_ micros: Int64) -> Int64 { micros + (epoch ?? 0) }

    /// The line for a frame that the device sent at `uptime`, in microseconds.
    func line(
        _ stream: String, sequence: Int, uptime: Int64, retain: Bool = false, _ body: (inout JSONWriter) -> Void
    ) -> RecordedLine {
        var json = JSONWriter()
        json.object {
            $0.microseconds("at", arrival(uptime))
            $0.field("topic", "wearables/\(device)/in/\(stream)")
            $0.field("retain", retain)
            $0.object("payload") {
                $0.field("schema", "wearables/1")
                $0.field("boot", boot)
                $0.field("seq", sequence)
                $0.microseconds("uptime", uptime)
                if epoch != nil { $0.microseconds("sent", arrival(uptime)) }
                body(&$0)
            }
        }
        return RecordedLine(at: arrival(uptime), bytes: json.bytes + [UInt8(ascii: "\n")])
    }

    /// The retained `status` that begins it. It states only the wrist; permissions are set by the registry.
    func online(wrist: Wrist?) -> RecordedLine {
        line("status", sequence: 0, uptime: start, retain: true) {
            $0.field("state", "online")
            if let wrist { $0.field("wristLocation", wrist.rawValue) }
        }
    }
}

/// One line of a recording.
struct RecordedLine {
    /// When it arrives, in microseconds.
    var at: Int64
    /// Its text with the line feed.
    var bytes: [UInt8]
}
