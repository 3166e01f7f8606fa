import GatewayPipeline
package import GatewayRuntime

/// The Sensor Logger app on a phone with headphones and a watch: it numbers its messages and writes as the app does.
package struct SensorLoggerApp {
    /// How the app writes units and signs.
    package enum Writing: Sendable, CaseIterable {
        /// Each sensor as Apple defines it.
        case plain
        /// Standardised by versions that left the attitude alone.
        case standardised
        /// Standardised by versions that turn the attitude too.
        case standardisedAndTurned
    }

    /// The topic that is typed into it.
    package var topic = "sensor-logger/anna"
    /// The id of the phone.
    package var id = "9E2A6C1E-1D7B-4C55-8B53-0D8E9C4A7F10"
    /// The recording.
    package var session: String
    /// How it writes.
    package var writing: Writing
    private var number: Int

    /// An app that begins a recording.
    package init(session: String = "session-1", writing: Writing = .plain, first: Int = 0) {
        self.session = session
        self.writing = writing
        number = first
    }

    /// The next message; `others` are readings as they stand.
    package mutating func message(
        at: Double, headphones: [AppReading] = [], wrist: [AppReading] = [], others: [String] = []
    ) -> RecordedMessage {
        defer { number += 1 }
        let readings =
            headphones.map { reading(named: "headphone", $0, isHeadphone: true) }
            + wrist.map { reading(named: "wrist motion", $0, isHeadphone: false) } + others
        return raw(
            at: at,
            #"{"messageId":\#(number),"sessionId":"\#(session)","deviceId":"\#(id)","payload":[\#(readings.joined(separator: ","))]}"#
        )
    }

    /// Any payload on its topic.
    package func raw(at: Double, _ payload: String) -> RecordedMessage {
        RecordedMessage(at: at, message: InboundMessage(topic: topic, payload: Array(payload.utf8)))
    }

    /// `seconds` of messages, one a second; each sensor's readings are those of `headphones` and `wrist` that are measured in that
    /// second, the watch's `watchLag` seconds before.
    package mutating func messages(
        from start: Double, seconds: Int, watchLag: Double = 0, headphones: [AppReading] = [], wrist: [AppReading] = []
    ) -> [RecordedMessage] {
        (0..<seconds).map { second in
            let from = start + Double(second)
            return message(
                at: from + 1.1, headphones: headphones.filter { (from..<from + 1).contains($0.time) },
                wrist: wrist.filter { (from..<from + 1).contains($0.time + watchLag) })
        }
    }

    /// A time as its language writes it: the nearest double, in as few digits as distinguish it from its neighbours.
    package static func nanoseconds(_ time: Double) -> String {
        let parts = "\((time * 1e9).rounded())".split(separator: "e")
        let digits = parts[0].filter { $0 != "." }
        return digits + String(repeating: "0", count: max(0, 19 - digits.count))
    }

    private func reading(named name: String, _ reading: AppReading, isHeadphone: Bool) -> String {
        let isPlain = writing == .plain
        let metric = isPlain ? 9.80665 : -9.80665
        let gravity = reading.gravity * (isPlain && !isHeadphone ? 1 : metric)
        let acceleration = reading.acceleration * (isPlain ? 1 : metric)
        let attitude = reading.attitude * (writing == .standardisedAndTurned ? SIMD4(-1, 1, -1, 1) : SIMD4(repeating: 1))
        let place = isHeadphone ? #""devicelocation":"right","roll":9,"pitch":9,"yaw":9,"# : ""
        return """
            {"name":"\(name)","time":\(Self.nanoseconds(reading.time)),"values":{\(place)\
            \(vector("rotationRate", reading.rotationRate)),\(vector("gravity", gravity)),\(vector("acceleration", acceleration)),\
            "quaternionW":\(attitude.w),\(vector("quaternion", SIMD3(attitude.x, attitude.y, attitude.z)))}}
            """
    }

    private func vector(_ name: String, _ vector: SIMD3<Double>) -> String {
        #""\#(name)X":\#(vector.x),"\#(name)Y":\#(vector.y),"\#(name)Z":\#(vector.z)"#
    }
}

extension TestDevice {
    /// A frame of the contract's own with the same readings.
    package mutating func motion(_ stream: String, _ readings: [AppReading]) -> RecordedMessage {
        func column(_ value: (AppReading) -> Double) -> String { readings.map { "\(value($0))" }.joined(separator: ",") }
        func vectors(_ name: String, _ value: (AppReading) -> SIMD3<Double>) -> String {
            #""\#(name)":{"x":[\#(column { value($0).x })],"y":[\#(column { value($0).y })],"z":[\#(column { value($0).z })]}"#
        }
        let columns = [
            #""timestamp":[\#(column { $0.time - offset })]"#,
            #""attitude":{"x":[\#(column(\.attitude.x))],"y":[\#(column(\.attitude.y))],"z":[\#(column(\.attitude.z))],"#
                + #""w":[\#(column(\.attitude.w))]}"#,
            vectors("rotationRate", \.rotationRate), vectors("userAcceleration", \.acceleration), vectors("gravity", \.gravity),
            #""sensorLocation":"\#(stream == "headphone-motion" ? "headphoneRight" : "default")""#,
        ]
        return frame(
            stream, uptime: (readings.last?.time ?? offset) - offset, #""samples":{\#(columns.joined(separator: ","))}"#)
    }
}
