package import GatewayPipeline
package import TelemetryModel

/// The time that deletion goes by, a pure value. It advances as fast as the clock that counts since the machine was started, and follows a
/// step of the wall clock only once that was kept for a day of running time.
///
/// A step is what the wall clock differs by from what was expected at the last look. Each is kept apart with how long it was kept, so that a
/// later one does not begin an earlier one anew; one in the other direction takes back the last ones first. A machine that was switched
/// off looks like a step forward by the time that it was off.
package struct BelievedClock: Sendable, Equatable, Codable {
    /// A difference of the wall clock, and how long it was kept, in seconds.
    struct Step: Sendable, Equatable, Codable {
        var seconds: Double
        var kept = 0.0
    }

    /// What a look at the clocks has shown.
    package enum Change: Sendable, Equatable {
        /// The wall clock was set by so many seconds, which is not believed yet.
        case stepped(Double)
        /// Nothing is left of what was not believed.
        case undone
        /// Steps of so many seconds in all are believed.
        case believed(Double)
    }

    /// From this length on a step is reported, in seconds.
    static let reportedSeconds = 3_600.0
    /// How long a step has to be kept until it is believed, in seconds of running time.
    static let keptSeconds = 86_400.0
    /// How far apart small steps begin that are kept apart, in seconds: it limits their number.
    private static let togetherSeconds = 3_600.0
    /// Times beyond this are none, in seconds.
    static let greatestSeconds = 1e12
    /// Readings of two clocks differ by so much anyway, in seconds.
    private static let resolution = 1e-3

    /// The run of the operating system that `monotonic` belongs to.
    private(set) var machine: String
    /// The clock of that run at the last look.
    private(set) var monotonic: Double
    /// Seconds in which the clock was looked at: running time since the value was made. It never jumps.
    private(set) var running = 0.0
    /// The believed time at the last look.
    private(set) var unix: UnixTime
    /// What the wall clock differs by, the oldest step first; all in one direction.
    private(set) var steps: [Step] = []

    /// A clock that believes the wall clock at `now`.
    package init(at now: GatewayTime, machine: String) {
        (self.machine, monotonic, unix) = (machine, now.monotonic, now.unix)
    }

    /// Whether all of it are times: it is read from a file.
    var isPossible: Bool {
        ([monotonic, running, unix.seconds, lead] + steps.map(\.kept)).allSatisfy { abs($0) < Self.greatestSeconds }
    }

    /// How far the wall clock is ahead of the believed time, in seconds.
    package var lead: Double { steps.reduce(0) { $0 + $1.seconds } }

    /// Before which time what is older than is kept may be deleted: neither clock is past it.
    package var limit: UnixTime { unix + min(0, lead) }

    /// After which time nothing can have happened yet: no clock is ahead of it.
    package var latest: UnixTime { unix + max(0, lead) }

    /// What a person should know of it; nil where the wall clock is believed to within an hour.
    package var warning: String? {
        guard abs(lead) >= Self.reportedSeconds else { return nil }
        return
            "the wall clock differs by \(Self.text(lead)) from the time that has passed: nothing is deleted by it until it was kept for 24 h "
            + "of running time, or 'fathom state believe-clock' is run"
    }

    /// Looks at the clocks at `now`, in the run `machine` of the operating system; returns the changes to be reported.
    package mutating func observe(_ now: GatewayTime, machine: String) -> [Change] {
        guard now.unix.seconds.isFinite, now.monotonic.isFinite else { return [] }
        let elapsed = machine == self.machine ? max(0, now.monotonic - monotonic) : 0
        monotonic = machine == self.machine ? max(monotonic, now.monotonic) : now.monotonic
        self.machine = machine
        running += elapsed
        unix = unix + elapsed
        let before = lead
        let rest = takeBack(now.unix.seconds - unix.seconds - before)
        for index in steps.indices { steps[index].kept += elapsed }
        add(rest)
        var changes: [Change] = []
        if abs(lead - before) >= Self.reportedSeconds {
            changes.append(abs(lead) >= Self.reportedSeconds ? .stepped(lead - before) : .undone)
        }
        let believed = believeKept()
        if abs(believed) >= Self.reportedSeconds { changes.append(.believed(believed)) }
        return changes
    }

    /// Believes the wall clock as it was at the last look.
    package mutating func believe() {
        unix = unix + lead
        steps = []
    }

    /// Takes back steps in the other direction than `difference`, the last first; returns what is left of the difference.
    private mutating func takeBack(_ difference: Double) -> Double {
        var rest = difference
        while rest != 0, let last = steps.last, last.seconds * rest < 0 {
            steps.removeLast()
            if abs(last.seconds) > abs(rest) {
                steps.append(Step(seconds: last.seconds + rest, kept: last.kept))
                rest = 0
            } else {
                rest += last.seconds
            }
        }
        return rest
    }

    /// Adds a difference that begins now. A small one belongs to the last step, unless that has been there for longer.
    private mutating func add(_ difference: Double) {
        guard abs(difference) > Self.resolution else { return }
        if let last = steps.last, abs(difference) < Self.reportedSeconds, last.kept < Self.togetherSeconds {
            steps[steps.count - 1].seconds += difference
        } else {
            steps.append(Step(seconds: difference))
        }
    }

    /// Believes the steps that were kept for long enough, which are the first; returns their sum.
    private mutating func believeKept() -> Double {
        let count = steps.prefix { $0.kept >= Self.keptSeconds }.count
        let believed = steps.prefix(count).reduce(0) { $0 + $1.seconds }
        steps.removeFirst(count)
        unix = unix + believed
        return believed
    }

    /// Whether the other, an earlier value, is of the same run of the machine and has the same steps of an hour or more, and no more than
    /// `seconds` ran since.
    func isNearly(_ other: BelievedClock, within seconds: Double) -> Bool {
        let reported = { (clock: BelievedClock) in clock.steps.count { abs($0.seconds) >= Self.reportedSeconds } }
        return machine == other.machine && running - other.running < seconds && reported(self) == reported(other)
    }

    /// A difference in words: `+30.0 d`.
    static func text(_ seconds: Double) -> String {
        let (value, unit) = abs(seconds) < 86_400 ? (seconds / 3_600, "h") : (seconds / 86_400, "d")
        let tenths = (value * 10).rounded() / 10
        return "\(tenths < 0 ? "" : "+")\(tenths) \(unit)"
    }
}
