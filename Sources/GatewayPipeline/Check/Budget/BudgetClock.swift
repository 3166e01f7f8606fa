import TelemetryModel

/// The clock by which the cost of a device is counted, in seconds: its own, continued over its boots. Where that runs more than ten times as
/// fast as the gateway's for a minute it is the gateway's, until a minute in which it does not.
///
/// A device that catches up what it could not send is not too fast: its clock comes no further ahead of the gateway's than it was.
struct BudgetClock: Sendable, Equatable, Codable {
    private static let fastest = 10.0
    private static let watchSeconds = 60.0
    /// A greater uptime is not used.
    private static let latestUptime = 1e12

    private var boot: BootID
    /// What is added to the uptime of that boot.
    private var shift = 0.0
    /// The latest instant.
    private(set) var newest: Double
    /// The gateway's monotonic clock at that instant.
    private var arrival: Double
    /// How far the uptime of the boot was ahead of the gateway's monotonic clock at most.
    private var lead: Double
    /// How much that has grown since `watchedSince`, on the gateway's monotonic clock.
    private var gained = 0.0
    private var watchedSince: Double
    /// Whether the device's clock is too fast.
    private(set) var isTooFast = false

    /// A clock that begins with a frame that arrived at `monotonic`.
    init(_ header: FrameHeader, at monotonic: Double) {
        boot = header.boot
        newest = Self.uptime(of: header)
        arrival = monotonic
        lead = newest - monotonic
        watchedSince = monotonic
    }

    private static func uptime(of header: FrameHeader) -> Double {
        let uptime = header.uptime.seconds
        return uptime.isFinite ? min(max(uptime, 0), latestUptime) : 0
    }

    /// The instant of a frame that arrived at `monotonic`.
    func instant(of header: FrameHeader, at monotonic: Double) -> Double {
        guard header.boot == boot, !isTooFast else { return newest + max(0, monotonic - arrival) }
        return Self.uptime(of: header) + shift
    }

    /// Advances the clock to a frame that arrived at `monotonic`; returns whether the device's clock turns out to be too fast.
    mutating func advance(to header: FrameHeader, at monotonic: Double) -> Bool {
        let instant = instant(of: header, at: monotonic)
        let ahead = Self.uptime(of: header) - monotonic
        let isOtherBoot = header.boot != boot
        if isOtherBoot {
            boot = header.boot
            lead = ahead
        } else if ahead > lead {
            gained += ahead - lead
            lead = ahead
        }
        // While the gateway's clock counts, its own may go on from any frame: the greatest uptime may have been a wrong one.
        if isTooFast { lead = ahead }
        if isOtherBoot || isTooFast { shift = instant - (lead + monotonic) }
        if instant > newest {
            newest = instant
            arrival = monotonic
        }
        guard monotonic - watchedSince >= Self.watchSeconds else { return false }
        let wasTooFast = isTooFast
        isTooFast = gained > (Self.fastest - 1) * (monotonic - watchedSince)
        gained = 0
        watchedSince = monotonic
        return isTooFast && !wasTooFast
    }

    /// Ends the run of the boot: the next frame continues it as one of another boot does.
    mutating func endRun() { boot = BootID.presence }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) {
        arrival += seconds
        watchedSince += seconds
        lead -= seconds
    }
}
