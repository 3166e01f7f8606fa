package import TelemetryModel

/// `repetition` and `set`: repetitions of any exercise from a wrist's motion, without knowing the exercise.
///
/// After RecoFit (Morris 2014) and Zelman (2020): of the direction of gravity, the rotation rate and the acceleration, each along its
/// first principal component over 8 s, the signal with the highest peak of its autocorrelation is counted. All filters are causal.
package struct RepetitionDerivation: Derivation {
    /// The input of repetitions.
    package enum Input: Sendable, Equatable {
        /// A frame's samples.
        case samples(MotionSamples)
        /// A workout begins, is paused or ends.
        case workout(WorkoutChange)
        /// Sets are numbered from 1 again.
        case resetCounts
    }

    /// `repetition`.
    package static let declaration = DerivationDeclaration(
        "repetition", version: 2, streams: [.deviceMotion, .batchedIMU, .recordedAccelerometer, .workout, .command],
        kinds: [Repetition.self, RepetitionSet.self], decidesAtEnd: true,
        "Repetitions and sets of any exercise in workouts of strength, from the motion of a wrist.")

    private var track = RepetitionTrack()
    private var workout: WorkoutState?
    private var times = ActivityTimes()
    /// What was published of sets in recorded acceleration.
    private var published = PublishedParts()

    /// No sample.
    package init() {}

    /// The samples of a stream that repetitions are counted from, a change of the workout, or the command `resetCounts`.
    package static func input(of frame: NormalizedFrame, settings: RepetitionSettings) -> Input? {
        switch frame.body {
        case .command(.resetCounts): return .resetCounts
        case .workout(let change): return .workout(change)
        case .deviceMotion(let samples) where settings.streams.contains(.deviceMotion): return .samples(samples)
        case .batchedIMU(let batch) where settings.streams.contains(.batchedIMU):
            return batch.deviceMotion.map { .samples($0) }
        default: return nil
        }
    }

    /// Sets in recorded minutes; nil where the stream is not one that repetitions are counted from.
    package static func pass(over days: HistoryDays, settings: RepetitionSettings) -> (any HistoryPass)? {
        settings.streams.contains(.recordedAccelerometer) ? RepetitionPass(of: days, settings) : nil
    }

    /// Takes a frame, or the days of a history that have changed.
    package mutating func take(_ occurrence: Occurrence, settings: RepetitionSettings, into output: inout DerivationOutput) {
        switch occurrence {
        case .frame(let frame):
            guard let input = Self.input(of: frame, settings: settings) else { return }
            consume(input, settings: settings, into: &output.events)
        case .history(let view, let pass as RepetitionPass):
            for day in view.days { publish(pass.sets[day] ?? [], of: day, into: &output.events) }
            published.trim(to: HistoryTrack.rememberedDays)
        default: break
        }
    }

    /// Takes one frame's samples; those not later than the newest one before, or not finite, are ignored.
    package mutating func consume(_ input: Input, settings: RepetitionSettings, into events: inout [DerivedEvent]) {
        switch input {
        case .samples(let samples):
            guard let first = samples.timestamp.first, let last = samples.timestamp.last,
                settings.always || !track.isIdle || times.containsAny(from: first, to: last)
            else { return }
            for index in samples.timestamp.indices {
                let time = samples.timestamp[index]
                guard settings.always || times.contains(DeviceTime(time)) else {
                    if !track.isIdle { track.finish(settings, into: &events) }
                    continue
                }
                track.add(time: time, RepetitionSample.values(samples, at: index), settings, into: &events)
            }
        case .workout(let change):
            if change.state == .running, workout != .paused, workout != .running { track.sets = 0 }
            workout = change.state
            times.insert(change, counting: settings.activities)
        case .resetCounts: track.sets = 0
        }
    }

    /// When a set that gets no more samples has ended.
    package func due(settings: RepetitionSettings) -> DeviceTime? {
        track.newestOfSet.map { DeviceTime($0) + settings.waitSeconds }
    }

    /// Ends what is under way, if that is due at `now`.
    package mutating func fire(until now: DeviceTime, settings: RepetitionSettings, into events: inout [DerivedEvent]) {
        guard let due = due(settings: settings), due <= now else { return }
        track.finish(settings, into: &events)
    }

    /// What was published of a history, which goes on in the next boot.
    package func continued() -> Self? { published.isEmpty ? nil : Self().taking(\.published, of: self) }

    /// Goes on with what the boot in between has added.
    package func resumed(after other: Self) -> Self? { taking(\.published, of: other) }

    /// Publishes the sets of a recorded day that differ from what was published of them. A set is known by the second in which it begins.
    private mutating func publish(_ sets: [RepetitionSet], of day: Int, into events: inout [DerivedEvent]) {
        for var set in sets {
            let numbers = [set.start.seconds, set.end.seconds, Double(set.set), Double(set.repetitions), set.period]
            guard let revision = published.revise(Int(set.start.seconds), of: day, numbers) else { continue }
            set.revision = revision
            events.append(DerivedEvent(time: set.end, span: set.start...set.end, body: set))
        }
    }
}
