internal import SignalProcessing
import TelemetryModel

/// Repetitions and sets from samples of a wrist's motion in order of time.
struct RepetitionTrack: Sendable, Equatable, Codable {
    private var sampler = EvenSampler<RepetitionSample.Values>()
    private var bank: CausalBandPassBank<RepetitionSample.Values>?
    private var kept = QuantizedSeries(scales: RepetitionSample.scales)
    /// The period found in the window before, where one was found there.
    private var previousPeriod: Double?
    private var open: OpenSet?
    /// The raw values of the newest cell, its number, and that of the first since the stream began anew.
    private var latest = RepetitionSample.Values()
    private var newestCell = 0
    private var streamStart = 0
    /// The cell of the last repetition of the set before.
    private var lastCell = 0
    /// The features of the last set, from which the coefficients are fitted.
    private(set) var features: [Double] = []
    /// The sets that have ended since the counts were zero.
    var sets = 0

    /// The time of the newest sample in s; nil where there is nothing to end.
    var newestOfSet: Double? { open == nil && !mayHoldSet ? nil : sampler.newest }

    /// Adds a sample: its time in s and its values. One that is not later than the newest before, or not finite, is ignored.
    mutating func add(
        time: Double, _ values: RepetitionSample.Values, _ settings: RepetitionSettings, into events: inout [DerivedEvent]
    ) {
        let cells = sampler.step(
            time: time, values, hertz: RepetitionSample.hertz, longestGap: RepetitionSample.longestGap)
        for cell in cells { take(cell, settings, into: &events) }
    }

    /// Ends with the stream, or with what counts of it: a set that is under way, or one that is shorter than a window. What follows
    /// starts anew.
    mutating func finish(_ settings: RepetitionSettings, into events: inout [DerivedEvent]) {
        if open == nil, mayHoldSet, !PeriodicSignal.isWalking(kept, settings), let found = PeriodicSignal(in: kept, settings) {
            begin(found)
        }
        if var set = open, var bank {
            set.hold()
            for _ in 0..<Int(set.period * RepetitionSample.hertz) { set.append(bank.step(latest, RepetitionSample.band)) }
            open = set
        }
        end(settings, into: &events)
        bank = nil
        kept.removeAll()
    }

    /// Whether there is nothing to end.
    var isIdle: Bool { open == nil && kept.count == 0 }

    /// Whether the newest samples may be a set that was not found yet: in the window before there was a period, or there was none.
    private var mayHoldSet: Bool {
        kept.count >= Self.shortest && (kept.count < RepetitionSample.window || previousPeriod != nil)
    }

    /// Three repetitions at 0.7 s, in cells.
    private static let shortest = 52

    private mutating func begin(_ found: PeriodicSignal) {
        open = OpenSet(found, number: sets + 1, in: kept, newest: newestCell, after: lastCell, start: streamStart)
        previousPeriod = nil
    }

    private mutating func end(_ settings: RepetitionSettings, into events: inout [DerivedEvent]) {
        previousPeriod = nil
        guard let set = open else { return }
        open = nil
        let count = set.count()
        lastCell = count?.lastCell ?? lastCell
        guard let count, Double(count.repetitions) >= settings.minimumRepetitions else { return }
        features = set.features(count)
        guard SetCoefficients.exercise(features) >= settings.leastProbability else { return }
        sets += 1
        // What is held after the last sample delays the last repetition.
        let last = min(count.last, sampler.newest ?? count.last)
        let (start, end) = (DeviceTime(min(count.first, last)), DeviceTime(last))
        events.append(
            DerivedEvent(
                time: end, span: start...end,
                body: RepetitionSet(
                    start: start, end: end, set: sets, repetitions: count.repetitions,
                    period: set.period, periodSpread: count.spread, rangeOfMotion: set.rangeOfMotion,
                    signal: set.signal, quality01: set.quality, confidence: SetCoefficients.right(features))))
    }

    private mutating func take(
        _ cell: EvenSampler<RepetitionSample.Values>.Cell, _ settings: RepetitionSettings, into events: inout [DerivedEvent]
    ) {
        let values = cell.values
        if cell.isFirst {
            finish(settings, into: &events)
            streamStart = cell.number
        }
        (latest, newestCell) = (values, cell.number)
        var bank = self.bank ?? CausalBandPassBank(settledAt: values, RepetitionSample.band)
        let filtered = bank.step(values, RepetitionSample.band)
        self.bank = bank
        var row = filtered
        row[RepetitionSample.magnitude] = (values[6] * values[6] + values[7] * values[7] + values[8] * values[8]).squareRoot()
        kept.append(row)
        kept.keep(open == nil ? RepetitionSample.kept : RepetitionSample.window)
        open?.append(filtered)
        // Once a second of the clock, wherever frames and recordings begin.
        if cell.number % Int(RepetitionSample.hertz) == 0, kept.count >= RepetitionSample.window {
            evaluate(at: cell.number, settings, into: &events)
        }
    }

    private mutating func evaluate(at cell: Int, _ settings: RepetitionSettings, into events: inout [DerivedEvent]) {
        let isWalking = PeriodicSignal.isWalking(kept, settings)
        if open == nil {
            search(isWalking: isWalking, settings)
        } else {
            open?.update(kept, settings)
        }
        guard let open, let count = open.count() else { return }
        // An extreme is found a quarter of a period after it, and the filters delay it by as much again.
        let silence = (Double(cell) + 0.5) / RepetitionSample.hertz - count.last
        if isWalking || silence > (settings.endPeriods + 0.5) * open.period { return end(settings, into: &events) }
        report(count, of: open, settings, into: &events)
    }

    private mutating func search(isWalking: Bool, _ settings: RepetitionSettings) {
        // The end of a walk must not become the beginning of a set: a second of rest hides its steps, but not its strides.
        guard !isWalking, !PeriodicSignal.isWalking(kept, settings, first: RepetitionSample.window / 2),
            let found = PeriodicSignal(in: kept, settings)
        else {
            previousPeriod = nil
            return
        }
        // Two windows in a row, of about one period: by chance one window has any.
        let agrees = previousPeriod.map { abs(found.period - $0) <= 0.3 * $0 } ?? false
        previousPeriod = found.period
        guard agrees else { return }
        begin(found)
    }

    private mutating func report(
        _ count: OpenSet.Count, of set: OpenSet, _ settings: RepetitionSettings, into events: inout [DerivedEvent]
    ) {
        guard count.repetitions > set.published, Double(count.repetitions) >= settings.minimumRepetitions,
            SetCoefficients.exercise(set.features(count)) >= settings.leastProbability, let newest = sampler.newest
        else { return }
        open?.published = count.repetitions
        let (first, last) = (DeviceTime(count.first), DeviceTime(count.last))
        events.append(
            DerivedEvent(
                time: last, span: first...max(first, last), validUntil: DeviceTime(newest) + settings.validSeconds,
                body: Repetition(
                    count: count.repetitions, set: set.number, lastAt: last, period: set.period, signal: set.signal)))
    }
}
