import TelemetryModel

/// One session of a device, for one part: when it is, and what is settled of it.
struct SessionSpan<Sum: SessionSum>: Codable, Sendable, Equatable {
    /// Device time in s.
    private(set) var start: Double
    private(set) var activity: String?
    /// Whether it began without a workout.
    private(set) var isImplicit: Bool
    private(set) var end: Double?
    private(set) var endedBy: Session.End?
    /// When the workout began to run, stopped, and so on by turns, in s; the oldest are folded into `settledActive`.
    private var turns: [Double]
    private var settledActive = 0.0
    /// What was counted and no longer changes.
    private var sum = Sum()
    private var missing = 0.0
    private var gaps = 0
    /// The instant of the last message of a session that goes on.
    private(set) var reportedAt: Double
    /// The instant of its next message; nil while nothing is new.
    private(set) var nextReport: Double?
    /// Whether it was published as ended, or no event was in it.
    private(set) var isClosed = false
    /// Whether a message was published; nil for no.
    private var isPublished: Bool?
    private var revision = 0

    private static var mostTurns: Int { 64 }
    /// Instants that are this close, in s, are one: differences of device times are rounded.
    private static var tolerance: Double { 1e-3 }

    init(start: Double, activity: String?, isImplicit: Bool, isPaused: Bool) {
        self.start = start
        self.activity = activity
        self.isImplicit = isImplicit
        reportedAt = start
        turns = isPaused ? [start, start] : [start]
    }

    // MARK: The workout

    var isRunning: Bool { turns.count % 2 == 1 }

    /// When it began to run or paused last.
    var lastTurn: Double { turns.last ?? start }

    /// Pauses or resumes it at an instant.
    mutating func turn(at time: Double) {
        turns.append(max(time, lastTurn))
        if turns.count > Self.mostTurns {
            settledActive += turns[1] - turns[0]
            turns.removeFirst(2)
        }
    }

    /// Ends it.
    mutating func end(at time: Double, by cause: Session.End) {
        end = max(time, start)
        endedBy = cause
        nextReport = nil
    }

    /// Seconds until `time` in which the workout ran.
    private func activeTime(until time: Double) -> Double {
        stride(from: 0, to: turns.count, by: 2).reduce(settledActive) { sum, index in
            let stop = index + 1 < turns.count ? turns[index + 1] : time
            return sum + max(0, min(stop, time) - turns[index])
        }
    }

    private func runs(at time: Double) -> Bool { turns.count { $0 <= time } % 2 == 1 }

    // MARK: Events

    /// Whether an event counts in the session.
    func contains(_ entry: SessionEntry<Sum>) -> Bool {
        guard !entry.isGap else { return entry.to > start && entry.from < end ?? .infinity }
        let first = entry.since == nil ? entry.from : entry.to
        return first >= start - Self.tolerance && entry.first <= end ?? .infinity
    }

    /// Adds an event for good.
    mutating func settle(_ entry: SessionEntry<Sum>) {
        guard entry.isGap else { return sum.add(entry.sum) }
        gaps.addSaturated(1)
        missing += overlap(entry, until: end ?? .infinity)
    }

    private func overlap(_ entry: SessionEntry<Sum>, until limit: Double) -> Double {
        max(0, min(entry.to, limit) - max(entry.from, start))
    }

    // MARK: Messages

    /// Plans the next message of a session that goes on, for an event at `time`.
    mutating func plan(_ time: Double, every seconds: Double) {
        let steps = max(1, ((time - reportedAt) / seconds).rounded(.up))
        let next = reportedAt + steps * seconds
        nextReport = min(nextReport ?? next, next)
    }

    /// The message of a session that goes on, at `nextReport`; nil without events.
    mutating func report(_ recent: [SessionEntry<Sum>]) -> DerivedEvent? {
        guard let time = nextReport else { return nil }
        nextReport = nil
        reportedAt = time
        return event(at: time, recent)
    }

    /// The message of a session that has ended; nil without events. Each after the first is a revision.
    mutating func close(_ recent: [SessionEntry<Sum>]) -> DerivedEvent? {
        guard let end else { return nil }
        if isClosed { revision.addSaturated(1) }
        isClosed = true
        return event(at: end, recent)
    }

    private mutating func event(at time: Double, _ recent: [SessionEntry<Sum>]) -> DerivedEvent? {
        var total = sum
        var (missing, gaps) = (missing, gaps)
        for entry in recent where contains(entry) && entry.first <= time {
            if entry.isGap {
                gaps.addSaturated(1)
                missing += overlap(entry, until: time)
            } else {
                total.add(entry.sum)
            }
        }
        // What was published is ended, though a late end may have taken its events away.
        guard total != Sum() || isPublished == true && end != nil else { return nil }
        isPublished = true
        let elapsed = max(0, time - start)
        let session = Session(
            state: end != nil ? .ended : runs(at: time) ? .running : .paused, activity: activity, start: DeviceTime(start),
            end: end.map { DeviceTime($0) }, elapsedTime: elapsed, activeTime: activeTime(until: time), endedBy: endedBy,
            coverage: elapsed > 0 ? min(1, max(0, 1 - missing / elapsed)) : 1, gaps: gaps, revision: revision)
        var event = DerivedEvent(time: DeviceTime(time), body: SessionReport(session: session, sum: total))
        event.stream = Sum.stream
        return event
    }
}
