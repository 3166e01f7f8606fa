internal import SignalProcessing
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
        case workout(WorkoutState)
        /// Sets are numbered from 1 again.
        case resetCounts
    }

    /// `repetition`.
    package static let declaration = DerivationDeclaration(
        "repetition", version: 1, streams: [.deviceMotion, .batchedIMU, .workout, .command],
        kinds: [Repetition.self, RepetitionSet.self], isOnByDefault: false, decidesAtEnd: true,
        "Repetitions and sets of any exercise, from the motion of a wrist.")

    private var sampler = EvenSampler()
    private var bank: CausalBandPassBank?
    private var kept = QuantizedSeries(scales: RepetitionSample.scales)
    /// The period found in the window before, where one was found there.
    private var previousPeriod: Double?
    private var open: OpenSet?
    /// The sets that have ended since the counts were zero.
    private var sets = 0
    /// The cell of the last repetition of the set before.
    private var lastCell = 0
    private var workout: WorkoutState?

    /// No sample.
    package init() {}

    /// The samples of a stream that repetitions are counted from, a change of the workout, or the command `resetCounts`.
    package static func input(of frame: DerivationFrame, settings: RepetitionSettings) -> Input? {
        switch frame.body {
        case .command(.resetCounts): return .resetCounts
        case .workout(let change): return .workout(change.state)
        case .deviceMotion(let samples) where settings.streams.contains(.deviceMotion): return .samples(samples)
        case .batchedIMU(let batch) where settings.streams.contains(.batchedIMU):
            return batch.deviceMotion.map { .samples($0) }
        default: return nil
        }
    }

    /// Takes one frame's samples; those not later than the newest one before, or not finite, are ignored.
    package mutating func consume(_ input: Input, settings: RepetitionSettings, into events: inout [DerivedEvent]) {
        switch input {
        case .samples(let samples):
            for index in samples.timestamp.indices {
                let cells = sampler.step(
                    time: samples.timestamp[index], RepetitionSample.values(samples, at: index),
                    hertz: RepetitionSample.hertz, longestGap: RepetitionSample.longestGap)
                for cell in cells { take(cell, settings, into: &events) }
            }
        case .workout(let state):
            if state == .running, workout != .paused, workout != .running { sets = 0 }
            workout = state
        case .resetCounts: sets = 0
        }
    }

    /// When a set that gets no more samples has ended.
    package func due(settings: RepetitionSettings) -> DeviceTime? {
        guard open != nil, let newest = sampler.newest else { return nil }
        return DeviceTime(newest) + settings.waitSeconds
    }

    /// Ends the set, if that is due at `now`.
    package mutating func fire(until now: DeviceTime, settings: RepetitionSettings, into events: inout [DerivedEvent]) {
        guard let due = due(settings: settings), due <= now else { return }
        end(settings, into: &events)
    }

    // MARK: Cells

    private mutating func take(_ cell: EvenSampler.Cell, _ settings: RepetitionSettings, into events: inout [DerivedEvent]) {
        // No sensor reaches the bound; it keeps the filters finite for any input.
        let values = cell.values.map { min(max($0, -1e4), 1e4) }
        if cell.isFirst {
            if open != nil { end(settings, into: &events) }
            bank = nil
            kept.removeAll()
            previousPeriod = nil
        }
        var bank = self.bank ?? CausalBandPassBank(settledAt: values, RepetitionSample.band)
        let filtered = bank.step(values, RepetitionSample.band)
        self.bank = bank
        let magnitude = (values[6] * values[6] + values[7] * values[7] + values[8] * values[8]).squareRoot()
        kept.append(filtered + [magnitude])
        kept.keep(RepetitionSample.kept)
        open?.append(filtered)
        // Once a second of the clock, wherever frames and recordings begin.
        if cell.number % Int(RepetitionSample.hertz) == 0, kept.count >= RepetitionSample.window {
            evaluate(at: cell.number, settings, into: &events)
        }
    }

    private mutating func evaluate(at cell: Int, _ settings: RepetitionSettings, into events: inout [DerivedEvent]) {
        let isWalking = PeriodicSignal.isWalking(kept, settings)
        if open == nil {
            search(at: cell, isWalking: isWalking, settings)
        } else {
            open?.update(settings)
        }
        guard let open, let count = open.count() else { return }
        // An extreme is found a quarter of a period after it, and the filters delay it by as much again.
        let silence = (Double(cell) + 0.5) / RepetitionSample.hertz - count.last
        if isWalking || silence > (settings.endPeriods + 0.5) * open.period { return end(settings, into: &events) }
        report(count, of: open, settings, into: &events)
    }

    private mutating func search(at cell: Int, isWalking: Bool, _ settings: RepetitionSettings) {
        // The end of a walk must not become the beginning of a set: a second of rest hides its steps, but not its strides.
        guard !isWalking, !PeriodicSignal.isWalking(kept, settings, part: ..<(RepetitionSample.window / 2)),
            let found = PeriodicSignal(in: kept, settings)
        else {
            previousPeriod = nil
            return
        }
        // Two windows in a row, of about one period: by chance one window has any.
        let agrees = previousPeriod.map { abs(found.period - $0) <= 0.3 * $0 } ?? false
        previousPeriod = found.period
        guard agrees else { return }
        open = OpenSet(found, number: sets + 1, in: kept, newest: cell, after: lastCell)
        previousPeriod = nil
    }

    private mutating func report(
        _ count: OpenSet.Count, of set: OpenSet, _ settings: RepetitionSettings, into events: inout [DerivedEvent]
    ) {
        guard count.repetitions > set.published, Double(count.repetitions) >= settings.minimumRepetitions,
            let newest = sampler.newest
        else { return }
        open?.published = count.repetitions
        let (first, last) = (DeviceTime(count.first), DeviceTime(count.last))
        events.append(
            DerivedEvent(
                time: last, span: first...max(first, last), validUntil: DeviceTime(newest) + settings.validSeconds,
                body: Repetition(
                    count: count.repetitions, set: set.number, lastAt: last, period: set.period, signal: set.signal)))
    }

    private mutating func end(_ settings: RepetitionSettings, into events: inout [DerivedEvent]) {
        guard let set = open else { return }
        open = nil
        previousPeriod = nil
        let count = set.count()
        lastCell = count?.lastCell ?? lastCell
        guard let count, Double(count.repetitions) >= settings.minimumRepetitions else { return }
        sets += 1
        let (start, end) = (DeviceTime(count.first), DeviceTime(max(count.first, count.last)))
        events.append(
            DerivedEvent(
                time: end, span: start...end,
                body: RepetitionSet(
                    start: start, end: end, set: set.number, repetitions: count.repetitions,
                    period: set.period, periodSpread: count.spread, rangeOfMotion: set.rangeOfMotion,
                    signal: set.signal, quality01: set.quality)))
    }
}
