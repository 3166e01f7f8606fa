package import TelemetryModel

/// `trace/swing`: the samples around each swing.
///
/// It decides swings itself, by the settings of `swing`, so that a gateway without traces has no cost for them.
package struct SwingTraceDerivation: Derivation {
    /// `swingTrace`.
    package static let declaration = DerivationDeclaration(
        "swingTrace", version: 1, streams: [.batchedIMU], kinds: [SwingTrace.self], isOnByDefault: false, decidesAtEnd: true,
        "The samples around each swing, about 5 kB each.")

    private static let marginSeconds = 0.5
    /// The greatest number of traces that wait at once; more cannot be swings.
    private static let mostPending = 8

    private struct Pending: Codable, Sendable, Equatable {
        var swingAt, startAt: DeviceTime
        var impactAt: DeviceTime?
        /// The last sample of the trace, in s.
        var until: Double
        /// When it is published with the samples received.
        var due: DeviceTime
    }

    private var swing = SwingDerivation()
    private var acceleration = SampleRing(hertz: 800, scale: 0.01)
    private var rotation = SampleRing(hertz: 200, scale: 0.001)
    private var pending: [Pending] = []

    /// No sample yet.
    package init() {}

    /// The batch.
    package static func input(of frame: NormalizedFrame, settings: SwingTraceSettings) -> BatchedIMU? {
        SwingDerivation.input(of: frame, settings: settings.swing)
    }

    /// Publishes the traces of the swings that are decided, as soon as their last samples have arrived.
    package mutating func consume(_ input: BatchedIMU, settings: SwingTraceSettings, into events: inout [DerivedEvent]) {
        for (index, time) in (input.accelerometer?.timestamp ?? []).enumerated() {
            guard let vector = input.accelerometer?.acceleration[index] else { break }
            acceleration.append((vector * vector).sum().squareRoot(), at: time)
        }
        for (index, time) in (input.deviceMotion?.timestamp ?? []).enumerated() {
            guard let motion = input.deviceMotion else { break }
            rotation.append((motion.rotationRate[index] * motion.gravity[index]).sum(), at: time)
        }
        var found: [DerivedEvent] = []
        swing.consume(input, settings: settings.swing, into: &found)
        follow(found, settings: settings)
        publish(before: nil, into: &events)
    }

    /// The earlier of a swing that waits for its decision and a trace that waits for its last samples.
    package func due(settings: SwingTraceSettings) -> DeviceTime? {
        swing.due(settings: settings.swing).least(pending.lazy.map(\.due).min())
    }

    /// Decides what is due, and publishes the traces whose wait is over.
    package mutating func fire(until now: DeviceTime, settings: SwingTraceSettings, into events: inout [DerivedEvent]) {
        var found: [DerivedEvent] = []
        swing.fire(until: now, settings: settings.swing, into: &found)
        follow(found, settings: settings)
        publish(before: now, into: &events)
    }

    private mutating func follow(_ found: [DerivedEvent], settings: SwingTraceSettings) {
        for event in found {
            guard let swing = event.body as? Swing else { continue }
            let end = (swing.impactAt ?? event.span?.upperBound ?? event.time).seconds + Self.marginSeconds
            let newest = max(acceleration.newest ?? end, rotation.newest ?? end)
            pending.append(
                Pending(
                    swingAt: event.time, startAt: swing.startAt, impactAt: swing.impactAt, until: end,
                    due: DeviceTime(max(newest, end)) + settings.swing.waitSeconds))
        }
        if pending.count > Self.mostPending { pending.removeFirst(pending.count - Self.mostPending) }
    }

    private mutating func publish(before now: DeviceTime?, into events: inout [DerivedEvent]) {
        let newest = min(acceleration.newest ?? -.infinity, rotation.newest ?? -.infinity)
        let ended = now ?? DeviceTime(-.infinity)
        let ready = pending.filter { $0.until <= newest || $0.due <= ended }
        pending.removeAll { ready.contains($0) }
        for swing in ready {
            let from = swing.startAt - Self.marginSeconds
            let trace = SwingTrace(
                swingAt: swing.swingAt, startAt: swing.startAt, impactAt: swing.impactAt, from: from,
                acceleration: acceleration.signal(from: from.seconds, to: swing.until),
                rotationRate: rotation.signal(from: from.seconds, to: swing.until))
            events.append(
                DerivedEvent(time: swing.swingAt, span: from...max(from, DeviceTime(swing.until)), body: trace))
        }
    }
}

/// The settings of traces: only those of swings.
package struct SwingTraceSettings: DerivationSettings {
    /// No settings but `enabled`.
    package static let table: [DerivationSetting<Self>] = []

    /// How swings are decided.
    package var swing = SwingSettings()

    /// The defaults.
    package init() {}

    /// Swings are decided as `swing` decides them.
    package mutating func adopt(from others: DeriveSettings) { swing = others[SwingDerivation.self] }
}
