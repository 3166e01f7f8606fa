import GatewayPipeline
import LiveView
import Testing
import TelemetryModel

/// The alarms of a gateway on the terminal, and what the page takes from them.
@Suite("Alarms in the views")
struct AlarmTests {
    private func alarm(
        _ scenario: inout Scenario, _ seconds: Double, _ device: String, _ level: String, _ severity: String, _ state: String,
        since: Double, _ more: String = #""value":"pastMaxDepth","sourceKind":"depth-state","field":"state""#
    ) {
        scenario.receive(
            seconds, device, "alarm/\(level)",
            #""alarm":"\#(level)","severity":"\#(severity)","state":"\#(state)","since":\#(start + since),\#(more)"#)
    }

    private func lines(_ scenario: Scenario, columns: Int = 100, rows: Int = 24) -> [String] {
        ScreenRenderer(columns: columns, rows: rows, style: TerminalStyle(usesColor: false), clock: .test).lines(scenario.model)
    }

    @Test("They stand above the devices: what needs a person first, with the clock time since when")
    func lines() {
        var scenario = Scenario()
        alarm(&scenario, 5, "ultra-2", "near-limit", "warning", "raised", since: 5, #""value":"approachingMaxDepth""#)
        alarm(&scenario, 6, "ultra-1", "past-limit", "critical", "raised", since: 6)
        alarm(
            &scenario, 7, "ultra-3", "long-dive", "warning", "raised", since: 7,
            #""value":2712.5,"sourceKind":"dive","field":"duration","count":3"#)
        alarm(
            &scenario, 8, "ultra-2", "near-limit", "warning", "acknowledged", since: 5,
            #""value":null,"acknowledgedBy":"Ann","acknowledgedAt":\#(start + 8)"#)
        let lines = lines(scenario)
        #expect(lines[0].hasPrefix(" fathom   0:08 of 0:40   3 alarms, 1 critical  "))
        #expect(
            Array(lines[1...4]) == [
                " ▲ past-limit  ultra-1  since 18:16:46  past max depth",
                " ▲ long-dive   ultra-3  since 18:16:47, 3 times  duration 2712.50 s",
                " △ near-limit  ultra-2  since 18:16:45, acknowledged by Ann at 18:16:48",
                " " + String(repeating: "─", count: 98),
            ])
        #expect(scenario.model.devicesByDanger.map(\.device.id) == ["ultra-1", "ultra-2", "ultra-3"])
    }

    @Test("A cleared one leaves the lines, and a cleared topic the device")
    func cleared() {
        var scenario = Scenario()
        alarm(&scenario, 1, "u", "past-limit", "critical", "raised", since: 1)
        #expect(scenario.model.devicesByDanger[0].danger == .alarm)
        alarm(&scenario, 2, "u", "past-limit", "critical", "cleared", since: 1)
        #expect(scenario.model.openAlarms.isEmpty)
        #expect(scenario.model.devicesByDanger[0].danger != .alarm)
        #expect(scenario.model.devices[0].alarms.all.count == 1)
        scenario.send(3, "wearables/u/out/alarm/past-limit", "")
        #expect(scenario.model.devices[0].alarms.all.isEmpty)
        #expect(
            scenario.events.map(\.text) == ["alarm past-limit: past max depth", "alarm past-limit cleared"])
    }

    @Test("Each critical one that is raised counts once for the bell, however often its message is received")
    func bell() {
        var scenario = Scenario()
        for seconds in [1.0, 2, 3] { alarm(&scenario, seconds, "u", "past-limit", "critical", "raised", since: 1) }
        #expect(scenario.model.raisedCritical == 1)
        alarm(&scenario, 4, "u", "past-limit", "critical", "acknowledged", since: 1)
        alarm(&scenario, 5, "u", "near-limit", "warning", "raised", since: 5)
        #expect(scenario.model.raisedCritical == 1)
        alarm(&scenario, 6, "u", "past-limit", "critical", "cleared", since: 1)
        alarm(&scenario, 7, "u", "past-limit", "critical", "raised", since: 7)
        #expect(scenario.model.raisedCritical == 2)
    }

    @Test("They take a third of the lines; the rest is counted, and the header has their number", arguments: [24, 12, 7])
    func crowd(rows: Int) {
        var scenario = Scenario()
        for number in 1...30 { alarm(&scenario, 1, "watch-\(number)", "past-limit", "critical", "raised", since: 1) }
        let lines = lines(scenario, rows: rows)
        #expect(lines.count == rows)
        #expect(lines[0].contains("30 alarms, 30 critical"))
        let shown = lines.count { $0.hasPrefix(" ▲ past-limit") }
        #expect(shown == (rows - 4) / 3 - 1)
        #expect(lines.contains("   and \(30 - shown) more alarms, \(30 - shown) critical"))
    }

    @Test("An alarm is the gateway's own: it makes no device one that was seen, and a message without its fields is none")
    func odd() {
        var scenario = Scenario()
        for fields in [
            #""severity":"critical""#, #""state":"raised","since":1"#, #""severity":"loud","state":"raised","since":1"#,
            #""severity":"critical","state":"shouting","since":1"#,
        ] { scenario.receive(1, "u", "alarm/x", fields) }
        #expect(scenario.model.openAlarms.isEmpty)
        alarm(&scenario, 1, "u", "silent", "info", "raised", since: 1, #""value":null,"sourceKind":"depth-state""#)
        #expect(scenario.model.devicesByDanger[0].danger == .notInUse)
        #expect(scenario.model.openAlarms[0].alarm.reason == "no depth-state")
        for number in 1...100 { alarm(&scenario, 2, "u", "a\(number)", "info", "raised", since: 2) }
        #expect(scenario.model.devices[0].alarms.all.count == 64)
        // What needs somebody takes the place of what does not.
        for number in 1...64 { alarm(&scenario, 3, "u", "a\(number)", "info", "cleared", since: 2) }
        alarm(&scenario, 4, "u", "contact-lost", "critical", "raised", since: 4)
        alarm(&scenario, 5, "u", "late", "info", "cleared", since: 1)
        #expect(scenario.model.devices[0].alarms.all.count == 64)
        #expect(scenario.model.devices[0].alarms.all.first?.level == "contact-lost")
        #expect(!scenario.model.devices[0].alarms.all.contains { $0.level == "late" })
    }

    @Test(
        "Of another day the date stands before the time",
        arguments: zip([0.0, 86_400, -2_592_000], ["18:16:40", "11-21 18:16", "11-21 18:16"]))
    func days(_ later: Double, _ text: String) {
        #expect(WallClock.test.text(start, now: start + later) == text)
        #expect(WallClock { _ in 7_200 }.text(start) == "20:16:40")
        #expect(WallClock.test.text(.nan) == "--:--:--" && WallClock.test.text(1e300) == "--:--:--")
    }
}
