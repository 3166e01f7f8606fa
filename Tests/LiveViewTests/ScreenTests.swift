import GatewayPipeline
import LiveView
import Testing

@Suite("The screen")
struct ScreenTests {
    private func screen(_ scenario: Scenario, columns: Int = 80, rows: Int = 24) -> String {
        let renderer = ScreenRenderer(columns: columns, rows: rows, style: TerminalStyle(usesColor: false), clock: .test)
        return renderer.lines(scenario.model).joined(separator: "\n")
    }

    @Test("shows devices, then events, then counts in 80 by 24")
    func wholeScreen() {
        #expect(screen(.demo) == Self.demoScreen)
    }

    @Test("drops pictures and cuts lines where there is little room")
    func smallScreen() {
        #expect(screen(.demo, columns: 44, rows: 12) == Self.smallScreen)
    }

    @Test("never has more lines or columns than the terminal", arguments: [(80, 24), (44, 12), (20, 5), (10, 3), (1, 1), (0, 0)])
    func bounds(columns: Int, rows: Int) {
        let renderer = ScreenRenderer(columns: columns, rows: rows, style: TerminalStyle(usesColor: false), clock: .test)
        let lines = renderer.lines(Scenario.demo.model)
        #expect(lines.count <= rows)
        #expect(lines.allSatisfy { $0.count <= columns })
    }

    @Test("shows how many devices do not fit")
    func manyDevices() {
        var scenario = Scenario()
        for number in 1...40 { scenario.receive(1, "watch-\(number)", "depth-state", Scenario.depth("notSubmerged", 100, nil)) }
        let lines = screen(scenario).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[11].hasPrefix(" ≈ watch-10"))
        #expect(lines[12] == "   and 30 more devices, 0 alarms")
    }

    @Test("shows a note, such as an address, and why nothing is received")
    func noteAndProblem() {
        var model = LiveViewModel(startedAt: start, notes: ["in a browser: http://127.0.0.1:8600/"])
        let renderer = ScreenRenderer(columns: 80, rows: 24, style: TerminalStyle(usesColor: false), clock: .test)
        #expect(
            model.note(connectionProblem: "cannot connect\u{7}", at: start).map(\.text) == [
                #"no connection: cannot connect\u{7}"#
            ])
        #expect(renderer.lines(model).first == #" fathom   18:16:40   no connection: cannot connect\u{7}"#)
        #expect(renderer.lines(model).last == " in a browser: http://127.0.0.1:8600/")
        #expect(model.note(connectionProblem: nil, at: start).map(\.text) == ["connected"])
    }

    @Test("breaks the lines of the summary between words")
    func summary() {
        var scenario = Scenario()
        for stream in ["submersion", "batched-imu", "headphone-motion"] {
            scenario.receive(1, "watch-1", "access/\(stream)", #""allowed":false,"reason":"notAuthorized","code":105"#)
        }
        let lines = SummaryRenderer(style: TerminalStyle(usesColor: false)).lines(scenario.model)
        #expect(
            lines.suffix(2) == [
                "  watch-1  submersion refused: not authorized (105); batched-imu refused: not",
                "           authorized (105); headphone-motion refused: not authorized (105)",
            ])
    }

    @Test("a value that is no longer valid is shown as one that was")
    func expired() {
        var scenario = Scenario()
        let valid = #""quality":"valid","validUntil":\#(start + 6)"#
        scenario.receive(1, "u", "depth-state", #""state":"submergedDeep","rawValue":300,"depth":4.94,\#(valid)"#)
        #expect(scenario.model.devices[0].headline(at: start + 5).text == "under water 4.9 m")
        #expect(scenario.model.devices[0].headline(at: start + 6).text == "depth unknown, was 4.9 m")
        scenario.receive(7, "u", "depth-state", #""state":"pastMaxDepth","rawValue":500,"depth":30,"quality":"fault""#)
        #expect(scenario.model.devices[0].headline(at: start + 7).text == "past max depth, sensor fault, was 4.9 m")
        scenario.receive(8, "u", "depth-state", #""state":"unknown","rawValue":0,"depth":null,"quality":"stale""#)
        #expect(scenario.model.devices[0].headline(at: start + 8).text == "depth unknown, was 4.9 m")
    }

    @Test("is redrawn in place: home, every line cleared to its end, the rest below cleared")
    func frame() {
        let renderer = ScreenRenderer(columns: 80, rows: 24, style: TerminalStyle(usesColor: false), clock: .test)
        let frame = renderer.frame(Scenario.demo.model)
        #expect(frame.hasPrefix("\u{1B}[H"))
        #expect(frame.hasSuffix("\u{1B}[K\u{1B}[J"))
        #expect(frame.split(separator: "\u{1B}[K\r\n", omittingEmptySubsequences: false).count == 24)
    }

    @Test("restores the cursor that it hides")
    func cursor() {
        #expect(ScreenRenderer.enter.contains("\u{1B}[?25l"))
        #expect(ScreenRenderer.leave.contains("\u{1B}[?25h"))
    }

    @Test("colours depth by its danger, and not at all under NO_COLOR or on a dumb terminal")
    func colors() {
        let colored = ScreenRenderer(style: TerminalStyle(environment: ["TERM": "xterm"])).frame(Scenario.demo.model)
        #expect(colored.contains("\u{1B}[1;31munder water 6.4 m, past max depth\u{1B}[0m"))
        #expect(colored.contains("\u{1B}[33munder water 5.3 m, approaching max depth\u{1B}[0m"))
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let plain = ScreenRenderer(style: TerminalStyle(environment: environment)).frame(Scenario.demo.model)
            #expect(!plain.contains("m\u{1B}[0m") && !plain.contains("\u{1B}[2m"))
        }
    }

    private static let demoScreen = """
         fathom   0:17 of 0:40                               gateway online, 20 derived
         ──────────────────────────────────────────────────────────────────────────────
         ▲ ultra-1   ██████████░░░  under water 6.4 m, past max depth, 17.8 °C
         ✕ watch-2                  submersion refused: not entitled (110)
         ◆ batter-1  ●○             missed, 19 rad/s
         ♪ pods-7    ──────┴──────  taken out

         what happened, latest 13 ─────────────────────────────────────────────────────
         18:16:40  pods-7    online
         18:16:40  pods-7    in the ears
         18:16:40  watch-2   submersion refused: not entitled (110)
         18:16:43  ultra-1   under water 0.3 m
         18:16:44  ultra-1   under water 1.0 m
         18:16:46  batter-1  hit, 0.24 s to contact, 17 rad/s, 24 G
         18:16:48  pods-7    left bud hands over to the right bud
         18:16:49  ultra-1   under water 5.3 m, approaching max depth
         18:16:51  ultra-1   under water 6.0 m, past max depth
         18:16:52  ultra-1   deeper than can be measured
         18:16:53  batter-1  missed, 19 rad/s
         18:16:55  pods-7    taken out
         18:16:57  ultra-1   under water 6.4 m, past max depth

         depth-state 7 · connection 4 · access 2 · head-pose 2 · swing 2 · 3 more kinds
         ▲ alarm ◌ lost ✕ refused  ≈ depth (█ to the limit) ♪ head (● yaw) ◆ ●hit ○miss
        """

    private static let smallScreen = """
         fathom   0:17 of 0:40
         ──────────────────────────────────────────
         ▲ ultra-1   under water 6.4 m, past max de…
         ✕ watch-2   submersion refused: not entitl…
         ◆ batter-1  missed, 19 rad/s
         ♪ pods-7    taken out

         what happened, latest 2 ──────────────────
         18:16:55  pods-7   taken out
         18:16:57  ultra-1  under water 6.4 m, past…

         depth-state 7 · 7 more kinds
        """
}
