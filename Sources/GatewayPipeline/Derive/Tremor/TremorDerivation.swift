package import TelemetryModel

/// `tremor`: the share of each minute in which a wrist trembled at 3 to 7.5 Hz, by the spectrum of its acceleration.
///
/// For research only. It needs the person's consent in the registry, and a known wrist: a phone in a pocket deceives it.
package struct TremorDerivation: Derivation {
    /// `tremor`.
    package static let declaration = DerivationDeclaration(
        "tremor", version: 2, streams: [.deviceMotion, .recordedAccelerometer], kinds: [Tremor.self], isOnByDefault: false,
        decidesAtEnd: true, "Tremor of a wrist, for research, of persons who consented.")

    private var track = TremorTrack()
    /// What was published of recorded minutes.
    private var published = PublishedParts()

    /// No sample.
    package init() {}

    /// The samples.
    package static func input(of frame: NormalizedFrame, settings: TremorSettings) -> MotionSamples? {
        guard case .deviceMotion(let samples) = frame.body else { return nil }
        return samples
    }

    /// Takes a frame's samples, or the minutes of a history that have changed.
    package mutating func take(_ occurrence: Occurrence, settings: TremorSettings, into output: inout DerivationOutput) {
        switch occurrence {
        case .frame(let frame):
            guard let samples = Self.input(of: frame, settings: settings) else { return }
            consume(samples, settings: settings, into: &output.events)
        case .history(_, let pass as TremorPass): publish(pass.minutes, into: &output.events)
        default: break
        }
    }

    /// Tremor of recorded minutes; nil where none may be derived.
    package static func pass(over days: HistoryDays, settings: TremorSettings) -> (any HistoryPass)? {
        settings.isPermitted ? TremorPass(of: days, settings) : nil
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
    package func continued() -> Self? { published.isEmpty ? nil : Self().taking(\.published, of: self) }

    /// Goes on with what the boot in between has added.
    package func resumed(after other: Self) -> Self? { taking(\.published, of: other) }

    // MARK: History

    /// Publishes the minutes that differ from what was published of them.
    private mutating func publish(_ minutes: [Tremor], into events: inout [DerivedEvent]) {
        for var minute in minutes {
            let number = Int(minute.start.seconds) / 60
            let numbers = [
                minute.unknown, minute.none, minute.slight, minute.mild, minute.moderate, minute.severe, minute.frequency ?? -1,
                minute.amplitude ?? -1, minute.rest ?? -1, minute.action ?? -1,
            ]
            guard
                let revision = published.revise(
                    number % HistoryDay.minutes, of: number / HistoryDay.minutes, numbers)
            else { continue }
            minute.revision = revision
            events.append(Self.event(minute))
        }
        published.trim(to: HistoryTrack.rememberedDays)
    }

    private static func event(_ minute: Tremor) -> DerivedEvent {
        DerivedEvent(time: minute.end, span: minute.start...minute.end, body: minute)
    }
}
