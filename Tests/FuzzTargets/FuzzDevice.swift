import GatewayPipeline
import TelemetryModel

/// A device whose frames are chosen by an input. It remembers what it measured.
struct FuzzDevice {
    /// Its id.
    let id: String
    /// The boots so far, and the one that runs.
    private var boots = [Boot(uptime: 100, offset: 1_763_743_900)]
    private var boot = 0
    /// Depths in m by boot and time in microseconds.
    private var depths: [Place: Double] = [:]

    private struct Boot {
        /// The device's clock in s.
        var uptime: Double
        /// Unix time minus that clock.
        var offset: Double
        var sequences: [String: Int] = [:]
    }

    private var uptime: Double {
        get { boots[boot].uptime }
        set { boots[boot].uptime = newValue }
    }

    private struct Place: Hashable {
        var boot: String
        var microseconds: Int
    }

    init(_ id: String) { self.id = id }

    /// The time of the next reading: no two have the same, as ids distinguish times.
    private mutating func nextTime(_ input: inout FuzzInput, most: UInt8 = 0x7F) {
        uptime += Double(1 + Int(input.byte() & most)) / 16
    }

    /// A submersion frame with one to three depths.
    mutating func depth(_ input: inout FuzzInput) -> InboundMessage {
        let measurements = (0...input.index(below: 3)).map { _ in
            nextTime(&input)
            let depth = Double(input.byte()) / 32
            depths[Place(boot: bootID, microseconds: Int((uptime * 1e6).rounded()))] = depth
            return
                #"{"timestamp":\#(uptime),"depth":{"value":\#(depth),"unit":"m"},"surfacePressure":{"value":101.3,"unit":"kPa"}}"#
        }
        return frame("submersion", #""measurements":[\#(measurements.joined(separator: ","))]"#)
    }

    /// A submersion frame with an event, an error or a temperature.
    mutating func event(_ input: inout FuzzInput) -> InboundMessage {
        nextTime(&input)
        let lists = [
            #""events":[{"timestamp":\#(uptime),"state":"submerged"}]"#,
            #""events":[{"timestamp":\#(uptime),"state":"notSubmerged"}]"#,
            #""events":[{"timestamp":\#(uptime),"state":"unknown"}]"#,
            #""errors":[{"timestamp":\#(uptime),"code":\#(100 + input.index(below: 16))}]"#,
            #""temperatures":[{"timestamp":\#(uptime),"temperature":{"value":12,"unit":"C"},"temperatureUncertainty":{"value":1,"unit":"C"}}]"#,
            #""measurements":[{"timestamp":\#(uptime)}]"#,
        ]
        return frame("submersion", lists[input.index(below: lists.count)])
    }

    /// A frame of device motion with one to eight samples.
    mutating func motion(_ input: inout FuzzInput) -> InboundMessage {
        let count = 1 + input.index(below: 8)
        let rate = Double(input.byte()) / 8
        let start = uptime
        uptime += Double(count) / 50
        func column(_ value: Double) -> String { "[" + Array(repeating: "\(value)", count: count).joined(separator: ",") + "]" }
        let vector = #"{"x":\#(column(0)),"y":\#(column(0)),"z":\#(column(rate))}"#
        let gravity = #"{"x":\#(column(0)),"y":\#(column(0)),"z":\#(column(-1))}"#
        let attitude = #"{"x":\#(column(0)),"y":\#(column(0)),"z":\#(column(0)),"w":\#(column(1))}"#
        let stream = input.byte() & 1 == 0 ? "device-motion" : "headphone-motion"
        return frame(
            stream,
            #""samples":{"timestamp":{"start":\#(start),"interval":0.02},"attitude":\#(attitude),"rotationRate":\#(vector),"#
                + #""userAcceleration":\#(vector),"gravity":\#(gravity),"sensorLocation":"default"}"#)
    }

    /// A frame of recorded acceleration, of some seconds in the hours before.
    mutating func recorded(_ input: inout FuzzInput) -> InboundMessage {
        nextTime(&input)
        let count = 8 + input.index(below: 24)
        let start = uptime + boots[boot].offset - 60 * Double(1 + Int(input.byte()))
        func column(_ value: Double) -> String { "[" + Array(repeating: "\(value)", count: count).joined(separator: ",") + "]" }
        return frame(
            "recorded-accelerometer",
            #""samples":{"startDate":{"start":\#(start),"interval":0.5},"x":\#(column(0)),"y":\#(column(0)),"z":\#(column(-1))}"#)
    }

    /// A status, a workout, a connection, a command, steps, or an empty payload.
    mutating func other(_ input: inout FuzzInput) -> InboundMessage {
        nextTime(&input, most: 0x1F)
        switch input.index(below: 8) {
        case 0: return frame("status", #""state":"online","model":"Watch6,18""#, retain: true)
        case 1: return frame("status", #""state":"offline""#, retain: true)
        case 2: return frame("workout", #""state":"running","activity":"tennis","timestamp":\#(uptime)"#, retain: true)
        case 3: return frame("workout", #""state":"ended","timestamp":\#(uptime)"#, retain: true)
        case 4: return frame("headphone-connection", #""event":"didConnect","timestamp":\#(uptime)"#)
        case 5: return frame("headphone-connection", #""event":"didDisconnect","timestamp":\#(uptime)"#)
        case 6: return frame("command", #""command":"resetHeadPose""#)
        default: return InboundMessage(topic: topic(input.byte() & 1 == 0 ? "status" : "workout"), payload: [], retain: true)
        }
    }

    /// Starts another boot, with a clock that may have been set, or goes on with an earlier one.
    mutating func reboot(_ input: inout FuzzInput) {
        let jump = Double(Int(input.byte()) - 64)
        if input.byte() & 3 == 0 { return boot = input.index(below: boots.count) }
        let uptime = 10 + Double(input.byte())
        let now = self.uptime + boots[boot].offset
        let offset = now - uptime + (input.byte() & 3 == 0 ? 60 * jump : 0)
        boots.append(Boot(uptime: uptime, offset: offset))
        boot = boots.count - 1
    }

    /// Leaves out some `seq` of depth, or of another stream.
    mutating func skip(_ input: inout FuzzInput, of stream: String = "submersion") {
        boots[boot].sequences[stream, default: 0] += input.index(below: 64)
    }

    /// Whether a depth was measured at a time of a boot, by a clock of microseconds.
    func measured(_ depth: Double, boot: String, microseconds: Int) -> Bool {
        // The instant is published as unix time as well, whose last digits are rounded.
        (-1...1).contains { depths[Place(boot: boot, microseconds: microseconds + $0)] == depth }
    }

    /// Whether the decoder refuses a frame.
    static func isRejected(_ message: InboundMessage) -> Bool {
        guard let stream = StreamName(rawValue: message.topic.split(separator: "/").last.map(String.init) ?? "") else {
            return true
        }
        do throws(Rejection) {
            _ = try MessageDecoder().decode(
                message, stream: stream, received: GatewayTime(unix: UnixTime(0), monotonic: 0))
            return false
        } catch {
            return true
        }
    }

    private var bootID: String { "b\(boot)" }

    private func topic(_ stream: String) -> String { "wearables/\(id)/in/\(stream)" }

    private mutating func frame(_ stream: String, _ body: String, retain: Bool = false) -> InboundMessage {
        let sequence = boots[boot].sequences[stream, default: 0]
        boots[boot].sequences[stream] = sequence + 1
        let header =
            #"{"schema":"wearables/1","boot":"\#(bootID)","seq":\#(sequence),"uptime":\#(uptime),"sent":\#(uptime + boots[boot].offset),"#
        return InboundMessage(topic: topic(stream), payload: Array((header + body + "}").utf8), retain: retain)
    }
}
