package import TelemetryModel

/// The last four boots of a device, the current one last, and a boot that may become the current one.
///
/// Device clocks are set back, and an app that is launched again keeps the clock of the one before. So the instant at which a
/// boot started decides nothing: `sent` of the frames does.
package struct BootHistory: Sendable, Equatable, Codable {
    /// How a frame's boot stands to those before.
    package enum Standing: Sendable, Equatable {
        /// The boot that the device is in.
        case current
        /// A boot that the device has left, or a retained message from an unknown one: the frame is late.
        case late
        /// A boot never seen whose wall clock is behind the current one's: the frame waits.
        case candidate
        /// A boot never seen that becomes the current one.
        case new
        /// A boot that the device had left, and is in again.
        case returning
    }

    private struct Record: Sendable, Equatable, Codable {
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

    /// A boot never seen whose frames wait.
    private struct Candidate: Sendable, Equatable, Codable {
        var boot: BootID
        var uptime: DeviceTime
        /// Whether two frames with rising `uptime` have arrived.
        var hasRisen = false
    }

    /// Stands for a boot while only others have reported on the device: its own, whichever it is, takes over from it.
    package static let presence: BootID = {
        guard let presence = BootID("presence") else { preconditionFailure("'presence' is an identifier") }
        return presence
    }()

    private static let capacity = 4
    /// More changes of the boot than this within a minute are two devices with one id.
    private static let changesPerMinute = 3

    private var records: [Record] = []
    private var candidate: Candidate?
    /// When the last changes of the boot were, on the gateway's monotonic clock.
    private var changes: [Double] = []

    /// No boot seen yet.
    package init() {}

    /// The boots that an earlier build stored, the current one last, with the clock of that one.
    init(_ boots: [BootID], clock: DeviceClock) {
        records = boots.map { Record(boot: $0) }
        if let index = records.indices.last, let latest = clock.latest {
            records[index].latest = latest.instant
            records[index].sent = latest.isSent ? latest.instant : nil
            records[index].offset = clock.latestOffset
            records[index].arrival = latest.arrival
        }
    }

    /// The boot that the device is in; nil before the first frame.
    package var current: BootID? { records.last?.boot }

    /// Whether only others have reported on the device.
    package var isOfPresence: Bool { current == Self.presence }

    /// Whether the device has been in another boot than the current one.
    var hasHistory: Bool { records.count > 1 }

    /// How the frame of `header` stands to the boots before; `isRetained` frames never displace the current boot unless their
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

    /// Makes `boot` the current one at `monotonic` seconds; returns whether the boot changes so often that two devices share
    /// the id.
    mutating func enter(_ boot: BootID, at monotonic: Double) -> Bool {
        if isOfPresence { records.removeLast() }
        let known = records.firstIndex { $0.boot == boot }.map { records.remove(at: $0) }
        let isChange = !records.isEmpty
        records.append(known ?? Record(boot: boot))
        if records.count > Self.capacity { records.removeFirst() }
        if candidate?.boot == boot { candidate = nil }
        guard isChange else { return false }
        changes.removeAll { monotonic - $0 > 60 }
        changes.append(monotonic)
        guard changes.count > Self.changesPerMinute else { return false }
        changes.removeFirst()
        return true
    }

    /// Notes an accepted frame of the current boot that arrived at `now`.
    mutating func note(_ header: FrameHeader, offset: Double, at now: GatewayTime) {
        guard let index = records.indices.last else { return }
        let instant = header.sent?.seconds ?? header.uptime.seconds + offset
        records[index].latest = max(records[index].latest, instant)
        records[index].sent = header.sent?.seconds
        records[index].offset = offset
        records[index].arrival = now.monotonic
    }

    /// Notes a frame of a boot whose frames wait; returns the candidate that it replaces.
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

    /// Forgets the boot whose frames waited: none waits any more.
    mutating func removeCandidate() { candidate = nil }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) {
        for index in records.indices { records[index].arrival += seconds }
        for index in changes.indices { changes[index] += seconds }
    }
}
