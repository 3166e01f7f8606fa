import GatewayPipeline
import LiveView

let start = 1_763_749_000.0

extension WallClock {
    /// UTC: the start is at 18:16:40.
    static let test = WallClock { _ in 0 }
}

/// A view that receives derived messages in order, `seconds` after the start, and the events that it shows.
struct Scenario {
    var model = LiveViewModel(startedAt: start, plannedSeconds: 40)
    var events: [LiveEvent] = []

    /// Receives a message on `{device}/out/{kind}`; `fields` are the fields of its JSON object.
    mutating func receive(_ seconds: Double, _ device: String, _ kind: String, _ fields: String) {
        let json = #"{"schema":"wearables/1","at":\#(start + seconds),\#(fields)}"#
        send(seconds, "wearables/\(device)/out/\(kind)", json)
    }

    /// Receives one depth state of each of several devices, whose names end with a number.
    mutating func receive(_ seconds: Double, _ name: String, _ numbers: ClosedRange<Int>, depth: String) {
        for number in numbers { receive(seconds, "\(name)\(number)", "depth-state", depth) }
    }

    mutating func send(_ seconds: Double, _ topic: String, _ payload: String) {
        events += model.receive(topic: topic, payload: Array(payload.utf8), at: start + seconds)
    }

    mutating func tick(_ seconds: Double) {
        events += model.tick(at: start + seconds)
    }

    /// The first 17 s of the demo, as a gateway publishes them.
    static var demo: Scenario {
        var scenario = Scenario()
        scenario.send(0.1, "fathom/demo/status", #"{"state":"online"}"#)
        scenario.receive(0.2, "pods-7", "connection/device", #""state":"connected","cause":"reported""#)
        scenario.receive(0.2, "pods-7", "connection/headphone", #""state":"connected","cause":"reported""#)
        scenario.receive(0.3, "batter-1", "access/batched-imu", #""allowed":true,"reason":"allowed","code":null"#)
        scenario.receive(0.7, "watch-2", "access/submersion", #""allowed":false,"reason":"notEntitled","code":110"#)
        scenario.receive(0.8, "ultra-1", "depth-state", depth("notSubmerged", 100, nil))
        scenario.receive(1.0, "pods-7", "head-pose", pose("headphoneLeft", yaw: 0.35, pitch: -0.1))
        scenario.receive(3.4, "ultra-1", "depth-state", depth("submergedShallow", 200, 0.31))
        scenario.receive(4.1, "ultra-1", "depth-state", depth("submergedDeep", 300, 1.02))
        scenario.tick(5)
        scenario.receive(5.9, "batter-1", "impact", #""impactAt":\#(start + 5.84),"peakAcceleration":24.4,"axis":"magnitude""#)
        scenario.receive(6.2, "batter-1", "swing", hit(0.24, rate: -17.04, peak: 24.4))
        scenario.receive(8.1, "pods-7", "connection/headphone", handover)
        scenario.receive(8.2, "pods-7", "head-pose", pose("headphoneRight", yaw: -0.2, pitch: 0.07))
        scenario.receive(9.2, "ultra-1", "depth-state", depth("approachingMaxDepth", 400, 5.26))
        scenario.receive(9.3, "ultra-1", "water-temperature", #""temperature":17.84,"uncertainty":0.2,"converged":true"#)
        scenario.tick(10)
        scenario.receive(11.2, "ultra-1", "depth-state", depth("pastMaxDepth", 500, 6.03))
        scenario.receive(12.7, "ultra-1", "depth-state", depth("sensorDepthError", 600, nil))
        scenario.receive(
            13.1, "batter-1", "swing", #""contact":false,"impactAt":null,"peakRotationRate":-18.5,"peakAcceleration":null"#)
        scenario.receive(
            15.1, "pods-7", "connection/headphone", #""state":"disconnected","previous":"connected","cause":"reported""#)
        scenario.receive(17.0, "ultra-1", "depth-state", depth("pastMaxDepth", 500, 6.35))
        return scenario
    }

    static func depth(_ state: String, _ raw: Int, _ depth: Double?) -> String {
        let meters = depth.map { "\($0)" } ?? "null"
        return #""state":"\#(state)","rawValue":\#(raw),"depth":\#(meters),"maximumDepth":6,"quality":"valid""#
    }

    static func pose(_ bud: String, yaw: Double, pitch: Double) -> String {
        #""roll":0.01,"pitch":\#(pitch),"yaw":\#(yaw),"sensorLocation":"\#(bud)""#
    }

    static func hit(_ time: Double, rate: Double, peak: Double) -> String {
        #""contact":true,"timeToContact":\#(time),"peakRotationRate":\#(rate),"peakAcceleration":\#(peak)"#
    }

    static let handover =
        #""state":"connected","previous":"connected","cause":"handover","#
        + #""sensorLocation":"headphoneRight","previousLocation":"headphoneLeft""#
}
