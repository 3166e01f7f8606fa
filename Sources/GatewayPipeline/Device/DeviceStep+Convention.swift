import SignalProcessing
import TelemetryModel

/// Units and signs that a producer does not tell: measured once, from the first samples.
extension DeviceStep {
    /// Lets the motion in `decoded` be measured where that is still to be done; returns the streams that this has decided.
    mutating func learnConventions(of decoded: DecodedMessage) -> [StreamName] {
        var learned: [StreamName] = []
        for frame in decoded.frames {
            guard case .motion(let motion) = frame.body, case .measured(let accelerationIsInUnitOfGravity) = motion.convention
            else { continue }
            let isDecided =
                state.conventions[motion.stream, default: ConventionTrack()]
                .learn(
                    motion.samples, accelerationIsInUnitOfGravity: accelerationIsInUnitOfGravity,
                    isStandardised: policy.isStandardised)
            if isDecided { learned.append(motion.stream) }
        }
        return learned
    }

    /// Whether `frame` can be brought to Core Motion's units.
    func isConventionKnown(_ frame: DecodedFrame) -> Bool {
        guard case .motion(let motion) = frame.body, case .measured = motion.convention else { return true }
        return state.conventions[motion.stream]?.convention != nil
    }

    /// Keeps a message until its units are known; of too many the oldest is refused.
    mutating func awaitConvention(_ held: HeldFrame) {
        state.clock.observe(held.header, at: now)
        state.awaitingConvention.append(held)
        if state.awaitingConvention.count > settings.reorderFrames {
            let refused = state.awaitingConvention.removeFirst()
            reject(
                refused.message, Rejection(.unknownUnit, "gravity is neither in G nor in m/s2, or the attitude contradicts it"))
        }
    }

    /// Publishes what was decided, and takes the messages that waited for it.
    mutating func releaseAwaitingConvention(_ learned: [StreamName]) throws(Rejection) {
        for stream in learned { tellConvention(of: stream) }
        let waiting = state.awaitingConvention
        state.awaitingConvention = []
        for held in waiting { try takeAgain(held) }
    }

    private mutating func tellConvention(of stream: StreamName) {
        guard let track = state.conventions[stream], let convention = track.convention else { return }
        publishPolicyChange(
            .convention(
                MotionConventionReport(
                    stream: stream, gravityScale: convention.gravityScale, accelerationScale: convention.accelerationScale,
                    standardised: track.isStandardised, turnsAttitude: convention.turnsAttitude)))
    }
}
