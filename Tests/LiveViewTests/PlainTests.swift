import GatewayPipeline
import LiveView
import Testing

@Suite("Plain lines")
struct PlainTests {
    private func lines(_ scenario: Scenario) -> [String] { scenario.events.map(PlainRenderer(clock: .test).line) }

    @Test("show events, one line each, and poses every few seconds")
    func demo() {
        #expect(lines(.demo).joined(separator: "\n") == Self.demoLines)
    }

    @Test("show a pose at most every five seconds, and only if it moved")
    func poses() {
        var scenario = Scenario()
        for tenth in 0..<200 {
            let seconds = Double(tenth) / 10
            if seconds < 12 { scenario.receive(seconds, "pods-7", "head-pose", Scenario.pose("headphoneLeft", yaw: 0, pitch: 0)) }
            scenario.tick(seconds)
        }
        #expect(scenario.events.map { ($0.at - start).rounded() } == [5, 10, 15])
        #expect(scenario.events.allSatisfy { $0.isAmbient })
        #expect(scenario.model.events.isEmpty)
    }

    @Test("have an end, whatever a message quotes")
    func lengths() {
        var scenario = Scenario()
        let long = String(repeating: "x", count: 100_000)
        scenario.receive(1, "d-1", "rejected", #""reason":"badField","detail":"\#(long)""#)
        scenario.send(2, "fathom/\(long)/status", #"{"state":"\#(long)"}"#)
        #expect(lines(scenario).count == 2)
        #expect(lines(scenario).allSatisfy { $0.count < 600 })
    }

    @Test("are split from topics by bytes: a mark behind a slash joins no levels")
    func topics() {
        #expect(DerivedTopic("wearables/a/out/\u{301}x", root: "wearables") == .device("a", kind: "\u{301}x"))
        #expect(DerivedTopic("fathom/\u{301}g/status", root: "wearables") == .gateway("\u{301}g", kind: "status"))
    }

    @Test("never contain control sequences for a terminal")
    func escaping() {
        var scenario = Scenario()
        scenario.receive(1, "d-1", "rejected", #""reason":"badField","detail":"a\u001b[2Jb\u202e\n\u0007漢""#)
        scenario.receive(2, "d-1", "access/x\u{1B}c", #""allowed":false,"reason":"\u009bm""#)
        scenario.send(3, "fathom/g\u{7}/status", #"{"state":"on\u000dline"}"#)
        #expect(
            lines(scenario) == [
                #"18:16:41  d-1         frame rejected, bad field: a\u{1b}[2Jb\u{202e}\u{a}\u{7}\u{6f22}"#,
                #"18:16:42  d-1         x\u{1b}c refused: \u{9b}m"#,
                #"18:16:43  g\u{7}      gateway on\u{d}line"#,
            ])
        let renderer = ScreenRenderer(style: TerminalStyle(usesColor: false))
        let controls = renderer.lines(scenario.model).joined().unicodeScalars.filter { $0.properties.generalCategory == .control }
        #expect(controls.isEmpty)
    }

    private static let demoLines = """
        18:16:40  demo        gateway online
        18:16:40  pods-7      online
        18:16:40  pods-7      in the ears
        18:16:40  watch-2     submersion refused: not entitled (110)
        18:16:43  ultra-1     under water 0.3 m
        18:16:44  ultra-1     under water 1.0 m
        18:16:45  pods-7      left bud, yaw 20°, pitch −6°, roll 1°
        18:16:46  batter-1    hit, 0.24 s to contact, 17 rad/s, 24 G
        18:16:48  pods-7      left bud hands over to the right bud
        18:16:49  ultra-1     under water 5.3 m, approaching max depth
        18:16:50  pods-7      right bud, yaw −11°, pitch 4°, roll 1°
        18:16:51  ultra-1     under water 6.0 m, past max depth
        18:16:52  ultra-1     deeper than can be measured
        18:16:53  batter-1    missed, 19 rad/s
        18:16:55  pods-7      taken out
        18:16:57  ultra-1     under water 6.4 m, past max depth
        """
}
