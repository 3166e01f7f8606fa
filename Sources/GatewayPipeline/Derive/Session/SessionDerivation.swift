package import TelemetryModel

/// `session/water`, `session/swing`, `session/motion` and `session/distance`: what was derived in a workout, in parts.
///
/// Its input are the changes of the workout and the events of other derivations, not their samples. Lanes share no derivations,
/// so each lane publishes the parts whose streams it has. A part without any event is not published.
package struct SessionDerivation: Derivation {
    /// The changes of the workout.
    package typealias Input = WorkoutChange

    /// `session`.
    package static let declaration = DerivationDeclaration(
        "session", version: 1, streams: [.workout],
        kinds: [
            SessionReport<WaterSum>.self, SessionReport<SwingSum>.self, SessionReport<MotionSum>.self,
            SessionReport<DistanceSum>.self,
        ],
        endsWithRecording: true, homeStreams: [WaterSum.stream, SwingSum.stream, MotionSum.stream, DistanceSum.stream],
        sums: WaterSum.sources.map(\.kind) + SwingSum.sources.map(\.kind) + MotionSum.sources.map(\.kind)
            + DistanceSum.sources.map(\.kind) + [Gap.self],
        "What was derived in a workout: dives, swings, strokes, distance.")

    private var water = SessionTrack<WaterSum>()
    private var swing = SessionTrack<SwingSum>()
    private var motion = SessionTrack<MotionSum>()
    private var distance = SessionTrack<DistanceSum>()

    /// No session.
    package init() {}

    /// A change of the workout.
    package static func input(of frame: NormalizedFrame, settings: SessionSettings) -> WorkoutChange? {
        if case .workout(let change) = frame.body { change } else { nil }
    }

    /// Begins, pauses and ends sessions.
    package mutating func consume(_ change: WorkoutChange, settings: SessionSettings, into events: inout [DerivedEvent]) {
        water.follow(change, settings)
        swing.follow(change, settings)
        motion.follow(change, settings)
        distance.follow(change, settings)
    }

    /// Adds events to the parts that sum them, and ends sessions at a reboot.
    package mutating func take(_ occurrence: Occurrence, settings: SessionSettings, into output: inout DerivationOutput) {
        switch occurrence {
        case .frame(let frame):
            if let change = Self.input(of: frame, settings: settings) {
                consume(change, settings: settings, into: &output.events)
            }
        case .event(let event, of: let stream):
            Self.add(event, of: stream, to: &water, settings, into: &output.events)
            Self.add(event, of: stream, to: &swing, settings, into: &output.events)
            Self.add(event, of: stream, to: &motion, settings, into: &output.events)
            Self.add(event, of: stream, to: &distance, settings, into: &output.events)
        case .interruption(.reboot, _), .interruption(.newRun, _):
            water.endBoot(into: &output.events)
            swing.endBoot(into: &output.events)
            motion.endBoot(into: &output.events)
            distance.endBoot(into: &output.events)
        case .interruption(.access, _), .activity, .presence, .doubt, .history, .announcement, .acknowledgement: break
        }
    }

    private static func add<Sum: SessionSum>(
        _ event: DerivedEvent, of stream: StreamName, to track: inout SessionTrack<Sum>, _ settings: SessionSettings,
        into events: inout [DerivedEvent]
    ) {
        let kind = ObjectIdentifier(type(of: event.body))
        if kind == ObjectIdentifier(Gap.self) {
            guard let gap = event.body as? Gap, gap.stream == Sum.stream else { return }
            return track.add(
                SessionEntry(from: gap.from.seconds, to: gap.to.seconds, isGap: true), settings, into: &events)
        }
        for source in Sum.sources where ObjectIdentifier(source.kind) == kind {
            if let entry = source.entry(event, stream) { track.add(entry, settings, into: &events) }
        }
    }

    /// When the earliest message is due, or a session ends for want of data.
    package func due(settings: SessionSettings) -> DeviceTime? {
        let due = min(
            min(water.due(settings), swing.due(settings)), min(motion.due(settings), distance.due(settings)))
        return due.isFinite ? DeviceTime(due) : nil
    }

    /// Publishes what is due.
    package mutating func fire(until now: DeviceTime, settings: SessionSettings, into events: inout [DerivedEvent]) {
        water.fire(until: now.seconds, settings, into: &events)
        swing.fire(until: now.seconds, settings, into: &events)
        motion.fire(until: now.seconds, settings, into: &events)
        distance.fire(until: now.seconds, settings, into: &events)
    }
}
