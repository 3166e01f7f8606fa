internal import SignalProcessing
package import TelemetryModel

/// `tremor`: the share of each minute in which a wrist trembled at 3 to 7.5 Hz, by the spectrum of its acceleration.
///
/// For research only. It needs the person's consent in the registry, and a known wrist: a phone in a pocket deceives it.
package struct TremorDerivation: Derivation {
    /// `tremor`.
    package static let declaration = DerivationDeclaration(
        "tremor", version: 1, streams: [.deviceMotion], kinds: [Tremor.self], isOnByDefault: false, decidesAtEnd: true,
        "Tremor of a wrist, for research, of persons who consented.")

    /// What the windows of a minute were.
    private struct Minute: Sendable, Equatable, Codable {
        var number: Int
        var still = 0
        /// Slight, mild, moderate and severe.
        var grades = [0, 0, 0, 0]
        var hertz = 0.0
        var centimeters = 0.0
    }

    private var sampler = EvenSampler()
    private var kept = QuantizedSeries(scales: [scale, scale, scale])
    private var minute: Minute?

    /// 1/4000 G, up to 8 G: a window with more is unknown all the same.
    private static let scale = 1.0 / 4_000
    /// The longest gap that is bridged, in cells: 0.1 s.
    private static let longestGap = 5
    /// The windows of a minute, 2 s apart; half of them must be known.
    private static let windows = 30
    private static let limits = [1.0, 3, 10]

    /// No sample.
    package init() {}

    /// The samples.
    package static func input(of frame: DerivationFrame, settings: TremorSettings) -> MotionSamples? {
        guard case .deviceMotion(let samples) = frame.body else { return nil }
        return samples
    }

    /// Takes one frame's samples; without consent, or a known wrist, none.
    package mutating func consume(
        _ samples: MotionSamples, settings: TremorSettings, into events: inout [DerivedEvent]
    ) {
        guard settings.isPermitted else {
            self = Self()
            return
        }
        for index in samples.timestamp.indices {
            let total = samples.gravity[index] + samples.userAcceleration[index]
            let cells = sampler.step(
                time: samples.timestamp[index], [total.x, total.y, total.z], hertz: TremorWindow.hertz,
                longestGap: Self.longestGap)
            for cell in cells { take(cell, settings, into: &events) }
        }
    }

    /// When a minute that gets no more samples is published.
    package func due(settings: TremorSettings) -> DeviceTime? {
        minute.map { DeviceTime(60 * Double($0.number + 1) + settings.waitSeconds) }
    }

    /// Publishes the minute, if that is due at `now`.
    package mutating func fire(until now: DeviceTime, settings: TremorSettings, into events: inout [DerivedEvent]) {
        guard let due = due(settings: settings), due <= now else { return }
        close(into: &events, isPermitted: settings.isPermitted)
    }

    private mutating func take(_ cell: EvenSampler.Cell, _ settings: TremorSettings, into events: inout [DerivedEvent]) {
        if cell.isFirst { kept.removeAll() }
        kept.append(cell.values)
        kept.keep(TremorWindow.cells)
        // Every 2 s of the clock, wherever frames and recordings begin.
        guard cell.number % 100 == 99 else { return }
        let number = cell.number / Int(60 * TremorWindow.hertz)
        if minute?.number != number {
            close(into: &events, isPermitted: true)
            minute = Minute(number: number)
        }
        guard kept.count == TremorWindow.cells else { return }
        switch TremorWindow(kept.vectors(0), settings) {
        case .unknown: break
        case .none: minute?.still += 1
        case .tremor(let hertz, let centimeters):
            minute?.grades[Self.limits.count { centimeters > $0 }] += 1
            minute?.hertz += hertz
            minute?.centimeters += centimeters
        }
    }

    private mutating func close(into events: inout [DerivedEvent], isPermitted: Bool) {
        guard let minute else { return }
        self.minute = nil
        let trembling = minute.grades.reduce(0, +)
        let known = minute.still + trembling
        guard isPermitted, 2 * known >= Self.windows else { return }
        let start = DeviceTime(60 * Double(minute.number))
        var tremor = Tremor(start: start, end: start + 60)
        func share(_ count: Int) -> Double { Double(count) / Double(Self.windows) }
        tremor.none = share(minute.still)
        (tremor.slight, tremor.mild) = (share(minute.grades[0]), share(minute.grades[1]))
        (tremor.moderate, tremor.severe) = (share(minute.grades[2]), share(minute.grades[3]))
        tremor.unknown = share(Self.windows - known)
        if trembling > 0 {
            tremor.frequency = minute.hertz / Double(trembling)
            tremor.amplitude = minute.centimeters / Double(trembling)
        }
        events.append(DerivedEvent(time: tremor.end, span: tremor.start...tremor.end, body: tremor))
    }
}
