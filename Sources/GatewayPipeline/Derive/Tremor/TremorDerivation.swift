package import TelemetryModel

/// `tremor`: the share of each minute in which a wrist trembled at 3 to 7.5 Hz, by the spectrum of its acceleration.
///
/// For research only. It needs the person's consent in the registry, and a known wrist: a phone in a pocket deceives it.
package struct TremorDerivation: Derivation {
    /// `tremor`.
    package static let declaration = DerivationDeclaration(
        "tremor", version: 1, streams: [.deviceMotion, .recordedAccelerometer], kinds: [Tremor.self], isOnByDefault: false,
        decidesAtEnd: true, "Tremor of a wrist, for research, of persons who consented.")

    private var track = TremorTrack()
    /// What was published of each minute of a recorded UTC day: a hash of it above, its revision in the lowest 8 bits; 0 for nothing.
    private var published: [Int: [Int]] = [:]

    /// Recorded days of which the minutes are remembered.
    private static let mostDays = 3

    /// No sample.
    package init() {}

    /// The samples.
    package static func input(of frame: DerivationFrame, settings: TremorSettings) -> MotionSamples? {
        guard case .deviceMotion(let samples) = frame.body else { return nil }
        return samples
    }

    /// Takes a frame's samples, or the minutes of a history that have changed.
    package mutating func take(_ occurrence: Occurrence, settings: TremorSettings, into output: inout DerivationOutput) {
        switch occurrence {
        case .frame(let frame):
            guard let samples = Self.input(of: frame, settings: settings) else { return }
            consume(samples, settings: settings, into: &output.events)
        case .history(let view): publish(view.tremor, into: &output.events)
        default: break
        }
    }

    /// Takes one frame's samples; without consent, or a known wrist, none.
    package mutating func consume(
        _ samples: MotionSamples, settings: TremorSettings, into events: inout [DerivedEvent]
    ) {
        guard settings.isPermitted else {
            self = Self()
            return
        }
        var found: [Tremor] = []
        for index in samples.timestamp.indices {
            let total = samples.gravity[index] + samples.userAcceleration[index]
            track.add(time: samples.timestamp[index], total, settings, to: &found)
        }
        events += found.map(Self.event)
    }

    /// When a minute that gets no more samples is published.
    package func due(settings: TremorSettings) -> DeviceTime? {
        track.end.map { DeviceTime($0 + settings.waitSeconds) }
    }

    /// Publishes the minute, if that is due at `now`.
    package mutating func fire(until now: DeviceTime, settings: TremorSettings, into events: inout [DerivedEvent]) {
        guard let due = due(settings: settings), due <= now else { return }
        var found: [Tremor] = []
        track.close(into: &found)
        if settings.isPermitted { events += found.map(Self.event) }
    }

    /// What was published of a history, which goes on in the next boot.
    package func continued() -> Self? {
        guard !published.isEmpty else { return nil }
        var next = Self()
        next.published = published
        return next
    }

    // MARK: History

    /// Publishes the minutes that differ from what was published of them.
    private mutating func publish(_ minutes: [Tremor], into events: inout [DerivedEvent]) {
        for minute in minutes {
            let number = Int(minute.start.seconds) / 60
            let (day, place) = (number / HistoryDay.minutes, number % HistoryDay.minutes)
            let before = published[day]?[place] ?? 0
            let hash = Self.hash(of: minute)
            guard before & ~0xFF != hash else { continue }
            var minute = minute
            minute.revision = before == 0 ? 0 : min(before & 0xFF + 1, 0xFF)
            published[day, default: Array(repeating: 0, count: HistoryDay.minutes)][place] = hash | minute.revision
            events.append(Self.event(minute))
        }
        for day in published.keys.sorted().dropLast(Self.mostDays) { published[day] = nil }
    }

    /// A hash of what is measured, the lowest 8 bits 0, and never 0: the same on every machine and in every process.
    private static func hash(of minute: Tremor) -> Int {
        let fields = [
            minute.unknown, minute.none, minute.slight, minute.mild, minute.moderate, minute.severe, minute.frequency ?? -1,
            minute.amplitude ?? -1,
        ]
        // FNV-1a over the bits of the numbers.
        let hash = fields.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ $1.bitPattern) &* 0x100_0000_01B3 }
        return Int(bitPattern: UInt(hash & ~0xFF | 0x100))
    }

    private static func event(_ minute: Tremor) -> DerivedEvent {
        DerivedEvent(time: minute.end, span: minute.start...minute.end, body: minute)
    }
}
