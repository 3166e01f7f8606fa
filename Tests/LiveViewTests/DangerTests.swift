import GatewayPipeline
import LiveView
import Testing

/// What somebody on watch must see, whatever else there is.
@Suite("Devices by danger")
struct DangerTests {
    private func lines(_ scenario: Scenario, columns: Int = 80, rows: Int = 30) -> [String] {
        ScreenRenderer(columns: columns, rows: rows, style: TerminalStyle(usesColor: false)).lines(scenario.model)
    }

    private func order(_ scenario: Scenario) -> [String] { scenario.model.devicesByDanger.map(\.device.id) }

    /// A fleet at the surface, of which messages arrived before those of devices in danger.
    private func fleet(_ count: Int = 60) -> Scenario {
        var scenario = Scenario()
        scenario.receive(1, "watch-", 1...count, depth: Scenario.depth("notSubmerged", 100, nil))
        return scenario
    }

    @Test("A diver past the limit is on the first line of 30, however many devices were there before")
    func alarmFirst() {
        var scenario = fleet()
        scenario.receive(2, "ultra-1", "depth-state", Scenario.depth("approachingMaxDepth", 400, 5.9))
        #expect(lines(scenario)[2].hasPrefix(" ▲ ultra-1"))
        scenario.receive(3, "watch-57", "depth-state", Scenario.depth("pastMaxDepth", 500, 6.1))
        let lines = lines(scenario)
        #expect(lines.count == 30)
        #expect(lines[2].hasPrefix(" ▲ watch-57"))
        #expect(lines[2].contains("under water 6.1 m, past max depth"))
        #expect(lines[3].hasPrefix(" ▲ ultra-1"))
        #expect(lines.contains { $0.hasSuffix(" more devices, 0 alarms") })
    }

    @Test("Every alarm is on the screen, as lines or, where there are more, beside each other", arguments: [20, 40, 60])
    func everyAlarm(count: Int) {
        var scenario = fleet()
        scenario.receive(2, "watch-", 1...count, depth: Scenario.depth("pastMaxDepth", 500, 6.1))
        let lines = lines(scenario)
        #expect(lines.count == 30)
        let shown = lines.joined(separator: " ").split(separator: " ").filter { $0.hasPrefix("watch-") }
        for number in 1...count { #expect(shown.contains("watch-\(number)")) }
        #expect(count == 60 || lines.contains { $0.hasSuffix(" more devices, 0 alarms") })
    }

    @Test("Where not even that is enough room, the number of alarms that are not shown is named")
    func tooMany() {
        var scenario = fleet(400)
        scenario.receive(2, "watch-", 1...400, depth: Scenario.depth("pastMaxDepth", 500, 6.1))
        let lines = lines(scenario, rows: 12)
        #expect(lines.count == 12)
        let rest = lines.first { $0.contains(" more devices, ") }
        #expect(rest.map { !$0.hasSuffix(" 0 alarms") } == true)
    }

    /// A scenario with six alarms, which are too many for the lines of a screen of 8 rows; `prefix` begins their names.
    private func crowd(_ prefix: String = "watch-") -> Scenario {
        var scenario = Scenario()
        scenario.receive(1, prefix, 1...6, depth: Scenario.depth("pastMaxDepth", 500, 6.1))
        return scenario
    }

    @Test("Among many alarms, a depth that is no longer valid or not known is shown as the one that was")
    func crowdedDepths() {
        var scenario = crowd()
        scenario.receive(
            1, "old", "depth-state", Scenario.depth("pastMaxDepth", 500, 6.3) + #","validUntil":\#(start + 6)"#)
        scenario.receive(1, "lost", "depth-state", Scenario.depth("pastMaxDepth", 500, 6.4))
        scenario.receive(2, "lost", "depth-state", #""state":"unknown","rawValue":0,"depth":null,"quality":"stale""#)
        scenario.tick(5)
        #expect(lines(scenario, rows: 8).joined().contains(" old 6.3 m"))
        scenario.tick(7)
        let text = lines(scenario, rows: 8).joined()
        for shown in [" old ?6.3 m", " lost ?6.4 m", " watch-1 6.1 m"] { #expect(text.contains(shown)) }
        _ = scenario.model.note(connectionProblem: "lost", at: start + 8)
        #expect(lines(scenario, rows: 8).joined().contains(" watch-1 ?6.1 m"))
    }

    @Test("Beside many alarms, those near the limit and under water are shown, before what happened")
    func crowdedDivers() {
        var scenario = crowd()
        scenario.receive(1, "near", "depth-state", Scenario.depth("approachingMaxDepth", 400, 5.5))
        scenario.receive(1, "under", "depth-state", Scenario.depth("submergedShallow", 200, 0.5))
        for number in 1...3 { scenario.receive(1, "out-\(number)", "depth-state", Scenario.depth("notSubmerged", 100, nil)) }
        let lines = lines(scenario, rows: 8)
        #expect(lines.joined().contains("▲ near 5.5 m"))
        #expect(lines.joined().contains("≈ under 0.5 m"))
        #expect(lines.contains("   and 3 more devices, 0 alarms"))
    }

    @Test("Every diver has a line where there are enough, before what happened")
    func diversBeforeEvents() {
        var scenario = fleet(5)
        scenario.receive(2, "diver-", 1...15, depth: Scenario.depth("submergedShallow", 200, 0.5))
        let lines = lines(scenario, rows: 24)
        #expect(lines.count { $0.hasPrefix(" ≈ diver-") } == 15)
        #expect(lines.contains("   and 5 more devices, 0 alarms"))
    }

    @Test("Long names are shown in full where there is room, else without their middle")
    func longNames() {
        let prefix = "club-north-pool-lane-3-diver-"
        var scenario = Scenario()
        scenario.receive(1, prefix, 1...2, depth: Scenario.depth("submergedDeep", 300, 2))
        for number in 1...2 {
            let wide = lines(scenario).filter { $0.contains("\(prefix)\(number)  ") }
            #expect(wide.count == 2 && wide.allSatisfy { $0.contains("under water 2.0 m") })
            #expect(lines(scenario, columns: 60).contains { $0.hasPrefix(" ≈ club-no…-diver-\(number)  ") })
        }
        let many = crowd(prefix)
        for number in 1...6 {
            #expect(lines(many, rows: 8).joined().contains("▲ club-no…-diver-\(number) 6.1 m"))
            #expect(lines(many, columns: 100, rows: 8).joined().contains("▲ \(prefix)\(number) 6.1 m"))
        }
    }

    @Test("The order is that of the page: alarm, contact lost, caution, under water, silent, refused, others, not in use")
    func wholeOrder() {
        var scenario = Scenario()
        func connection(_ device: String, _ state: String) {
            scenario.receive(1, device, "connection/device", #""state":"\#(state)","cause":"reported""#)
        }
        connection("away", "disconnected")
        scenario.receive(1, "a-watch-10", "stroke", #""stroke":"forehand","forehandCount":1,"backhandCount":0"#)
        scenario.receive(1, "a-watch-9", "stroke", #""stroke":"forehand","forehandCount":1,"backhandCount":0"#)
        scenario.receive(1, "refused", "access/submersion", #""allowed":false,"reason":"notEntitled","code":110"#)
        connection("refused", "connected")
        connection("b-pods", "silent")
        scenario.receive(1, "silent", "depth-state", Scenario.depth("notSubmerged", 100, nil))
        connection("silent", "silent")
        scenario.receive(1, "under", "depth-state", Scenario.depth("submergedShallow", 200, 0.5))
        scenario.receive(1, "near", "depth-state", Scenario.depth("approachingMaxDepth", 400, 5.5))
        scenario.receive(
            1, "lost", "depth-state",
            #""state":"unknown","rawValue":0,"previous":"submergedDeep","depth":null,"quality":"stale""#)
        scenario.receive(1, "past", "depth-state", Scenario.depth("pastMaxDepth", 500, 6.5))
        scenario.receive(1, "shelf", "access/submersion", #""allowed":true"#)
        #expect(
            order(scenario) == [
                "past", "lost", "near", "under", "silent", "refused", "a-watch-9", "a-watch-10", "b-pods", "away", "shelf",
            ])
        let lines = lines(scenario)
        #expect(lines[11] == "   not in use")
        #expect(lines[13].hasSuffix("never seen"))
    }

    @Test("A depth is not hidden by what else a diver's watch sends, nor by its lost connection")
    func depthBesideOthers() {
        var scenario = Scenario()
        scenario.receive(1, "u", "depth-state", Scenario.depth("pastMaxDepth", 500, 6.5))
        scenario.receive(2, "u", "stroke", #""stroke":"forehand","forehandCount":1,"backhandCount":0"#)
        #expect(lines(scenario)[2].contains("6.5 m, past max depth"))
        scenario.receive(3, "u", "access/batched-imu", #""allowed":false,"reason":"notInSession","code":108"#)
        #expect(lines(scenario)[2].contains("6.5 m, past max depth"))
        scenario.receive(4, "u", "connection/device", #""state":"disconnected","cause":"lastWill""#)
        #expect(lines(scenario)[2].contains("6.5 m, past max depth · disconnected"))
        #expect(order(scenario) == ["u"])
    }

    @Test("A diver past the limit of whom nothing more comes stays an alarm, also for a view that starts later")
    func lostPastLimit() {
        var scenario = Scenario()
        scenario.receive(
            1, "u", "depth-state", #""state":"unknown","rawValue":0,"previous":"pastMaxDepth","depth":null,"quality":"stale""#)
        #expect(scenario.model.devicesByDanger.map(\.danger) == [.alarm])
        scenario.receive(
            1, "v", "depth-state", #""state":"unknown","rawValue":0,"previous":"notSubmerged","depth":null,"quality":"stale""#)
        #expect(order(scenario) == ["u", "v"])
        #expect(scenario.model.devicesByDanger.last?.danger == .ordinary)
    }

    @Test("Without a connection to the broker, nobody under water is known to be well")
    func notConnected() {
        var scenario = Scenario()
        scenario.receive(1, "u", "depth-state", Scenario.depth("submergedDeep", 300, 3))
        _ = scenario.model.note(connectionProblem: "lost", at: start + 2)
        #expect(scenario.model.devicesByDanger.map(\.danger) == [.contactLost])
        #expect(lines(scenario)[2].contains("depth unknown, was 3.0 m"))
    }

    @Test("Without a connection no depth at the surface, pace or pose is shown as one that is")
    func notConnectedAtTheSurface() {
        var scenario = Scenario()
        scenario.receive(1, "u", "depth-state", Scenario.depth("notSubmerged", 100, nil))
        scenario.receive(1, "v", "pace", #""state":"paused","pace":null,"distance":320"#)
        scenario.receive(1, "w", "head-pose", Scenario.pose("headphoneLeft", yaw: 0.35, pitch: -0.1))
        scenario.receive(1, "x", "altitude", #""relativeAltitude":12"#)
        #expect(scenario.model.devices.map { $0.headline(at: start + 2).text }.prefix(2) == ["at the surface", "stands, 320 m"])
        #expect(scenario.model.devices[3].headline(at: start + 2).text == "12 m over the start")
        let texts = scenario.model.devices.map { $0.headline(at: start + 2, isLive: false).text }
        #expect(texts[0] == "depth unknown, was at the surface")
        #expect(texts[1] == "no steps received, was at 320 m")
        #expect(texts[2].hasPrefix("pose unknown, was "))
        #expect(texts[3] == "was 12 m over the start")
    }

    @Test("A diver who went past the limit and was lost while the view was not connected is an alarm")
    func lostBetweenConnections() {
        var scenario = Scenario()
        scenario.receive(1, "u", "depth-state", Scenario.depth("notSubmerged", 100, nil))
        scenario.receive(1, "v", "depth-state", Scenario.depth("pastMaxDepth", 500, 6.3))
        _ = scenario.model.note(connectionProblem: "lost", at: start + 2)
        _ = scenario.model.note(connectionProblem: nil, at: start + 60)
        for (device, previous) in [("u", "pastMaxDepth"), ("v", "submergedDeep")] {
            let fields = #""state":"unknown","rawValue":0,"previous":"\#(previous)","depth":null,"quality":"stale""#
            scenario.receive(60, device, "depth-state", fields)
        }
        #expect(scenario.model.devicesByDanger.map(\.danger) == [.alarm, .alarm])
        #expect(scenario.model.devices[0].headline(at: start + 61).text == "depth unknown, was past max depth")
        #expect(scenario.model.devices[1].headline(at: start + 61).text == "depth unknown, was 6.3 m")
    }

    @Test("What the broker does not send again after another connection has ended; a depth becomes one that was")
    func clearedBetweenConnections() {
        var scenario = Scenario()
        let alarm = #""severity":"critical","state":"raised","since":\#(start)"#
        for device in ["u", "v"] {
            scenario.receive(1, device, "alarm/deep", alarm)
            scenario.receive(1, device, "access/submersion", #""allowed":false,"reason":"notEntitled","code":110"#)
            scenario.receive(1, device, "connection/device", #""state":"connected","cause":"reported""#)
        }
        scenario.receive(1, "w", "depth-state", Scenario.depth("notSubmerged", 100, nil))
        scenario.receive(1, "x", "connection/headphone", #""state":"disconnected","cause":"reported""#)
        scenario.tick(20)
        #expect(scenario.model.openAlarms.count == 2)
        _ = scenario.model.note(connectionProblem: "lost", at: start + 22)
        // The first messages come before the connection counts as made.
        scenario.receive(60, "u", "alarm/deep", alarm)
        _ = scenario.model.note(connectionProblem: nil, at: start + 60)
        // Lost again before everything has come.
        _ = scenario.model.note(connectionProblem: "lost", at: start + 61)
        scenario.tick(75)
        scenario.receive(80, "u", "alarm/deep", alarm)
        _ = scenario.model.note(connectionProblem: nil, at: start + 80)
        scenario.tick(89)
        #expect(scenario.model.openAlarms.count == 2)
        scenario.tick(91)
        #expect(scenario.model.openAlarms.map(\.device.id) == ["u"])
        #expect(scenario.model.devices.allSatisfy { $0.access.refusals.isEmpty && $0.connection == nil })
        #expect(scenario.model.devices[1].icon(at: start + 91).text != "✕")
        #expect(scenario.model.devices[2].headline(at: start + 91).text == "depth unknown, was at the surface")
        #expect(scenario.model.devices[3].headline(at: start + 91).text != "taken out")
        scenario.receive(92, "w", "depth-state", Scenario.depth("notSubmerged", 100, nil))
        #expect(scenario.model.devices[2].headline(at: start + 92).text == "at the surface")
    }

    @Test("A sensor in doubt of which nothing more comes is lost, and no mere caution")
    func doubtfulAndLost() {
        var scenario = Scenario()
        func fault(until seconds: Double) -> String {
            #""state":"submergedDeep","rawValue":300,"depth":3,"quality":"fault","validUntil":\#(start + seconds)"#
        }
        scenario.receive(1, "u", "depth-state", fault(until: 9))
        #expect(scenario.model.devicesByDanger.map(\.danger) == [.caution])
        scenario.tick(10)
        #expect(scenario.model.devicesByDanger.map(\.danger) == [.contactLost])
        scenario.receive(11, "u", "depth-state", fault(until: 19))
        _ = scenario.model.note(connectionProblem: "lost", at: start + 12)
        #expect(scenario.model.devicesByDanger.map(\.danger) == [.contactLost])
    }

    @Test("A gateway that does not receive depths does not work; one whose bulk lane is refused does")
    func notReceiving() {
        var scenario = Scenario()
        func status(_ seconds: Double, safety: String, bulk: String) {
            let lanes = #"{"safety":"\#(safety)","bulk":"\#(bulk)"}"#
            let status = #"{"state":"online","at":\#(start + seconds),"ingress":"\#(bulk)","lanes":\#(lanes)}"#
            scenario.send(seconds, "fathom/a/status", status)
        }
        scenario.receive(1, "u", "depth-state", Scenario.depth("submergedDeep", 300, 3))
        status(2, safety: "connected", bulk: "disconnected: not authorized")
        #expect(scenario.model.devicesByDanger.map(\.danger) == [.underWater])
        // The connection is up, and the broker delivers nothing.
        status(2.5, safety: "no heartbeat: the broker does not deliver", bulk: "connected")
        #expect(scenario.model.devicesByDanger.map(\.danger) == [.contactLost])
        status(3, safety: "disconnected: not authorized", bulk: "connected")
        #expect(scenario.model.devicesByDanger.map(\.danger) == [.contactLost])
        #expect(lines(scenario)[0].contains("gateway not receiving: disconnected: not authorized, "))
    }

    @Test("A depth holds no longer where the clock of the viewer is behind that of the gateway")
    func viewerBehind() {
        var scenario = Scenario()
        let ahead = #","received":\#(start + 601),"validUntil":\#(start + 609)"#
        scenario.receive(1, "u", "depth-state", Scenario.depth("submergedDeep", 300, 3) + ahead)
        scenario.tick(8)
        #expect(scenario.model.devicesByDanger.map(\.danger) == [.underWater])
        scenario.tick(10)
        #expect(scenario.model.devicesByDanger.map(\.danger) == [.contactLost])
    }

    @Test("A clock of the viewer that is set back does not make the present old")
    func setBack() {
        var scenario = Scenario()
        scenario.tick(3_600)
        scenario.receive(2, "u", "depth-state", Scenario.depth("submergedDeep", 300, 3) + #","validUntil":\#(start + 9)"#)
        #expect(scenario.model.now == start + 2)
        #expect(scenario.model.devicesByDanger.map(\.danger) == [.underWater])
        scenario.tick(1)
        #expect(scenario.model.now == start + 2)
    }

    @Test("Where no gateway works, or none has said so for 60 s, nobody under water is known to be well")
    func noGateway() {
        var scenario = Scenario()
        func status(_ seconds: Double, _ gateway: String, _ state: String) {
            scenario.send(seconds, "fathom/\(gateway)/status", #"{"state":"\#(state)","at":\#(start + seconds)}"#)
        }
        func dangers() -> [Danger] { scenario.model.devicesByDanger.map(\.danger) }
        status(0, "a", "online")
        scenario.receive(1, "u", "depth-state", Scenario.depth("submergedDeep", 300, 3))
        scenario.tick(59)
        #expect(dangers() == [.underWater])
        scenario.tick(65)
        #expect(dangers() == [.contactLost])
        #expect(lines(scenario)[0].contains("gateway silent for 1:05, "))
        status(66, "b", "online")
        status(67, "a", "offline")
        #expect(dangers() == [.underWater])
        #expect(lines(scenario)[0].contains("gateway online, "))
        scenario.send(68, "fathom/b/status", #"{"state":"offline"}"#)
        #expect(dangers() == [.contactLost])
        #expect(lines(scenario)[0].contains("gateway offline, "))
    }

    @Test("A gateway whose status is cleared is no longer one, but for the last: nothing is current without a gateway")
    func retiredGateway() {
        var scenario = Scenario()
        func dangers() -> [Danger] { scenario.model.devicesByDanger.map(\.danger) }
        scenario.receive(1, "u", "depth-state", Scenario.depth("submergedDeep", 300, 3))
        scenario.send(1, "fathom/a/status", #"{"state":"offline"}"#)
        scenario.send(2, "fathom/b/status", #"{"state":"offline"}"#)
        scenario.send(3, "fathom/a/status", #"{"state":"online","at":\#(start + 3)}"#)
        #expect(dangers() == [.underWater])
        scenario.send(4, "fathom/a/status", "")
        #expect(dangers() == [.contactLost])
        scenario.send(5, "fathom/b/status", "")
        #expect(dangers() == [.contactLost])
    }

    @Test("What is known of a device that only a gateway which does not work derives is not current, whatever other gateways do")
    func otherGateways() {
        var scenario = Scenario()
        func status(_ seconds: Double, _ gateway: String, _ state: String, _ partitions: String) {
            let status = #"{"state":"\#(state)","at":\#(start + seconds),"partitions":"\#(partitions)"}"#
            scenario.send(seconds, "fathom/\(gateway)/status", status)
        }
        func dangers() -> [String: Danger] {
            Dictionary(uniqueKeysWithValues: scenario.model.devicesByDanger.map { ($0.device.id, $0.danger) })
        }
        // By their hashes diver-1 is in partition 1, diver-2 in 0.
        scenario.receive(1, "diver-", 1...2, depth: Scenario.depth("submergedDeep", 300, 3))
        status(1, "a", "online", "0/2")
        status(1, "b", "online", "1/2")
        #expect(dangers() == ["diver-1": .underWater, "diver-2": .underWater])
        status(2, "a", "offline", "0/2")
        #expect(dangers() == ["diver-1": .underWater, "diver-2": .contactLost])
        #expect(lines(scenario).contains { $0.contains("diver-2") && $0.hasSuffix("depth unknown, was 3.0 m · no gateway") })
        #expect(lines(scenario).contains { $0.contains("diver-1") && $0.hasSuffix("under water 3.0 m") })
        // Another one may have taken its partitions over.
        status(3, "c", "online", "2-3/4")
        status(3, "d", "online", "2/2")
        #expect(dangers()["diver-2"] == .contactLost)
        status(4, "d", "online", "0,2/4")
        #expect(dangers() == ["diver-1": .underWater, "diver-2": .underWater])
        scenario.tick(63)
        #expect(dangers()["diver-1"] == .contactLost, "b is silent")
    }

    @Test("Of more than 500 devices, those in danger and those with an open alarm are kept")
    func limit() {
        var scenario = Scenario()
        scenario.receive(1, "warned", "alarm/slow", #""severity":"warning","state":"raised","since":\#(start)"#)
        scenario.receive(1, "diver", "depth-state", Scenario.depth("pastMaxDepth", 500, 6.5))
        for number in 1...600 { scenario.receive(2, "watch-\(number)", "depth-state", Scenario.depth("notSubmerged", 100, nil)) }
        scenario.receive(3, "late", "depth-state", Scenario.depth("pastMaxDepth", 500, 6.5))
        #expect(scenario.model.devices.count == 500)
        #expect(order(scenario).prefix(2) == ["diver", "late"])
        #expect(scenario.model.openAlarms.map(\.device.id) == ["warned"])
        // What is received of those that are left goes to the right ones.
        scenario.receive(4, "late", "depth-state", Scenario.depth("notSubmerged", 100, nil))
        #expect(scenario.model.devicesByDanger.filter { $0.danger == .alarm }.map(\.device.id) == ["diver"])
    }
}
