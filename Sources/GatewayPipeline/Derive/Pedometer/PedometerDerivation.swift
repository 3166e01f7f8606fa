package import TelemetryModel

/// `pace`, `segment` and `hill`: steps, distance and pauses of somebody who walks or runs, with the climb of each segment.
///
/// A count begins with a workout, with `resetCounts`, and else with the first data of a boot. Counts are spread evenly over the
/// movement in the time that they were measured in; what came in after a pause, before the device noticed it, belongs to the
/// segment before. Pauses hold at their date, however late they are reported. Memory: one counter, at most 256 counts that no
/// segment has taken yet, 256 heights, 50 hills.
package struct PedometerDerivation: Derivation {
    /// The input of paces.
    package enum Input: Sendable {
        /// Counts and events of a frame with this `seq`.
        case samples(PedometerSamples, sequence: UInt64?)
        /// Heights.
        case altimeter(AltimeterSamples)
        /// The workout changes.
        case workout(WorkoutChange)
        /// A count begins at this time.
        case reset(DeviceTime)
    }

    /// `pedometer`.
    package static let declaration = DerivationDeclaration(
        "pedometer", version: 1, streams: [.pedometer, .altimeter, .workout, .command],
        kinds: [Pace.self, Segment.self, HillAttempt.self], counters: [newCounters, lateEvents, repairedPauses],
        endsWithRecording: true,
        "Pace with pauses taken out, segments from resumption to pause with their climb, and hills.")

    static let newCounters: StaticString = "pedometerCounters"
    static let lateEvents: StaticString = "pedometerEventsTooLate"
    static let repairedPauses: StaticString = "pedometerPausesRepaired"
    static let capacity = 256

    var counter: StepCounter?
    /// What was counted and belongs to no segment yet, by time.
    var open: [StepStretch] = []
    /// Nil before the count has begun.
    var timeline: MovingTimeline?
    /// The segment after the last settled resumption; nil in a settled pause.
    var segment: OpenSegment?
    /// The totals of the count; its times are set when they are published.
    var totals = PaceTotals()
    var countStart = 0.0
    /// The lengths of the segments that have ended.
    var endedSeconds = 0.0
    /// Steps since the last pause that belong to a settled segment or to none, and when the first of them came.
    var pausedSteps = 0.0
    var pausedSince: Double?
    var heights = HeightBuffer()
    var hills = HillBook()
    /// The newest instant of pedometer data.
    var newest: Double?
    var lastStep: Double?
    /// The `seq` of the frame that is processed.
    var sequence: UInt64?
    /// Whether pauses are the device's own.
    var usesEvents = true
    var workout: WorkoutState?
    /// Since when.
    var workoutSince = -Double.greatestFiniteMagnitude
    /// Whether a workout has ended, so that the next movement begins another count.
    var isOver = false
    var speed = PaceFilter()
    var report = PaceReport()

    /// Nothing counted.
    package init() {}

    /// What a frame counts, its heights, a workout, or the command `resetCounts`.
    package static func input(of frame: NormalizedFrame, settings: PedometerSettings) -> Input? {
        switch frame.body {
        case .pedometer(let samples): .samples(samples, sequence: frame.header.sequence)
        case .altimeter(let samples): .altimeter(samples)
        case .workout(let change): .workout(change)
        case .command(.resetCounts): .reset(frame.header.uptime)
        default: nil
        }
    }

    /// Processes frames, loss of access and reboots.
    package mutating func take(_ occurrence: Occurrence, settings: PedometerSettings, into output: inout DerivationOutput) {
        switch occurrence {
        case .frame(let frame):
            guard let input = Self.input(of: frame, settings: settings) else { return }
            let counts = consume(input, settings: settings, events: &output.events)
            output.count(Self.newCounters, counts.newCounters)
            output.count(Self.lateEvents, counts.lateEvents)
            output.count(Self.repairedPauses, counts.repairs)
        case .interruption(.access, let time):
            guard report.state == .moving else { return }
            report.isSilent = true
            publish(at: time.seconds, cause: .silence, settings, into: &output.events)
        case .interruption(.reboot, _), .interruption(.newRun, _): end(settings, into: &output.events)
        case .activity, .presence, .doubt, .event, .history, .announcement, .acknowledgement: break
        }
    }

    /// Processes one input.
    package mutating func consume(_ input: Input, settings: PedometerSettings, into events: inout [DerivedEvent]) {
        _ = consume(input, settings: settings, events: &events)
    }

    /// What was odd in one input.
    private struct Counts {
        var newCounters = 0
        var lateEvents = 0
        var repairs = 0
    }

    private mutating func consume(
        _ input: Input, settings: PedometerSettings, events: inout [DerivedEvent]
    ) -> Counts {
        var counts = Counts()
        switch input {
        case .samples(let samples, let sequence):
            if self.sequence == nil, let sequence { number(sequence) }
            self.sequence = sequence
            usesEvents = settings.tracksEvents && samples.tracksEvents
            if timeline == nil, let start = Self.start(of: samples) {
                begin(at: start, isMoving: usesEvents, settings, into: &events)
            }
            for event in samples.events { insert(event, settings, &counts, into: &events) }
            for data in samples.data { add(data, settings, &counts, into: &events) }
            newest = newest.greatest(samples.timeSpan?.upperBound.seconds)
            report.isSilent = false
            if let newest {
                announce(at: newest, settings, into: &events)
                advance(until: (counter?.end ?? newest) - settings.settleSeconds, settings, into: &events)
            }
        case .altimeter(let samples):
            heights.append(samples, timeConstant: settings.altitudeSmoothingSeconds)
            if segment == nil, let last = samples.timestamp.last { heights.drop(before: last) }
        case .workout(let change): follow(change, settings, into: &events)
        case .reset(let time):
            guard timeline != nil else { break }
            begin(at: time.seconds, isMoving: timeline?.isMoving ?? true, settings, into: &events)
            publish(at: time.seconds, cause: report.cause, settings, into: &events)
        }
        return counts
    }

    /// When the first of a frame's counts or events began; nil of an empty one.
    private static func start(of samples: PedometerSamples) -> Double? {
        (samples.data.map(\.start) + samples.events.map(\.time)).min().map { max(0, $0.seconds) }
    }

    private mutating func insert(
        _ event: PedometerEvent, _ settings: PedometerSettings, _ counts: inout Counts, into events: inout [DerivedEvent]
    ) {
        let time = event.time.seconds
        guard settings.tracksEvents, workout != .paused || time < workoutSince else { return }
        // One that is earlier than the end of the workout is a late one of it.
        if isOver, event.kind == .resume, time >= timeline?.since ?? time {
            begin(at: time, isMoving: true, settings, into: &events)
        }
        let mark = MovingTimeline.Mark(time: time, isMoving: event.kind == .resume, cause: .event, sequence: sequence)
        if timeline?.insert(mark) == false, let settled = timeline?.settledAt, time < settled { counts.lateEvents += 1 }
        boundMarks(settings, into: &events)
    }

    private mutating func add(
        _ data: PedometerData, _ settings: PedometerSettings, _ counts: inout Counts, into events: inout [DerivedEvent]
    ) {
        guard var stretch = difference(data, &counts) else { return }
        stretch = stretch.end >= countStart ? stretch.after(countStart) : stretch.part(0, from: stretch.start)
        totals.add(stretch)
        speed.add(stretch, data, timeConstant: settings.smoothingSeconds)
        open.append(stretch)
        if open.count > Self.capacity { open.replaceSubrange(0...1, with: [open[0].joined(open[1])]) }
        if usesEvents {
            repair(settings, &counts, into: &events)
        } else {
            pauseBySteps(stretch, settings, into: &events)
        }
        if stretch.steps > 0 { lastStep = stretch.end }
    }

    private mutating func difference(_ data: PedometerData, _ counts: inout Counts) -> StepStretch? {
        guard counter != nil else {
            counter = StepCounter(data)
            return StepCounter.whole(data)
        }
        guard let (stretch, isNew) = counter?.difference(data) else { return nil }
        if isNew { counts.newCounters += 1 }
        return stretch
    }

    /// Steps after a pause that no resumption explains: its report was lost. One that is a little late is waited for.
    private mutating func repair(
        _ settings: PedometerSettings, _ counts: inout Counts, into events: inout [DerivedEvent]
    ) {
        guard let timeline, !timeline.isMoving, workout != .paused, let last = open.last?.end else { return }
        let later = open.filter {
            $0.start >= timeline.since && $0.end <= last - Self.lateSeconds && $0.steps > 0
        }
        guard pausedSteps + later.reduce(0, { $0 + $1.steps }) > settings.repairSteps else { return }
        guard let first = pausedSince ?? later.first.map({ firstStep(of: $0, settings) }) else { return }
        counts.repairs += 1
        resume(at: max(first, timeline.since.nextUp), settings, into: &events)
    }

    /// How late the report of a resumption may be without being lost, in s.
    private static let lateSeconds = 3.0

    /// Pauses of a device that reports none: no step for a while, dated back to the last step.
    private mutating func pauseBySteps(
        _ stretch: StepStretch, _ settings: PedometerSettings, into events: inout [DerivedEvent]
    ) {
        guard let timeline else { return }
        if stretch.steps > 0 {
            guard !timeline.isMoving, workout != .paused else { return }
            let first = firstStep(of: stretch, settings)
            // Steps that were counted over the end of a workout need not follow it.
            guard !isOver || first >= timeline.since else { return }
            resume(at: first, settings, into: &events)
        } else {
            let last = max(lastStep ?? countStart, timeline.since)
            guard timeline.isMoving, stretch.end - last >= settings.pauseSeconds else { return }
            pause(at: last, .steps, settings, into: &events)
        }
    }

    /// When the first step of a stretch was made: at its start, or in a long one as many steps before its end as there are.
    private func firstStep(of stretch: StepStretch, _ settings: PedometerSettings) -> Double {
        guard stretch.duration > settings.pauseSeconds else { return stretch.start }
        return max(stretch.start, stretch.end - stretch.steps / Self.walkingCadence)
    }

    /// Steps a second where none was measured.
    private static let walkingCadence = 2.0

    private mutating func resume(at time: Double, _ settings: PedometerSettings, into events: inout [DerivedEvent]) {
        if isOver { return begin(at: time, isMoving: true, settings, into: &events) }
        _ = timeline?.insert(.init(time: time, isMoving: true, cause: .steps, sequence: sequence))
        boundMarks(settings, into: &events)
    }

    /// Ends the movement that is going on, at `time` or right after it began.
    mutating func pause(
        at time: Double, _ cause: Pace.Cause, _ settings: PedometerSettings, into events: inout [DerivedEvent]
    ) {
        let time = max(time, (timeline?.since ?? time).nextUp)
        _ = timeline?.insert(.init(time: time, isMoving: false, cause: cause, sequence: sequence))
        boundMarks(settings, into: &events)
    }
}

extension PaceTotals {
    fileprivate mutating func add(_ stretch: StepStretch) {
        steps += stretch.steps
        distance = distance.adding(stretch.distance)
        floorsAscended = floorsAscended.adding(stretch.floorsAscended)
        floorsDescended = floorsDescended.adding(stretch.floorsDescended)
    }

    /// The totals of stretches.
    init(_ stretches: [StepStretch]) {
        self.init()
        for stretch in stretches { add(stretch) }
    }
}
