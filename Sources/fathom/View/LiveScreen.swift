import GatewayPipeline
import Glibc
import LiveView
import Synchronization
import TelemetryModel

/// The view on a terminal: a screen that is drawn in place, or plain lines where standard output is no terminal.
final class LiveScreen: Sendable {
    private let model: Mutex<LiveViewModel>
    private let isScreen: Bool
    private let style = TerminalStyle(environment: Environment.variables)
    private let plain = PlainRenderer()
    private let isShown = Mutex(false)
    /// Whether the terminal's bell rings for critical alarms, and those that it has rung for.
    private let hasBell: Bool
    private let rung = Mutex(0)

    init(
        isScreen: Bool, hasBell: Bool = false, root: String, startedAt: Double, silentSeconds: Double,
        plannedSeconds: Double? = nil, notes: [String] = []
    ) {
        self.isScreen = isScreen
        self.hasBell = hasBell && isScreen
        model = Mutex(
            LiveViewModel(
                startedAt: startedAt, plannedSeconds: plannedSeconds, root: root, silentSeconds: silentSeconds, notes: notes))
    }

    /// Takes over the terminal; `leave` is to follow, however the program ends.
    func enter() {
        guard isScreen else { return }
        isShown.withLock { $0 = true }
        Terminal.text(ScreenRenderer.enter)
    }

    /// Gives the terminal back, unless it has been given back already.
    func leave() {
        let wasShown = isShown.withLock { exchange(&$0, with: false) }
        if wasShown { Terminal.text(ScreenRenderer.leave) }
    }

    /// Processes a message received at `time`, unix seconds.
    func receive(topic: String, payload: [UInt8], at time: Double) {
        show(model.withLock { $0.receive(topic: topic, payload: payload, at: time) })
    }

    /// Notes why nothing is received, nil when it is.
    func note(connectionProblem problem: String?, at time: Double) {
        show(model.withLock { $0.note(connectionProblem: problem, at: time) })
    }

    /// Advances the time and draws.
    func draw(at time: Double) {
        let (events, model) = model.withLock { model in (model.tick(at: time), model) }
        show(events)
        guard isScreen else { return }
        if hasBell, rung.withLock({ $0.note(model.raisedCritical) }) { Terminal.text("\u{07}") }
        let size = Terminal.size
        Terminal.text(ScreenRenderer(columns: size.columns, rows: size.rows, style: style).frame(model))
    }

    /// Prints what happened, after the end.
    func printSummary() {
        let style = isScreen ? style : TerminalStyle(usesColor: false)
        // The names in it are printable; its colours are for the terminal.
        for line in SummaryRenderer(style: style).lines(model.withLock { $0 }) { Terminal.text("\(line)\n") }
    }

    private func show(_ events: [LiveEvent]) {
        guard !isScreen else { return }
        // Nobody reads any more, or the disk is full: the program ends as by Ctrl-C.
        for event in events where !Terminal.write(Terminal.bytes(ofLine: plain.line(event))) { _ = kill(getpid(), SIGTERM) }
    }
}

extension Int {
    /// Takes a later count; whether it is greater.
    fileprivate mutating func note(_ count: Int) -> Bool {
        defer { self = count }
        return count > self
    }
}
