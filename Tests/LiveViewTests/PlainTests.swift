import GatewayPipeline
import LiveView
import Testing

@Suite("Plain lines")
struct PlainTests {
    private func lines(_ scenario: Scenario) -> [String] { scenario.events.map(PlainRenderer().line) }

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
        #expect(scenario.events.map(\.seconds).map { $0.rounded() } == [5, 10, 15])
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
                #"00:01.0  d-1         frame rejected, bad field: a\u{1b}[2Jb\u{202e}\u{a}\u{7}\u{6f22}"#,
                #"00:02.0  d-1         x\u{1b}c refused: \u{9b}m"#,
                #"00:03.0  g\u{7}      gateway on\u{d}line"#,
            ])
        let renderer = ScreenRenderer(style: TerminalStyle(usesColor: false))
        let controls = renderer.lines(scenario.model).joined().unicodeScalars.filter { $0.properties.generalCategory == .control }
        #expect(controls.isEmpty)
    }

    private static let demoLines = """
        00:00.1  demo        gateway online
        00:00.2  pods-7      online
        00:00.2  pods-7      in the ears
        00:00.7  watch-2     submersion refused: not entitled (110)
        00:03.4  ultra-1     under water 0.3 m
        00:04.1  ultra-1     under water 1.0 m
        00:05.0  pods-7      left bud, yaw 20°, pitch −6°, roll 1°
        00:06.2  batter-1    hit, 0.24 s to contact, 17 rad/s, 24 G
        00:08.1  pods-7      left bud hands over to the right bud
        00:09.2  ultra-1     under water 5.3 m, approaching max depth
        00:10.0  pods-7      right bud, yaw −11°, pitch 4°, roll 1°
        00:11.2  ultra-1     under water 6.0 m, past max depth
        00:12.7  ultra-1     deeper than can be measured
        00:13.1  batter-1    missed, 19 rad/s
        00:15.1  pods-7      taken out
        00:17.0  ultra-1     under water 6.4 m, past max depth
        """
}
