package import TelemetryModel

/// The last four boots of a device, the current one last, and a boot that may become current.
///
/// Device clocks can be set back, and a relaunched app keeps its clock. The start of a boot is therefore not used; boots are
/// ordered by `sent` of their frames.
package struct BootHistory: Sendable, Equatable, Codable {
    /// How the boot of a frame relates to the known boots.
    package enum Standing: Sendable, Equatable {
        /// The current boot.
        case current
        /// A boot before the current one, or a retained message of an unknown boot: the frame is late.
        case late
        /// A new boot whose wall clock is behind the current one's: the frame waits.
        case candidate
        /// A new boot that becomes current.
        case new
        /// An earlier boot that becomes current again.
        case returning
    }

    fileprivate struct Record: Sendable, Equatable, Codable {
        var boot: BootID
        /// The latest instant of its accepted frames in unix time.
        var latest = -Double.greatestFiniteMagnitude
        /// `sent` of the frame accepted last.
        var sent: Double?
        /// Seconds to add to device time to get unix time.
        var offset: Double?
        /// When its last frame arrived, on the gateway's monotonic clock.
        var arrival = -Double.greatestFiniteMagnitude
    }

    /// A new boot whose frames wait.
    private struct Candidate: Sendable, Equatable, Codable {
        var boot: BootID
        var uptime: DeviceTime
        /// Whether two frames with rising `uptime` have arrived.
        var hasRisen = false
    }

    private static let capacity = 4
    /// More returns to an earlier boot than this within a minute show two devices with one id. New boots do not: many may come at once
    /// where the broker has queued them.
    private static let returnsPerMinute = 3

    private var records: [Record] = []
    private var candidate: Candidate?
    /// When the last returns to an earlier boot were, on the gateway's monotonic clock.
    private var changes: [Double] = []

    /// The current boot; nil before the first frame.
    package var current: BootID? { records.last?.boot }

    /// Whether only other parties have reported on the device.
    package var isOfPresence: Bool { current == BootID.presence }

    /// Whether there was a boot before the current one.
    var hasHistory: Bool { records.count > 1 }

    /// How the frame of `header` relates to the known boots; `isRetained` frames never displace the current boot unless their
    /// `sent` is later.
    package func standing(of header: FrameHeader, isRetained: Bool) -> Standing {
        guard let last = records.last else { return .new }
        if header.boot == last.boot { return .current }
        if isOfPresence { return .new }
        if let known = records.last(where: { $0.boot == header.boot }) {
            let instant = header.sent?.seconds ?? known.offset.map { header.uptime.seconds + $0 } ?? -.infinity
            return instant > last.latest && !isRetained ? .returning : .late
        }
        let isEarlier = header.sent.map { sent in last.sent.map { sent.seconds < $0 } ?? false } ?? false
        if isRetained { return header.sent == nil || isEarlier || last.sent == nil ? .late : .new }
        return isEarlier ? .candidate : .new
    }

    /// Makes `boot` the current one at `monotonic` seconds; returns whether it changes back and forth so often that two devices share the
    /// id.
    mutating func enter(_ boot: BootID, at monotonic: Double) -> Bool {
        if isOfPresence { records.removeLast() }
        let known = records.firstIndex { $0.boot == boot }.map { records.remove(at: $0) }
        records.append(known ?? Record(boot: boot))
        if records.count > Self.capacity { records.removeFirst() }
        if candidate?.boot == boot { candidate = nil }
        guard known != nil else { return false }
        changes.removeAll { monotonic - $0 > 60 }
        changes.append(monotonic)
        guard changes.count > Self.returnsPerMinute else { return false }
        changes.removeFirst()
        return true
    }

    /// Records an accepted frame of the current boot that arrived at `now`.
    mutating func note(_ header: FrameHeader, offset: Double, at now: GatewayTime) {
        guard let index = records.indices.last else { return }
        let instant = header.sent?.seconds ?? header.uptime.seconds + offset
        records[index].latest = max(records[index].latest, instant)
        records[index].sent = header.sent?.seconds
        records[index].offset = offset
        records[index].arrival = now.monotonic
    }

    /// Begins another run of the current boot: its instants may be earlier ones.
    mutating func beginRun() {
        guard let index = records.indices.last else { return }
        records[index].latest = -Double.greatestFiniteMagnitude
    }

    /// Records a frame of a boot whose frames wait; returns the candidate that it replaces.
    mutating func noteCandidate(_ header: FrameHeader) -> BootID? {
        guard var candidate, candidate.boot == header.boot else {
            defer { candidate = Candidate(boot: header.boot, uptime: header.uptime) }
            return candidate?.boot
        }
        candidate.hasRisen = candidate.hasRisen || header.uptime > candidate.uptime
        candidate.uptime = max(candidate.uptime, header.uptime)
        self.candidate = candidate
        return nil
    }

    /// The boot whose frames wait and when it becomes the current one, on the gateway's monotonic clock; nil when none does.
    func promotion(afterSilence seconds: Double) -> (boot: BootID, at: Double)? {
        guard let candidate, candidate.hasRisen, let last = records.last else { return nil }
        return (candidate.boot, last.arrival + seconds)
    }

    /// Removes the boot whose frames waited: none waits any more.
    mutating func removeCandidate() { candidate = nil }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) {
        for index in records.indices { records[index].arrival += seconds }
        for index in changes.indices { changes[index] += seconds }
    }
}

/// The intake's state of one boot of a device: clock, order of messages, units of motion.
struct BootOrder: Sendable, Equatable, Codable {
    /// The position of one scope in its order.
    struct Position: Sendable, Equatable, Codable {
        /// The `seq` that is expected next.
        var next: UInt64
        /// Frames with a smaller `seq` were presumably processed by a gateway before this one; nil where none is presumed.
        var presumedBefore: UInt64?
        /// The smallest of them that may still be reported as missing; nil for 0.
        var presumedFrom: UInt64?
    }

    /// The device's clock.
    var clock = DeviceClock()
    /// The position of each scope.
    var positions: KeyedTable<SequenceScope, Position> = [:]
    /// The units and signs of the motion streams whose producer does not name them.
    var conventions: KeyedTable<StreamName, ConventionTrack> = [:]
    /// What the frames of each scope have shown of the device's clock in the current run.
    var clocks: KeyedTable<SequenceScope, ScopeClock> = [:]
    /// Up to when the samples of each stream were accepted in the current run.
    var series: KeyedTable<StreamName, SeriesTimes> = [:]
    /// How many runs of the boot have ended in this lane, and why the last one did.
    var endedRuns = 0
    var endedBy: RunCause?

    /// The scopes in the order in which waits are ended together: the contract's streams, then producers by their names.
    var scopes: [SequenceScope] {
        StreamName.allCases.map { SequenceScope($0) }
            + positions.keys.filter { $0.stream == nil }.sorted { $0.name < $1.name }
    }

    /// Ends the run of the boot: the next one has a clock of its own. Its `seq` go on, but not where the boot's id was used again.
    mutating func endRun(_ cause: RunCause, isBySent: Bool) {
        for scope in Array(clocks.keys) { endRun(of: scope, cause, isBySent: isBySent) }
        // A scope of which only retained frames came has no clock.
        if cause == .bootReused { positions = [:] }
        series = [:]
        clock = DeviceClock()
        endedRuns.addSaturated(1)
        endedBy = cause
    }

    /// Ends the run of one scope.
    mutating func endRun(of scope: SequenceScope, _ cause: RunCause, isBySent: Bool) {
        clocks[scope]?.endRun(cause, isBySent: isBySent, next: positions[scope]?.next)
        if cause == .bootReused { positions[scope] = nil }
    }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) {
        clock.shiftMonotonic(by: seconds)
        for scope in Array(clocks.keys) { clocks[scope]?.shiftMonotonic(by: seconds) }
    }

    /// The expected `seq` of `scope` before its first frame: a first frame with a small `seq` waits for those before it.
    static func expected(before sequence: UInt64, of scope: SequenceScope, within limit: Int) -> UInt64 {
        // Some producers count from 1.
        sequence < UInt64(max(0, limit)) ? min(sequence, scope.stream == nil ? 1 : 0) : sequence
    }
}

extension StreamName {
    /// Whether its frames can begin a run: commands come from others, and results may be queried later.
    var hasRuns: Bool { self != .command && self != .movementDisorder && self != .recordedAccelerometer }
}
