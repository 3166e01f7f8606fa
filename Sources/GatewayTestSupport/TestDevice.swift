import GatewayPipeline
package import GatewayRuntime

/// A device of a test, with frame counters and clocks.
package struct TestDevice {
    /// Its id.
    package var id: String
    /// Its boot.
    package var boot: String
    /// Unix time minus uptime.
    package var offset: Double
    /// Whether its frames carry `sent`; at first, whether `offset` is a wall clock's.
    package var sendsWallClock: Bool
    private var next: [String: Int] = [:]

    /// A device whose clock reads `unix - offset`.
    package init(_ id: String = "d1", boot: String = "b1", offset: Double = 1_763_744_000) {
        self.id = id
        self.boot = boot
        self.offset = offset
        sendsWallClock = offset > 978_307_200
    }

    /// The next frame of `stream`, sent at `uptime` and received `latency` later; `body` are the fields after the header,
    /// `seq` replaces the counted one.
    package mutating func frame(
        _ stream: String, uptime: Double, seq: Int? = nil, retain: Bool = false, latency: Double = 0.05, _ body: String
    ) -> RecordedMessage {
        let sequence = seq ?? next[stream, default: 0]
        next[stream] = sequence + 1
        let sent = sendsWallClock ? #""sent":\#(uptime + offset),"# : ""
        return raw(
            stream, at: uptime + offset + latency, retain: retain,
            #"{"schema":"wearables/1","boot":"\#(boot)","seq":\#(sequence),"uptime":\#(uptime),\#(sent)\#(body)}"#)
    }

    /// A message with any payload, received at `at`.
    package func raw(_ stream: String, at: Double, retain: Bool = false, _ payload: String) -> RecordedMessage {
        RecordedMessage(
            at: at,
            message: InboundMessage(topic: "wearables/\(id)/in/\(stream)", payload: Array(payload.utf8), retain: retain))
    }

    /// A submersion frame with one measurement at `uptime`; nil leaves the depth out.
    package mutating func depth(_ depth: Double?, uptime: Double, seq: Int? = nil) -> RecordedMessage {
        let value = depth.map { #","depth":{"value":\#($0),"unit":"m"}"# } ?? ""
        return frame(
            "submersion", uptime: uptime, seq: seq, #""measurements":[{"timestamp":\#(uptime)\#(value)}]"#)
    }

    /// Device motion at 50 Hz for 4 s from `start` on, with one turn of 9 rad about gravity in it; positive is clockwise from above.
    package mutating func turn(start: Double, rate: Double = 15) -> RecordedMessage {
        let count = 200
        func column(_ value: (Int) -> Double) -> String {
            "[" + (0..<count).map { "\(value($0))" }.joined(separator: ",") + "]"
        }
        func vector(_ x: Double, _ y: Double, _ z: (Int) -> Double) -> String {
            #"{"x":\#(column { _ in x }),"y":\#(column { _ in y }),"z":\#(column(z))}"#
        }
        let attitude =
            #"{"x":\#(column { _ in 0 }),"y":\#(column { _ in 0 }),"z":\#(column { _ in 0 }),"w":\#(column { _ in 1 })}"#
        return frame(
            "device-motion", uptime: start + 4,
            #""samples":{"timestamp":\#(column { start + Double($0) / 50 }),"attitude":\#(attitude),"#
                + #""rotationRate":\#(vector(0, 0) { (50..<80).contains($0) ? -rate : 0 }),"#
                + #""userAcceleration":\#(vector(0, 0) { _ in 0 }),"gravity":\#(vector(0, 0) { _ in -1 })}"#)
    }

    /// A retained status.
    package mutating func status(_ state: String = "online", uptime: Double, _ more: String = "") -> RecordedMessage {
        frame("status", uptime: uptime, retain: true, #""state":"\#(state)"\#(more)"#)
    }

    /// A retained workout change.
    package mutating func workout(_ state: String, uptime: Double, activity: String = "baseball") -> RecordedMessage {
        frame("workout", uptime: uptime, retain: true, #""state":"\#(state)","activity":"\#(activity)","timestamp":\#(uptime)"#)
    }

    /// A headphone motion frame with a still head: `count` samples at 25 Hz that end at `uptime`.
    package mutating func stillHead(uptime: Double, count: Int = 5, location: String = "headphoneLeft") -> RecordedMessage {
        let times = (0..<count).map { uptime - Double(count - 1 - $0) * 0.04 }
        func column(_ value: Double) -> String { Array(repeating: "\(value)", count: count).joined(separator: ",") }
        return frame(
            "headphone-motion", uptime: uptime,
            """
            "samples":{"timestamp":[\(times.map { "\($0)" }.joined(separator: ","))],\
            "attitude":{"x":[\(column(0))],"y":[\(column(0))],"z":[\(column(0))],"w":[\(column(1))]},\
            "rotationRate":{"x":[\(column(0))],"y":[\(column(0))],"z":[\(column(0))]},\
            "userAcceleration":{"x":[\(column(0))],"y":[\(column(0))],"z":[\(column(0))]},\
            "gravity":{"x":[\(column(0))],"y":[\(column(0))],"z":[\(column(-1))]},"sensorLocation":"\(location)"}
            """)
    }

    /// An accelerometer batch at rest: `count` samples at 800 Hz from `start`.
    package mutating func accelerometer(start: Double, count: Int = 80, seq: Int? = nil) -> RecordedMessage {
        func column(_ value: Double) -> String { Array(repeating: "\(value)", count: count).joined(separator: ",") }
        return frame(
            "batched-imu", uptime: start + Double(count) / 800, seq: seq,
            """
            "accelerometer":{"timestamp":{"start":\(start),"interval":0.00125},\
            "x":[\(column(0))],"y":[\(column(0))],"z":[\(column(-1))]}
            """)
    }
}

extension [RecordedMessage] {
    /// Each up to `seconds` later, by chance, in the order in which they come then.
    package func late(by seconds: Double, using random: inout SeededGenerator) -> [RecordedMessage] {
        map { RecordedMessage(at: $0.at + Double.random(in: 0..<seconds, using: &random), message: $0.message) }
            .sorted { $0.at < $1.at }
    }
}
