import TelemetryModel

/// What the frames of one scope have shown of the device's clock in the current run of its boot: those that were released, in their order.
///
/// A run is a stretch of a boot in which clock and `seq` rise. Each scope numbers its runs by its own frames, so that ids do not depend on which
/// streams a lane has.
struct ScopeClock: Sendable, Equatable, Codable {
    /// The clocks of a frame, and when it arrived on the gateway's monotonic clock.
    struct Reading: Sendable, Equatable, Codable {
        var uptime: Double
        var sent: Double?
        var arrival: Double
    }

    /// A run that has ended.
    struct EndedRun: Sendable, Equatable, Codable {
        /// The uptime of its first frame, and the greatest.
        var first: Double
        var last: Double
        /// The greatest `sent`.
        var sent: Double?
        /// The `seq` that would have been next.
        var next: UInt64?
        /// Why it ended.
        var cause: RunCause
        /// Whether `sent`, and not the uptime, tells its frames from later ones.
        var isBySent: Bool
    }

    /// The ranges of more runs are not kept.
    private static let mostEnded = 8
    /// Of the rise of the uptime from frame to frame, the share that the latest has in the mean.
    private static let share = 0.25
    /// How many times as fast as the wall clock an uptime rises that is in milliseconds.
    private static let milliseconds = 950.0...1_050.0
    /// How long that has to be watched, in s.
    private static let watchSeconds = 10.0

    /// The number of the run, from 1.
    private(set) var run = 1
    /// Its first frame; nil while none was released.
    private(set) var first: Reading?
    /// The greatest uptime and `sent`, and when the frame with that uptime arrived; of the run before until a frame was released.
    private(set) var latest: Reading
    /// The device time of the latest sample.
    private(set) var newest: Double
    /// By how much the uptime usually rises from frame to frame, in s.
    private(set) var interval = 0.0
    /// By how much it rose last.
    private var rise = 0.0
    /// The runs before.
    private(set) var ended: [EndedRun] = []

    /// The clock of a scope whose first frame is released, with its latest sample at `newest`.
    init(_ header: FrameHeader, newest: Double, arrival: Double) {
        latest = Reading(uptime: header.uptime.seconds, sent: header.sent?.seconds, arrival: arrival)
        first = latest
        self.newest = newest
    }

    /// Records a frame that is released, with its latest sample at `newest`. The first one of a run of the device begins a run of the scope where
    /// its own time has fallen by more than `step` seconds, or its `seq`.
    mutating func note(_ header: FrameHeader, newest: Double, arrival: Double, step: Double) {
        let reading = Reading(uptime: header.uptime.seconds, sent: header.sent?.seconds, arrival: arrival)
        guard first != nil else {
            let hasFallen = reading.uptime < latest.uptime - step
            let isRestarted = header.sequence.flatMap { sequence in ended.last?.next.map { sequence < $0 } } ?? false
            if hasFallen || isRestarted { run += 1 }
            (first, latest, self.newest) = (reading, reading, newest)
            return
        }
        if reading.uptime > latest.uptime {
            // A rise that is followed by a smaller one, as after a pause, is not usual.
            let previous = rise
            rise = reading.uptime - latest.uptime
            interval += (min(rise, previous) - interval) * Self.share
            (latest.uptime, latest.arrival) = (reading.uptime, arrival)
        }
        latest.sent = latest.sent.greatest(reading.sent)
        self.newest = max(self.newest, newest)
    }

    /// Ends the run of the device; `next` is the scope's next `seq`.
    mutating func endRun(_ cause: RunCause, isBySent: Bool, next: UInt64?) {
        guard let start = first else { return }
        ended.append(
            EndedRun(first: start.uptime, last: latest.uptime, sent: latest.sent, next: next, cause: cause, isBySent: isBySent))
        if ended.count > Self.mostEnded { ended.removeFirst() }
        first = nil
    }

    /// Whether a frame that is next in its order needs no further look: no run has ended, its uptime is at most `step` seconds before the
    /// greatest, and it cannot be in milliseconds.
    func isPlain(_ header: FrameHeader, step: Double) -> Bool {
        guard ended.isEmpty, let first else { return false }
        let uptime = header.uptime.seconds
        return uptime >= latest.uptime - step
            && (uptime - first.uptime < Self.milliseconds.lowerBound * Self.watchSeconds
                || uptime - latest.uptime < Self.leastSuspect)
    }

    /// An uptime in milliseconds rises by more from frame to frame, in s.
    private static let leastSuspect = 5.0

    /// Whether its run was there at `monotonic` seconds and has gone on since.
    func goesOn(since monotonic: Double) -> Bool {
        first.map { $0.arrival <= monotonic && latest.arrival > monotonic } ?? false
    }

    /// Whether the uptime of `header` is more than `step` seconds before the greatest.
    func isBehind(_ header: FrameHeader, step: Double) -> Bool {
        first != nil && header.uptime.seconds < latest.uptime - step
    }

    /// Whether a frame without `seq` that arrived at `arrival` is of a run that has ended: its time is in the range of one, and it has risen faster
    /// than the frames arrived.
    func isOfEndedRun(_ header: FrameHeader, arrival: Double, allowance: Double) -> Bool {
        guard !ended.isEmpty, first != nil else { return false }
        let uptime = header.uptime.seconds
        let continues = uptime - latest.uptime <= arrival - latest.arrival + allowance
        return !continues && ended.contains { $0.first <= uptime && uptime <= $0.last }
    }

    /// Whether a frame with a `seq` is of a run that ended with the boot's id being used again; a frame with the `next` one is not.
    func isBeforeReuse(_ header: FrameHeader, next: UInt64?) -> Bool {
        guard !ended.isEmpty, let sequence = header.sequence, sequence != next else { return false }
        return ended.contains { run in
            guard run.cause == .bootReused, run.next.map({ sequence < $0 }) ?? true else { return false }
            guard run.isBySent else { return header.uptime.seconds <= run.last }
            return header.sent.map { sent in run.sent.map { sent.seconds <= $0 } ?? false } ?? false
        }
    }

    /// How the uptime runs against `sent`, or against the gateway's clock where the frames have none.
    enum Pace: Equatable {
        case plausible
        /// A thousand times as fast as `sent`: it is in milliseconds.
        case milliseconds
        /// A thousand times as fast as frames arrive, which may be a backlog.
        case perhapsMilliseconds
    }

    /// The pace from the first frame of the run to one that arrived at `arrival`.
    func pace(to header: FrameHeader, arrival: Double) -> Pace {
        guard let first else { return .plausible }
        let rise = header.uptime.seconds - first.uptime
        // Most frames are decided here.
        guard rise >= Self.milliseconds.lowerBound * Self.watchSeconds else { return .plausible }
        // A clock that has jumped ahead once runs as before from then on.
        let recent = header.uptime.seconds - latest.uptime
        guard let start = first.sent, let last = latest.sent, let sent = header.sent?.seconds else {
            let isFast = first.sent == nil && isThousandfold(rise, recent, arrival - first.arrival, arrival - latest.arrival)
            return isFast ? .perhapsMilliseconds : .plausible
        }
        return isThousandfold(rise, recent, sent - start, sent - last) ? .milliseconds : .plausible
    }

    private func isThousandfold(_ rise: Double, _ recent: Double, _ elapsed: Double, _ recentElapsed: Double) -> Bool {
        elapsed >= Self.watchSeconds && Self.milliseconds.contains(rise / elapsed) && recentElapsed > 0
            && recent / recentElapsed >= Self.milliseconds.lowerBound / 2
    }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) {
        first?.arrival += seconds
        latest.arrival += seconds
    }
}
