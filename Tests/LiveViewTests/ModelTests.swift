import GatewayPipeline
import LiveView
import TelemetryModel
import Testing

@Suite("The view")
struct ModelTests {
    @Test("sums up what happened to each device")
    func summary() {
        var scenario = Scenario.demo
        scenario.receive(18.4, "ultra-1", "depth-state", Scenario.depth("approachingMaxDepth", 400, 5.79))
        scenario.receive(26, "ultra-1", "dive", #""duration":22.6,"deepest":null,"ascentRate":0.81"#)
        scenario.receive(26.1, "ultra-1", "depth-state", Scenario.depth("notSubmerged", 100, nil))
        scenario.receive(27, "pods-7", "connection/headphone", #""state":"connected","cause":"reported""#)
        let lines = SummaryRenderer(style: TerminalStyle(usesColor: false)).lines(scenario.model)
        #expect(lines.joined(separator: "\n") == Self.summaryLines)
    }

    @Test("counts time past the maximum depth in the time of the samples")
    func pastMaximumDepth() {
        var scenario = Scenario()
        scenario.receive(1, "u", "depth-state", Scenario.depth("pastMaxDepth", 500, 6.1))
        scenario.receive(3, "u", "depth-state", Scenario.depth("sensorDepthError", 600, nil))
        scenario.receive(5.5, "u", "depth-state", Scenario.depth("submergedDeep", 300, 4))
        scenario.receive(8, "u", "depth-state", Scenario.depth("pastMaxDepth", 500, 6.2))
        scenario.tick(9)
        let text = scenario.model.devices[0].summary(until: scenario.model.now).text
        #expect(text == "deeper than 6.2 m, 5.5 s past max depth (6 m)")
    }

    @Test("keeps the deeper of a state that was published ahead of its turn and those measured before it")
    func earlyState() {
        var scenario = Scenario()
        func zone() -> DepthState? { scenario.model.devices.first?.water.zone }
        scenario.receive(1, "u", "depth-state", Scenario.depth("submergedShallow", 200, 0.5))
        scenario.receive(9, "u", "depth-state", Scenario.depth("pastMaxDepth", 500, 6.1) + #","early":true"#)
        scenario.receive(5, "u", "depth-state", Scenario.depth("submergedShallow", 200, 0.6))
        #expect(zone() == .pastMaxDepth)
        scenario.receive(6, "u", "depth-state", Scenario.depth("sensorDepthError", 600, nil))
        #expect(zone() == .sensorDepthError)
        scenario.receive(10, "u", "depth-state", Scenario.depth("submergedDeep", 300, 4))
        #expect(zone() == .submergedDeep)
        scenario.receive(9.5, "u", "depth-state", Scenario.depth("submergedShallow", 200, 0.9))
        #expect(zone() == .submergedShallow)
    }

    @Test("shows the last night, the last day, and whether the watch is worn")
    func night() {
        var scenario = Scenario()
        scenario.receive(1, "w", "wear", #""state":"worn","since":100"#)
        #expect(scenario.model.devices[0].headline(at: 1).text == "worn")
        scenario.receive(2, "w", "day", #""date":"2025-11-21","worn":25620,"estimatedSteps":5230"#)
        #expect(scenario.model.devices[0].headline(at: 2).text == "2025-11-21: worn 7:07 h 5,230 steps")
        scenario.receive(3, "w", "sleep", #""duration":25200,"sleepDuration":23700,"awakenings":2"#)
        scenario.send(
            4, "wearables/w/out/sleep", #"{"at":\#(start - 90_000),"duration":100,"sleepDuration":100,"awakenings":0}"#)
        let device = scenario.model.devices[0]
        #expect(device.headline(at: 4).text == "slept 6:35 h of 7:00 h, 2 awakenings")
        #expect(device.picture(width: 10, at: 4).map(\.text).joined() == "▆▆▆▆▆▆▆▆▆▁")
        #expect(device.summary(until: 4).text == "slept 6:35 h of 7:00 h, 2 awakenings; 2025-11-21: worn 7:07 h 5,230 steps")
        scenario.receive(5, "w", "depth-state", Scenario.depth("submergedDeep", 300, 2))
        scenario.receive(6, "w", "wear", #""state":"notWorn","since":100"#)
        #expect(scenario.model.devices[0].role == .water)
        #expect(scenario.events.map(\.text).contains("is not worn"))
    }

    @Test("shows tremor and dyskinesia of the latest minute, and tells where they begin")
    func tremor() {
        var scenario = Scenario()
        func minute(_ end: Double, _ shares: String) -> String {
            #""start":\#(end - 60),"end":\#(end),"unknown":0,"method":"apple",\#(shares)"#
        }
        scenario.receive(1, "w", "access/movement-disorder", #""allowed":true,"reason":"allowed","code":null"#)
        scenario.receive(
            2, "w", "tremor", minute(600, #""none":1,"slight":0,"mild":0,"moderate":0,"severe":0,"frequency":null"#))
        #expect(scenario.events.isEmpty)
        #expect(scenario.model.devices[0].role == .tremor)
        #expect(scenario.model.devices[0].headline(at: 2).text == "no tremor")
        scenario.receive(
            3, "w", "tremor", minute(660, #""none":0.6,"slight":0.1,"mild":0.3,"moderate":0,"severe":0,"frequency":4.96"#))
        scenario.receive(4, "w", "dyskinesia", minute(660, #""unlikely":0.75,"likely":0.25"#))
        // A revision of an earlier minute is not the latest one, and no news while there is tremor.
        scenario.receive(
            5, "w", "tremor", minute(540, #""none":0,"slight":1,"mild":0,"moderate":0,"severe":0,"frequency":null"#))
        let text = "tremor in 40 % of a minute, mostly mild, 5.0 Hz, dyskinesia likely in 25 %"
        #expect(scenario.model.devices[0].headline(at: 5).text == text)
        #expect(
            scenario.events.map(\.text) == [
                "tremor in 40 % of a minute, mostly mild, 5.0 Hz", "dyskinesia likely in 25 %",
            ])
        // A watch that is used for something else stays what it is.
        scenario.receive(6, "w", "depth-state", Scenario.depth("submergedDeep", 300, 2))
        scenario.receive(7, "w", "dyskinesia", minute(720, #""unlikely":1,"likely":0"#))
        #expect(scenario.model.devices[0].role == .water)
        #expect(!scenario.events.dropFirst(3).contains { $0.text.contains("dyskinesia") })
    }

    @Test("draws no head, no running and no repetitions that are no longer current")
    func stalePictures() {
        var scenario = Scenario()
        let until = #","validUntil":\#(start + 10)"#
        scenario.receive(1, "pods", "head-pose", Scenario.pose("headphoneLeft", yaw: 0.35, pitch: -0.1) + until)
        scenario.receive(1, "runner", "pace", #""state":"moving","pace":0.3,"distance":30"# + until)
        scenario.receive(1, "lifter", "repetition", #""count":7,"set":2"# + until)
        func drawn(_ seconds: Double, isLive: Bool = true) -> [Bool] {
            scenario.model.devices.map { device in
                device.picture(width: 13, at: start + seconds, isLive: isLive).contains { !$0.text.allSatisfy(\.isWhitespace) }
            }
        }
        #expect(drawn(9) == [true, true, true])
        #expect(drawn(11) == [false, false, false])
        #expect(drawn(9, isLive: false) == [false, false, false])
    }

    @Test("tells when a workout begins, pauses and ends, and shows it while it is under way")
    func session() {
        var scenario = Scenario()
        func send(_ seconds: Double, _ part: String, _ state: String, from begin: Double, end: Double? = nil) {
            let end = end.map { "\(start + $0)" } ?? "null"
            scenario.receive(
                seconds, "w", "session/\(part)",
                #""activity":"running","state":"\#(state)","start":\#(start + begin),"end":\#(end)"#)
        }
        send(10, "motion", "running", from: 5)
        #expect(scenario.model.devices[0].headline(at: start + 125).text == "running 2:00")
        send(12, "distance", "running", from: 5)
        scenario.receive(20, "w", "pace", #""state":"moving","pace":0.3,"distance":30"#)
        #expect(scenario.model.devices[0].headline(at: start + 21).text == "5:00 min/km, 30 m · running 0:16")
        send(30, "motion", "paused", from: 5)
        #expect(scenario.model.devices[0].headline(at: start + 90).text.hasSuffix(" · running paused"))
        send(40, "motion", "running", from: 5)
        send(65, "motion", "ended", from: 5, end: 65)
        send(65, "distance", "ended", from: 5, end: 65)
        scenario.send(66, "wearables/w/out/session/motion", "")
        #expect(!scenario.model.devices[0].headline(at: start + 70).text.contains("running 1"))
        #expect(scenario.model.devices[0].summary(until: start + 70).text.hasSuffix("; running ended after 1:00"))
        // Late data revise it: nothing new has happened.
        send(65, "distance", "ended", from: 5, end: 65)
        send(400, "motion", "running", from: 100)
        #expect(
            scenario.events.map(\.text).filter { $0.hasPrefix("running") } == [
                "running begins", "running paused", "running goes on", "running ended after 1:00", "running since 5:00",
            ])
        // The device's clock was ahead: the next session begins before the one that ended.
        send(410, "motion", "ended", from: 100, end: 410)
        send(420, "motion", "running", from: 50)
        #expect(scenario.model.devices[0].session?.end == nil)
        // A session whose topic is cleared before it ended is not known any more.
        scenario.send(500, "wearables/w/out/session/motion", "")
        #expect(scenario.model.devices[0].session == nil)
    }

    @Test("clears a refusal when access is granted")
    func accessGranted() {
        var scenario = Scenario()
        scenario.receive(1, "b", "access/batched-imu", #""allowed":false,"reason":"notInSession","code":108"#)
        #expect(scenario.model.devices[0].headline(at: 0).text == "batched-imu refused: no workout running (108)")
        scenario.receive(2, "b", "access/batched-imu", #""allowed":true"#)
        #expect(scenario.model.devices[0].headline(at: 0).text == "waiting for a swing")
        #expect(scenario.events.map(\.text) == ["batched-imu refused: no workout running (108)", "batched-imu allowed"])
    }

    @Test("keeps at most 64 refused streams of a device, with short reasons; one that is allowed makes room")
    func manyRefusals() {
        var scenario = Scenario()
        let long = String(repeating: "x", count: 500)
        for number in 0..<100 {
            scenario.receive(1, "b", "access/s\(number)", #""allowed":false,"reason":"\#(long)","code":1"#)
        }
        let refusals = scenario.model.devices[0].access.refusals
        #expect(refusals.count == 64)
        #expect(refusals["s63"] == String(repeating: "x", count: 64) + " (1)")
        scenario.receive(2, "b", "access/s0", #""allowed":true"#)
        scenario.receive(3, "b", "access/s99", #""allowed":false,"reason":"notInSession","code":108"#)
        #expect(scenario.model.devices[0].access.refusals["s99"] == "no workout running (108)")
    }

    @Test("clears the state of a cleared retained message")
    func cleared() {
        var scenario = Scenario()
        scenario.receive(1, "watch-2", "access/submersion", #""allowed":false,"reason":"notEntitled","code":110"#)
        scenario.send(2, "wearables/watch-2/out/access/submersion", "")
        #expect(scenario.model.devices[0].headline(at: 0).text == "never seen")
    }

    @Test("shows repetitions while a set goes on, a pose while it is held, and what ended as events")
    func exercise() {
        var scenario = Scenario()
        func headline(_ seconds: Double) -> String { scenario.model.devices[0].headline(at: start + seconds).text }
        scenario.receive(1, "w", "repetition", #""count":7,"set":2,"validUntil":\#(start + 11)"#)
        #expect(headline(2) == "7 repetitions, set 2")
        scenario.receive(3, "w", "set", #""repetitions":8,"period":2.06,"exercise":null"#)
        #expect(headline(4) == "set of 8 repetitions, 2.1 s each")
        scenario.receive(5, "w", "pose", #""pose":"tree","since":\#(start + 1),"sway":0.0175,"validUntil":\#(start + 10)"#)
        #expect(headline(7) == "holds tree for 6 s, sway 1.0°")
        #expect(headline(12) == "set of 8 repetitions, 2.1 s each")
        scenario.receive(13, "w", "pose", #""pose":null,"validUntil":\#(start + 18)"#)
        scenario.receive(13, "w", "pose-hold", #""pose":"tree","duration":12.2,"sway":0.0175"#)
        scenario.receive(14, "w", "punch", #""count":3,"peakAcceleration":9.52"#)
        scenario.receive(15, "w", "set", #""repetitions":1,"period":2,"exercise":"pushUp""#)
        #expect(
            scenario.events.map(\.text) == [
                "set of 8 repetitions, 2.1 s each", "held tree for 12 s, sway 1.0°", "punch 3, 9.5 G",
                "set of 1 push up, 2.0 s each",
            ])
        #expect(scenario.model.devices[0].summary(until: start + 20).text == "2 sets, 9 repetitions, 3 punches, 1 pose")
    }

    @Test("shows that a device vanished after its last will")
    func vanished() {
        var scenario = Scenario()
        scenario.receive(1, "b", "connection/device", #""state":"connected""#)
        scenario.receive(2, "b", "connection/device", #""state":"disconnected","cause":"lastWill""#)
        #expect(scenario.events.map(\.text) == ["online", "vanished"])
        #expect(scenario.model.devices[0].headline(at: 0).text == "offline")
    }

    @Test("shows the last sample of a series as the latest pose, and a damaged series not at all")
    func series() {
        var scenario = Scenario()
        func headline() -> String { scenario.model.devices.first?.headline(at: start).text ?? "" }
        func receive(_ seconds: Double, _ fields: String) { scenario.receive(seconds, "p", "head-pose/series", fields) }
        let angles = #""pitch":[0,0],"roll":[0,0]"#
        receive(0, #""timestamp":[\#(start),\#(start + 1)],"yaw":[1,2],\#(angles)"#)
        #expect(!headline().contains("yaw"))
        scenario.receive(1, "p", "head-pose", Scenario.pose("headphoneLeft", yaw: 0.5, pitch: 0))
        receive(2, #""timestamp":[\#(start + 1.5),\#(start + 2)],"yaw":[1,2],\#(angles),"sensorLocation":"headphoneRight""#)
        let shown = headline()
        #expect(shown.hasPrefix("right bud, yaw ") && shown.contains("115"), "\(shown)")
        for fields in [
            #""timestamp":[],"yaw":[]"#, #""timestamp":[\#(start + 3),"x"],"yaw":[3,4],\#(angles)"#, #""timestamp":7,"yaw":[3]"#,
            #""timestamp":[\#(start + 1)],"yaw":[3],"pitch":[0],"roll":[0]"#,
            #""timestamp":[\#(start + 3)],"yaw":[3,4],"pitch":[0]"#,
        ] { receive(3, fields) }
        #expect(headline() == shown)
        #expect(scenario.events.isEmpty)
    }

    @Test("draws where a head looks: ahead, half to the left, far to the right")
    func dial() {
        var scenario = Scenario()
        let pictures = [0.0, .pi / 4, -4].map { yaw in
            scenario.receive(1, "p", "head-pose", Scenario.pose("headphoneLeft", yaw: yaw, pitch: 0))
            return scenario.model.devices[0].picture(width: 13, at: start).map(\.text).joined()
        }
        #expect(pictures == ["──────●──────", "───●──┴──────", "──────┴─────●"])
    }

    @Test("fills a gauge with the depth's danger")
    func gauge() {
        var scenario = Scenario()
        let pictures = [100, 200, 300, 400, 500, 600, 0].map { raw in
            scenario.receive(1, "u", "depth-state", Scenario.depth("", raw, nil))
            return scenario.model.devices[0].picture(width: 10, at: start).map(\.text).joined()
        }
        #expect(pictures == ["░░░░░░░░░░", "██░░░░░░░░", "████░░░░░░", "██████░░░░", "████████░░", "██████████", "░░░░░░░░░░"])
    }

    @Test("counts forehands and backhands")
    func strokes() {
        var scenario = Scenario()
        scenario.receive(1, "r", "stroke", #""stroke":"forehand","forehandCount":3,"backhandCount":1"#)
        #expect(scenario.events.map(\.text) == ["forehand, 3 forehand, 1 backhand so far"])
    }

    @Test("shows gaps, an unknown depth and a doubtful one")
    func doubts() {
        var scenario = Scenario()
        scenario.receive(1, "u", "gap", #""stream":"submersion","unit":"frames","expected":5,"receivedCount":2"#)
        scenario.receive(2, "u", "depth-state", Scenario.depth("submergedDeep", 300, 2))
        scenario.receive(3, "u", "depth-state", #""state":"submergedDeep","rawValue":300,"depth":2.5,"quality":"fault""#)
        scenario.receive(4, "u", "depth-state", #""state":"unknown","rawValue":0,"depth":null,"quality":"stale""#)
        #expect(
            scenario.events.map(\.text) == [
                "3 frames of submersion missing", "under water 2.0 m", "under water 2.5 m, sensor fault", "depth unknown",
            ])
    }

    @Test(
        "survives any payload",
        arguments: ["", "{", "[]", "null", #"{"state":5,"yaw":"x"}"#, #"{"yaw":1e999}"#, "\u{0}", extremes])
    func garbage(payload: String) {
        var scenario = Scenario()
        for kind in [
            "head-pose", "head-pose/series", "depth-state", "swing", "access/submersion", "connection/headphone", "dive", "gap",
            "new-kind",
        ] {
            scenario.send(1, "wearables/d-1/out/\(kind)", payload)
            scenario.send(1, "fathom/g/status", payload)
        }
        #expect(scenario.model.devices.count <= 1)
        #expect(!ScreenRenderer(style: TerminalStyle(usesColor: false)).lines(scenario.model).isEmpty)
        #expect(!SummaryRenderer(style: TerminalStyle(usesColor: false)).lines(scenario.model).isEmpty)
    }

    @Test("ignores topics that are not derived ones, and finds devices under a root with slashes")
    func topics() {
        var model = LiveViewModel(startedAt: start, root: "club/wearables")
        for topic in ["club/wearables/d/in/status", "wearables/d/out/swing", "club/wearables/d/out/", "x", ""] {
            model.receive(topic: topic, payload: Array("{}".utf8), at: start)
        }
        #expect(model.devices.isEmpty && model.total == 0)
        model.receive(topic: "club/wearables/d/out/swing", payload: Array(#"{"contact":true}"#.utf8), at: start)
        #expect(model.devices.map(\.id) == ["d"])
    }

    private static let extremes =
        #"{"expected":9223372036854775807,"receivedCount":-9223372036854775808,"contact":true,"timeToContact":1e308,"#
        + #""forehandCount":9223372036854775807,"backhandCount":1,"stroke":"x","yaw":1e308,"pitch":-1e308,"roll":0,"#
        + #""rawValue":500,"depth":-1e308,"at":1e308,"allowed":false,"code":-9223372036854775808,"state":"connected"}"#

    private static let summaryLines = """
        27 seconds, 24 derived messages

          pods-7    1 handover, taken out once, put back once, 2 head poses
          batter-1  1 hit (0.24 s to contact), 1 miss
          watch-2   submersion refused: not entitled (110)
          ultra-1   1 dive, deeper than 6.4 m, 7.2 s past max depth (6 m)
        """
}
