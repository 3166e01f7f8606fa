import GatewayPipeline
import TelemetryModel

/// A device that means harm: any header, any body, on any stream, among frames as other devices send them.
struct FuzzRogue {
    private var device: FuzzDevice
    private var sequence = 0
    private var uptime = 100.0
    /// How many boots it has made up.
    private var boots = 0

    init(_ id: String) { device = FuzzDevice(id) }

    /// Its next message, by the gateway's clock `now`.
    mutating func message(_ input: inout FuzzInput, at now: Double) -> InboundMessage {
        switch input.index(below: 10) {
        case 0: return device.depth(&input)
        case 1: return device.motion(&input)
        case 2: return device.event(&input)
        case 3: return device.other(&input)
        case 4: return device.recorded(&input)
        case 5:
            device.reboot(&input)
            return device.depth(&input)
        case 6:
            device.skip(&input)
            return device.depth(&input)
        case 7: return mapped(&input, at: now)
        default: return forged(&input, at: now)
        }
    }

    /// A frame whose header and body are chosen apart.
    private mutating func forged(_ input: inout FuzzInput, at now: Double) -> InboundMessage {
        let stream = Self.streams[input.index(below: Self.streams.count)]
        uptime += Double(input.byte()) / 64
        let header =
            #"{"schema":"wearables/1","boot":"\#(boot(&input))",\#(order(&input))"uptime":\#(time(&input, uptime)),"#
            + (input.byte() & 7 == 7 ? "" : #""sent":\#(time(&input, now)),"#)
        var payload = Array((header + Self.body(&input, uptime: uptime, now: now) + "}").utf8)
        let form = input.byte()
        switch form & 7 {
        case 4: payload = input.bytes()
        case 5: payload.removeSubrange(min(payload.count, Int(input.byte()))...)
        case 6:
            let place = min(payload.count, Int(input.byte()))
            payload.replaceSubrange(place..<min(payload.count, place + 4), with: input.bytes())
        case 7:
            // Large, and accepted.
            payload.removeLast()
            payload += Array(#","note":"\#(String(repeating: "x", count: 1_024 * Int(input.byte())))"}"#.utf8)
        default: break
        }
        return InboundMessage(topic: "wearables/\(device.id)/in/\(stream)", payload: payload, retain: form & 0x30 == 0x30)
    }

    /// Its own boots, one of another device's name, or a new one.
    private mutating func boot(_ input: inout FuzzInput) -> String {
        let choice = input.index(below: 8)
        guard choice > 3 else { return "b\(choice)" }
        boots += choice & 1
        return "x\(boots)"
    }

    private mutating func order(_ input: inout FuzzInput) -> String {
        let choice = input.byte()
        switch choice & 7 {
        case 0...2: sequence += 1
        case 3: sequence += 2
        case 4: sequence += Int(choice)
        case 5: return #""seq":\#(["-1", "18446744073709551615", "9223372036854775807", "1e3"][Int(choice >> 3) & 3]),"#
        case 6: sequence = 0
        default: return choice & 8 == 0 ? "" : #""seq":\#(sequence),"#
        }
        return #""seq":\#(sequence),"#
    }

    /// A time near `near`, or one that no clock of its kind has.
    private func time(_ input: inout FuzzInput, _ near: Double) -> String {
        let choice = input.byte()
        switch choice >> 4 {
        case 12: return "\(near + 86_400 * Double(choice & 15))"
        case 13: return "\(near - 86_400 * Double(choice & 15))"
        case 14: return ["1e300", "-1e300", "0", "9007199254740993"][Int(choice & 3)]
        case 15: return "\(near + 1e9)"
        default: return "\(near + Double(choice & 15) / 8)"
        }
    }

    private static let streams = StreamName.allCases.map(\.rawValue) + ["depth", "in"]

    private static func body(_ input: inout FuzzInput, uptime: Double, now: Double) -> String {
        let depth = Double(input.byte()) / 32
        let bodies = [
            #""measurements":[{"timestamp":\#(uptime),"depth":{"value":\#(depth),"unit":"m"}}]"#,
            #""measurements":[{"timestamp":\#(uptime),"pressure":{"value":\#(depth * 1e300),"unit":"kPa"}}]"#,
            #""events":[{"timestamp":\#(uptime),"state":"submerged"}],"errors":[{"timestamp":\#(uptime),"code":\#(100 + Int(depth))}]"#,
            #""state":"online","model":"Watch6,18","authorization":{"motion":"denied"},"entitlements":["a"]"#,
            #""state":"offline""#,
            #""state":"running","activity":"tennis","timestamp":\#(uptime)"#,
            #""state":"ended","timestamp":\#(uptime)"#,
            #""event":"didConnect","timestamp":\#(uptime)"#,
            #""event":"didDisconnect","timestamp":\#(uptime)"#,
            #""command":"resetCounts""#,
            #""command":"learnPose","name":"p\#(Int(depth))""#,
            #""command":"calibratePosture""#,
            #""data":[{"startDate":\#(now - 3),"endDate":\#(now - 1),"numberOfSteps":\#(Int(depth)),"distance":\#(depth)}]"#,
            #""samples":{"timestamp":[\#(uptime)],"relativeAltitude":[\#(depth)],"pressure":[\#(90 + depth)]}"#,
            #""tremor":[{"startDate":\#(now - 120),"endDate":\#(now - 60),"unknown":0.1,"none":0.6,"slight":0.3,"#
                + #""mild":0,"moderate":0,"strong":0}]"#,
            #""samples":{"startDate":{"start":\#(now - 3_600 * depth),"interval":0.5},"x":[0,0,0],"y":[0,0,0],"z":[-1,-1,-1]}"#,
            #""accelerometer":{"timestamp":{"start":\#(uptime),"interval":0.00125},"x":[0,0,30],"y":[0,0,0],"z":[-1,-1,-1]}"#,
            #""samples":{"timestamp":[\#(uptime)],"attitude":{"x":[0],"y":[0],"z":[0],"w":[1]},"rotationRate":{"x":[0],"y":[0],"z":[0]},"#
                + #""userAcceleration":{"x":[0],"y":[0],"z":[0]},"gravity":{"x":[0],"y":[0],"z":[\#(depth < 4 ? -1 : -9.81)]},"#
                + #""sensorLocation":"default"}"#,
        ]
        return bodies[input.index(below: bodies.count)]
    }

    /// A message of a producer of `producers.yaml`.
    private mutating func mapped(_ input: inout FuzzInput, at now: Double) -> InboundMessage {
        let value = Double(input.byte()) / 16
        let instant = now + value - 8
        let messages = [
            ("fuzz/depth/\(device.id)", #"{"t":[\#(instant * 1_000)],"d":[\#(value)],"c":[60]}"#),
            ("fuzz/steps/\(device.id)", #"{"t":[\#(instant)],"n":[\#(Int(value))],"d":[\#(value)],"f":[0]}"#),
            ("fuzz/altitude/\(device.id)", #"{"t":[\#(instant)],"h":[\#(value)],"p":[1013]}"#),
            ("\(device.id)/sensor/water_pressure/state", "\(1_000 + 100 * value)"),
            (
                "sensorlog/\(device.id)",
                #"{"t":\#(instant),"qx":0,"qy":0,"qz":0,"qw":1,"rx":0,"ry":0,"rz":0,"ax":0,"ay":0,"az":0,"gx":0,"gy":0,"gz":-1}"#
            ),
        ]
        let (topic, payload) = messages[input.index(below: messages.count)]
        return InboundMessage(topic: topic, payload: Array(payload.utf8))
    }
}
