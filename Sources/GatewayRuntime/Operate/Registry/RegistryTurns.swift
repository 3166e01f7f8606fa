import GatewayConfiguration

/// Decides when the registry file is read, which may be written at any time, in place and in pieces, and when what was read is put into
/// force.
///
/// The first pieces of a file may be a valid registry without the devices of the last one, and a writer may pause for 2 s before it. So a
/// file is read once looks have found it unchanged for longer. One that has become much shorter, as after a write that failed or a copy
/// that hangs, has to be the same once more before it changes anything for a device.
struct RegistryTurns {
    /// What follows from a look.
    enum Step: Equatable {
        case wait
        /// Read the file and call ``finish(_:after:)``.
        case read
        /// A change has waited too long to be read and put into force; once for each.
        case overdue
    }

    /// What follows from a reading.
    enum Verdict: Equatable {
        /// The file was written meanwhile: it is read again.
        case discard
        /// It has problems.
        case problem
        /// Its registry is in force already.
        case same
        /// It is put into force if it is the same `seconds` later.
        case hold(bytes: Int, formerBytes: Int)
        /// Its registry is to be put into force.
        case replace(Registry)
    }

    /// The seconds between looks.
    static let lookSeconds = 1.0
    /// How long a file has been unchanged, in seconds, when it is read. Looks may be late by some tenths: a file is read at the fourth look
    /// that finds it unchanged.
    private static let settleSeconds = 2.5
    /// How long after it the second reading of a file that became shorter takes place, likewise: at the fifth look.
    private static let confirmSeconds = 4.5
    /// The interval at which a file with problems is read again: why it cannot be read may end without a change of the file.
    private static let retrySeconds = 10.0
    /// The longest time from a change to its end, in seconds: the wait until the file settles, the reading, and the putting into force.
    static let overdueSeconds = 10.0

    private(set) var inForce: Registry
    /// The size of the file that is in force; nil until it was read here.
    private var formerBytes: Int?
    /// The file at the last look, and since when it has been so; nil before the first.
    private var seen: (stamp: TextFile.Stamp?, since: Double)?
    /// The file at the last reading, and when that was; nil before the first: the file may have changed since the start has read it.
    private var judged: (stamp: TextFile.Stamp?, at: Double, hasProblem: Bool)?
    /// What waits for a second reading.
    private var held: (registry: Registry, at: Double)?
    /// The reload that takes place: since when, and the file at the look that led to it.
    private var reload: (stamp: TextFile.Stamp?, since: Double)?
    /// Since when a change, or a reading without one, is not finished; nil when there is none.
    private(set) var pendingSince: Double?
    private var isOverdue = false
    private var isRequested = false

    /// The turns of a gateway that has started with `registry`.
    init(inForce registry: Registry) { inForce = registry }

    /// Has the file read again though it has not changed.
    mutating func request() { isRequested = true }

    /// Takes the file as it is found at `now`, on the monotonic clock.
    mutating func look(_ stamp: TextFile.Stamp?, at now: Double) -> Step {
        if seen == nil || seen?.stamp != stamp {
            if seen != nil { pendingSince = pendingSince ?? now }
            seen = (stamp, now)
            held = nil
        }
        if reload == nil, let seen, now - seen.since >= Self.settleSeconds, isRequested || isDue(stamp, now) {
            isRequested = false
            reload = (stamp, now)
            pendingSince = pendingSince ?? now
            return .read
        }
        guard let pendingSince, !isOverdue, now - pendingSince > Self.overdueSeconds else { return .wait }
        isOverdue = true
        return .overdue
    }

    private func isDue(_ stamp: TextFile.Stamp?, _ now: Double) -> Bool {
        guard let judged, judged.stamp == stamp else { return true }
        if let held { return now - held.at >= Self.confirmSeconds }
        return judged.hasProblem && now - judged.at >= Self.retrySeconds
    }

    /// Takes what was read, nil for a file with problems, and the file as it was found afterwards. A reload lasts until ``end()``.
    mutating func finish(_ registry: Registry?, after stamp: TextFile.Stamp?) -> Verdict {
        guard let reload, reload.stamp == stamp else { return .discard }
        judged = (stamp, reload.since, registry == nil)
        let bytes = stamp?.size ?? 0
        guard let registry else {
            held = nil
            return .problem
        }
        if registry == inForce {
            held = nil
            formerBytes = bytes
            return .same
        }
        if let formerBytes, bytes * 10 < formerBytes * 9, !registry.onlyAdds(to: inForce) {
            if held?.registry != registry { held = (registry, reload.since) }
            if let held, reload.since - held.at < Self.confirmSeconds { return .hold(bytes: bytes, formerBytes: formerBytes) }
        }
        held = nil
        formerBytes = bytes
        inForce = registry
        return .replace(registry)
    }

    /// Ends a reload.
    mutating func end() {
        defer { reload = nil }
        guard let judged, judged.at == reload?.since else { return }
        pendingSince = seen?.stamp == judged.stamp ? nil : seen?.since
        isOverdue = false
    }
}
