import TelemetryModel

/// What one device costs on one lane; a pure value that depends on the device's frames and the times of their arrival alone.
///
/// The mean of what was used is kept in twelve slots, of 5 s each where it is that of a minute. A frame is counted in the slot of its own
/// uptime, or in the oldest: so what was kept while nothing could be sent costs no more than it would have then. Within a second all counts
/// that was sent, whether it was used or not: a device that goes on flooding stays refused.
struct BudgetMeter: Sendable, Equatable, Codable {
    /// What a frame costs.
    struct Cost {
        var stream: StreamName
        var bytes: Int
        var samples: Int
    }

    /// What followed from a frame.
    struct Outcome {
        /// Whether the device was over its budget before it.
        var isOver = false
        /// The minute that ended with it.
        var usage: Usage?
        /// Whether the device's clock turned out to be too fast.
        var isFoundTooFast = false
    }

    /// What one stream has cost within the current minute.
    fileprivate struct Sum: Sendable, Equatable, Codable {
        var stream: StreamName
        var bytes = 0
        var samples = 0
        var frames = 0

        /// In thousandths of units: a byte costs 1, a sample 10.
        var cost: Int { bytes.addingSaturated(samples > .max / 10 ? .max : samples * 10) }
    }

    private static let slotCount = 12
    /// How many seconds without a burst have to pass before the streams may be used again.
    private static let calmSeconds = 5
    private static let minuteSeconds = 60.0

    /// What it counts.
    let name: BudgetName
    private var clock: BudgetClock
    /// The cost of the slots, that of slot n at n modulo their number; empty while nothing that may be refused was counted.
    private var slots: [Int] = []
    /// The latest second of a frame that may be refused, and what such frames cost in it.
    private var second: Int?
    private var sent = 0
    /// The last second that was too near to the limit of a burst for refused streams to be used again.
    private var latestBurst: Int?
    /// When the streams may be used again; nil while they may be.
    private(set) var resumesAt: Double?
    private var minuteStart: Double
    private var sums: [Sum] = []
    private var refused = 0

    /// A meter that begins with a frame that arrived at `monotonic`.
    init(_ name: BudgetName, _ header: FrameHeader, at monotonic: Double) {
        self.name = name
        clock = BudgetClock(header, at: monotonic)
        minuteStart = clock.newest
    }

    /// Counts a frame that arrived at `monotonic`, unless the device is over its budget: then it counts as refused. What is exempt from the
    /// budget adds nothing to the mean.
    mutating func count(_ cost: Cost, of header: FrameHeader, _ limits: BudgetLimits?, at monotonic: Double) -> Outcome {
        let before = slot(of: clock.newest)
        let instant = clock.instant(of: header, at: monotonic)
        var outcome = Outcome()
        outcome.isFoundTooFast = clock.advance(to: header, at: monotonic)
        turn(from: before, to: slot(of: clock.newest))
        outcome.usage = endMinute(at: clock.newest, limits)
        if limits == nil { resumesAt = nil }
        if let limits, !cost.stream.isExemptFromBudget {
            let units = Sum(stream: cost.stream, bytes: cost.bytes, samples: cost.samples).cost
            let isWithin = isWithin(limits, at: instant)
            noteSent(units, at: instant, limits)
            guard isWithin else {
                refused.addSaturated(1)
                outcome.isOver = true
                return outcome
            }
            add(units, at: instant)
        }
        count(cost)
        return outcome
    }

    /// Whether a frame of `header` that arrives at `monotonic` is certainly refused, so that its content need not be read.
    func refuses(_ header: FrameHeader, at monotonic: Double) -> Bool {
        resumesAt.map { clock.instant(of: header, at: monotonic) < $0 } ?? false
    }

    /// Counts a frame of `header`, of so many bytes, that was refused without being read, so that its samples are not known; returns the
    /// minute that ended with it.
    mutating func countRefused(_ header: FrameHeader, bytes: Int, _ limits: BudgetLimits?, at monotonic: Double) -> Usage? {
        defer { refused.addSaturated(1) }
        let instant = clock.instant(of: header, at: monotonic)
        if let limits { noteSent(bytes, at: instant, limits) }
        if let resumesAt, let latestBurst { self.resumesAt = max(resumesAt, Self.calm(after: latestBurst)) }
        return endMinute(at: instant, limits)
    }

    /// How many seconds after a frame of `header` that arrived at `monotonic` the streams may be used again; nil while they may be.
    func secondsToResume(after header: FrameHeader, at monotonic: Double) -> Double? {
        resumesAt.map { max(0, $0 - clock.instant(of: header, at: monotonic)) }
    }

    /// Whether the device's clock is so fast that the gateway's is used.
    var isClockTooFast: Bool { clock.isTooFast }

    /// Ends the run of the device's clock.
    mutating func endRun() { clock.endRun() }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) { clock.shiftMonotonic(by: seconds) }

    // MARK: The mean

    private var slotSeconds: Double { name.windowSeconds / Double(Self.slotCount) }

    private func slot(of instant: Double) -> Int { Int((instant / slotSeconds).rounded(.down)) }

    private mutating func turn(from before: Int, to latest: Int) {
        guard !slots.isEmpty, latest > before else { return }
        for slot in (max(before, latest - Self.slotCount) + 1)...latest { slots[place(of: slot)] = 0 }
    }

    /// The place of a slot, whose number may be less than 0.
    private func place(of slot: Int) -> Int {
        let place = slot % Self.slotCount
        return place < 0 ? place + Self.slotCount : place
    }

    private mutating func add(_ cost: Int, at instant: Double) {
        if slots.isEmpty { slots = [Int](repeating: 0, count: Self.slotCount) }
        let latest = slot(of: clock.newest)
        let slot = max(slot(of: min(instant, clock.newest)), latest - Self.slotCount + 1)
        slots[place(of: slot)].addSaturated(cost)
    }

    /// The cost of the last slots, as it will be after so many more.
    private func cost(ofLast count: Int, after more: Int = 0) -> Int {
        guard !slots.isEmpty, more < count else { return 0 }
        let latest = slot(of: clock.newest)
        return (more..<count).reduce(0) { $0.addingSaturated(slots[place(of: latest - ($1 - more))]) }
    }

    private mutating func isWithin(_ limits: BudgetLimits, at instant: Double) -> Bool {
        guard !slots.isEmpty else { return true }
        if let resumesAt {
            guard clock.newest >= resumesAt, isReleased(limits) else {
                self.resumesAt = releaseTime(limits)
                return false
            }
            self.resumesAt = nil
            return true
        }
        let sentWithin = second == Self.second(of: instant) ? sent : 0
        guard limits.isOver(window: cost(ofLast: Self.slotCount), second: sentWithin) else { return true }
        resumesAt = releaseTime(limits)
        return false
    }

    private func isReleased(_ limits: BudgetLimits) -> Bool {
        let isCalm = latestBurst.map { clock.newest >= Self.calm(after: $0) } ?? true
        return isCalm && limits.isReleased(window: cost(ofLast: Self.slotCount))
    }

    /// When the streams may be used again if nothing more is sent: the beginning of a slot, or of a second.
    private func releaseTime(_ limits: BudgetLimits) -> Double {
        let more =
            (0..<Self.slotCount).first { limits.isReleased(window: cost(ofLast: Self.slotCount, after: $0)) } ?? Self.slotCount
        let ofMean = more == 0 ? clock.newest : Double(slot(of: clock.newest) + more) * slotSeconds
        return max(ofMean, latestBurst.map(Self.calm) ?? ofMean)
    }

    /// When no second with a burst is near any more.
    private static func calm(after burst: Int) -> Double { Double(burst + 1 + calmSeconds) }

    // MARK: The second

    private static func second(of instant: Double) -> Int { Int(instant.rounded(.down)) }

    /// Adds what a frame costs to its second. One of an earlier second counts in the mean alone, as it was kept.
    private mutating func noteSent(_ cost: Int, at instant: Double, _ limits: BudgetLimits) {
        let second = Self.second(of: instant)
        if self.second.map({ second > $0 }) ?? true { (self.second, sent) = (second, 0) }
        guard second == self.second else { return }
        sent.addSaturated(cost)
        if !limits.isReleased(second: sent) { latestBurst = second }
    }

    // MARK: The minute

    private mutating func count(_ cost: Cost) {
        let index =
            sums.firstIndex { $0.stream == cost.stream }
            ?? {
                sums.append(Sum(stream: cost.stream))
                return sums.count - 1
            }()
        sums[index].bytes.addSaturated(cost.bytes)
        sums[index].samples.addSaturated(cost.samples)
        sums[index].frames.addSaturated(1)
    }

    private mutating func endMinute(at instant: Double, _ limits: BudgetLimits?) -> Usage? {
        guard instant - minuteStart >= Self.minuteSeconds else { return nil }
        defer {
            minuteStart = instant
            sums = []
            refused = 0
        }
        func total(_ value: (Sum) -> Int) -> Int { sums.reduce(0) { $0.addingSaturated(value($1)) } }
        return Usage(
            budget: name, units: Double(total(\.cost)) / 1_000 / Self.minuteSeconds, limit: limits?.unitsPerSecond,
            bytes: total(\.bytes), samples: total(\.samples), frames: total(\.frames), refused: refused,
            busiest: sums.max { $0.cost < $1.cost }?.stream, isClockTooFast: clock.isTooFast)
    }
}
