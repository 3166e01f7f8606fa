import TelemetryModel

/// Frames of one scope that may be of a new run of the boot: their clock has fallen, or their `seq` began again. They wait until the run before goes
/// on, or is silent for long enough while they go on as fast as they arrive.
struct RunDoubt: Sendable, Equatable, Codable {
    /// The scope.
    let scope: SequenceScope
    /// What the run would begin with.
    let cause: RunCause
    /// Whether `sent` is the clock that rises, and not the uptime.
    let isBySent: Bool
    /// Whether no run begins: where a `seq` and the uptime begin again without `sent`, the device may send old frames again.
    let isReportOnly: Bool
    /// The first frame, and its topic.
    let header: FrameHeader
    let topic: String
    /// The greatest uptime and `sent` before it.
    let before: ScopeClock.Reading
    /// How long the run before has to be silent, in s.
    let silence: Double
    /// Whether its frames may show the depth.
    let showsDepth: Bool
    /// Whether the samples are timed by the gateway, whose clock was set back.
    let isGatewayClock: Bool
    /// When the first frame arrived, on the gateway's monotonic clock.
    private(set) var since: Double
    /// From where on the frames have risen no faster than they arrived: a frame's arrival, its time and its uptime.
    private var anchor: Double
    private var anchorTime: Double
    private var anchorUptime: Double
    private var latestTime: Double
    private var latestUptime: Double
    /// Whether two frames with rising times have arrived, and whether since the anchor.
    private var hasRisen = false
    private var hasRisenAtPace = false

    /// A doubt that begins with the frame of `header`, which arrived at `arrival`.
    init(
        _ scope: SequenceScope, _ cause: RunCause, isBySent: Bool, isReportOnly: Bool, header: FrameHeader, topic: String,
        before: ScopeClock.Reading, silence: Double, showsDepth: Bool, isGatewayClock: Bool, arrival: Double
    ) {
        (self.scope, self.cause, self.isBySent, self.isReportOnly) = (scope, cause, isBySent, isReportOnly)
        (self.header, self.topic, self.before, self.silence) = (header, topic, before, silence)
        (self.showsDepth, self.isGatewayClock) = (showsDepth, isGatewayClock)
        since = arrival
        anchor = arrival
        anchorTime = Self.time(of: header, isBySent)
        latestTime = anchorTime
        anchorUptime = header.uptime.seconds
        latestUptime = anchorUptime
    }

    private static func time(of header: FrameHeader, _ isBySent: Bool) -> Double {
        isBySent ? header.sent?.seconds ?? header.uptime.seconds : header.uptime.seconds
    }

    /// Records another frame that arrived at `arrival`. One whose time has risen faster than the frames arrived, by more than `allowance`
    /// seconds, or fallen, begins the watch anew: stored frames that are sent again are sent fast. By `sent` the uptime has to rise too: a
    /// frame that is sent again may have a new `sent`.
    mutating func note(_ header: FrameHeader, arrival: Double, allowance: Double) {
        let time = Self.time(of: header, isBySent)
        let uptime = header.uptime.seconds
        let elapsed = max(0, arrival - anchor)
        hasRisen = hasRisen || (time > latestTime && uptime > latestUptime)
        (latestTime, latestUptime) = (max(latestTime, time), max(latestUptime, uptime))
        if time < anchorTime || uptime < anchorUptime || time - anchorTime > elapsed + min(elapsed, allowance) {
            (anchor, anchorTime, anchorUptime, hasRisenAtPace) = (arrival, time, uptime, false)
        } else if time > anchorTime, uptime > anchorUptime {
            hasRisenAtPace = true
        }
    }

    /// When the run begins, on the gateway's monotonic clock, if nothing of the run before comes until then; nil where too few frames have come.
    func end(_ limits: IntakeLimits) -> Double? {
        let regular = hasRisenAtPace ? anchor + silence : nil
        return regular.least(hasRisen && !isReportOnly ? since + limits.bootWaitSeconds : nil)
    }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) {
        since += seconds
        anchor += seconds
    }
}

extension RunDoubt {
    /// What is published of the run that begins, or of one that does not, as other streams of the device go on: `isUnused`.
    func report(isUnused: Bool = false) -> Rejection {
        let (reason, detail): (RejectionReason, String)
        switch cause {
        case .clockSetBack:
            reason = .clockSetBack
            detail =
                "the \(isGatewayClock ? "gateway" : "device")'s clock \(header.uptime.seconds < before.uptime ? "went back" : "jumped") from \(before.uptime) s to \(header.uptime.seconds) s"
                + (isUnused
                    ? "; its other streams go on, and these messages are not used: take all times from one clock"
                    : isGatewayClock
                        ? ", and messages without a time are timed by it; a new run begins"
                        : "; a new run begins: take uptime and sample times from a clock that nothing sets, such as systemUptime")
        case .bootReused:
            reason = .bootReused
            let next = header.sequence.map { "seq began again at \($0)" } ?? "seq began again"
            detail =
                "\(next) under the same boot, uptime \(before.uptime) s before and \(header.uptime.seconds) s now"
                + Self.sent(before.sent, header.sent?.seconds)
                + (isReportOnly
                    ? "; the frames are discarded as repeated: make a new boot id at each start of the app, and send `sent`"
                    : "; a new run begins: make a new boot id at each start of the app")
        }
        return Rejection(reason, detail).of(header)
    }

    private static func sent(_ before: Double?, _ now: Double?) -> String {
        guard let before, let now else { return "" }
        return ", sent \(before) before and \(now) now"
    }
}
