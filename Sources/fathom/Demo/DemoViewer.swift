import GatewayPipeline
import GatewayRuntime
import LiveView
import Mosquitto
import ServiceLifecycle
import Synchronization
import TelemetryModel

/// Subscribes with the viewer's account, and shows what arrives.
struct DemoViewer: Service {
    /// How often the screen is drawn.
    private static let frameSeconds = 0.1

    private let client: MosquittoClient
    private let isScreen: Bool
    private let clock: any GatewayClock
    private let screen: DemoScreen

    private static let kinds = KindDescription.all.map { kind in
        LiveKind(name: kind.name, isRetained: kind.isRetained, fields: kind.fields.map { ($0.name, $0.unit) })
    }

    init(client: MosquittoClient, isScreen: Bool, plannedSeconds: Double, clock: any GatewayClock) {
        self.client = client
        self.isScreen = isScreen
        self.clock = clock
        screen = DemoScreen(
            model: LiveViewModel(startedAt: clock.now.unix.seconds, plannedSeconds: plannedSeconds, kinds: Self.kinds),
            isScreen: isScreen)
    }

    /// Shows until everything else has stopped.
    func run() async throws {
        if isScreen { Terminal.text(ScreenRenderer.enter) }
        defer { if isScreen { Terminal.text(ScreenRenderer.leave) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [screen, clock] in
                try await client.run {
                    ImmediateHandler { messages in
                        let now = clock.now.unix.seconds
                        for message in messages { screen.receive(topic: message.topic, payload: message.payload, at: now) }
                    }
                }
            }
            group.addTask {
                while !Task.isCancelled {
                    screen.draw(at: clock.now.unix.seconds)
                    do { try await clock.sleep(seconds: Self.frameSeconds) } catch { return }
                }
            }
            group.addTask {
                try? await gracefulShutdown()
                // The gateway has stopped; its last messages may still arrive.
                try? await clock.sleep(seconds: 0.2)
                await client.stop()
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Prints what happened, after the end.
    func printSummary() async { screen.printSummary() }
}

/// The view's state, and the terminal it is drawn on.
final class DemoScreen: Sendable {
    private let model: Mutex<LiveViewModel>
    private let isScreen: Bool
    private let style = TerminalStyle(environment: Environment.variables)
    private let plain = PlainRenderer()

    init(model: LiveViewModel, isScreen: Bool) {
        self.model = Mutex(model)
        self.isScreen = isScreen
    }

    func receive(topic: String, payload: [UInt8], at time: Double) {
        show(model.withLock { $0.receive(topic: topic, payload: payload, at: time) })
    }

    func draw(at time: Double) {
        let (events, model) = model.withLock { model in (model.tick(at: time), model) }
        show(events)
        guard isScreen else { return }
        let size = Terminal.size
        Terminal.text(ScreenRenderer(columns: size.columns, rows: size.rows, style: style).frame(model))
    }

    func printSummary() {
        let style = isScreen ? style : TerminalStyle(usesColor: false)
        for line in SummaryRenderer(style: style).lines(model.withLock { $0 }) { Terminal.line(line) }
    }

    private func show(_ events: [LiveEvent]) {
        guard !isScreen else { return }
        for event in events { Terminal.line(plain.line(event)) }
    }
}
