import TelemetryModel

/// The access checks of frames.
extension DeviceTurn {
    /// Passes the frames of one message of so many bytes through check and derive; the message is counted once. `isLast` where no later
    /// depths have arrived.
    func process(
        _ frames: [NormalizedFrame], of scope: SequenceScope, bytes: Int, isLast: Bool, followedBy actions: inout [IntakeAction]
    ) {
        var refusal: AccessReason?
        var isUsed = false
        var uncounted = bytes
        for (index, frame) in frames.enumerated() {
            let isLast = isLast && !frames[(index + 1)...].contains { $0.stream == frame.stream }
            if let reason = process(frame, bytes: uncounted, isLast: isLast, followedBy: &actions) {
                refusal = refusal ?? reason
            } else {
                isUsed = true
            }
            if owns(frame.stream) { uncounted = 0 }
            if frame.stream == .submersion { endEarly(after: frame) }
        }
        guard owns(scope) else { return }
        let stream = frames.first { owns($0.stream) }?.stream
        if let refusal, !isUsed {
            context.counters[stream].refused[refusal, default: 0] += 1
        } else {
            context.counters.count(.processed, of: stream)
        }
    }

    /// Passes one frame through check and derive; returns why it was refused, nil when it was used.
    private func process(
        _ frame: NormalizedFrame, bytes: Int, isLast: Bool, followedBy actions: inout [IntakeAction]
    ) -> AccessReason? {
        slot.state.boot.noteRun(frame.run, of: frame.stream)
        if frame.isRepeated { return processRepeated(frame, bytes: bytes) }
        let outcome = check(frame)
        let isOverBudget = countCost(of: frame, bytes: bytes)
        context.report(.checked(frame, outcome))
        fireTimers(before: frame.start, of: frame.stream)
        if isOverBudget, case .allowed = outcome {
            refuseForBudget(frame)
            skipSampleGaps(of: [frame.stream])
            return .overBudget
        }
        slot.state.boot.histories[frame.stream, default: FrameHistory()].append(frame.historyEntry)
        switch outcome {
        case .refused(let reason, let code):
            decide(frame.stream, reason, code, on: frame)
            skipSampleGaps(of: [frame.stream])
            return reason
        case .allowed(let authorized, let refusedHalves):
            if !frame.stream.needsOnlyKnown || slot.state.decisions[frame.stream] != nil {
                decide(frame.stream, .allowed, nil, refusedHalves: refusedHalves, on: frame)
            }
            reportRefused(before: frame)
            if owns(frame.stream) { context.counters[frame.stream].samples.addSaturated(frame.body.sampleCount) }
            derive(authorized, isLast: isLast)
            refuseDepth(after: frame)
            if case .workout = frame.body {
                let rules = rules
                slot.state.intake.endWaits(for: .workout, rules, into: &actions)
            }
            return nil
        }
    }

    /// Processes a frame of which no sample was new: it counts against the budget, and as activity where the device's clock has gone on.
    private func processRepeated(_ frame: NormalizedFrame, bytes: Int) -> AccessReason? {
        if let refusal = authorizer.standingRefusal(of: frame.stream) { return refusal.reason }
        guard !countCost(of: frame, bytes: bytes) else {
            refuseForBudget(frame)
            return .overBudget
        }
        fireTimers(before: frame.start, of: frame.stream)
        noteActivity(of: frame)
        return nil
    }

    /// Checks a frame. A device that reported that it may not measure depth is refused until it measures.
    private func check(_ frame: NormalizedFrame) -> Authorizer.Outcome {
        let outcome = authorizer.check(frame, workouts: slot.state.boot.workouts)
        guard case .submersion(let samples) = frame.body, case .allowed = outcome, let code = slot.state.access.depthRefusal
        else {
            return outcome
        }
        guard samples.measurements.isEmpty else {
            slot.state.access.depthRefusal = nil
            return outcome
        }
        return code.refusal.map { .refused($0, code) } ?? outcome
    }

    /// Processes the device's report that it may not measure depth, unless the frame holds a later measurement.
    private func refuseDepth(after frame: NormalizedFrame) {
        guard case .submersion(let samples) = frame.body else { return }
        let measured = samples.measurements.last?.time
        let error = samples.errors.last { error in
            CoreMotionErrorCode(rawValue: error.code)?.refusal != nil && measured.map { $0 < error.time } ?? true
        }
        guard let code = error.flatMap({ CoreMotionErrorCode(rawValue: $0.code) }), let reason = code.refusal else { return }
        slot.state.access.depthRefusal = code
        decide(.submersion, reason, code, on: frame)
    }

    /// Publishes the decision on `stream` if it has changed; `frame` is the one that caused it, nil for a change by the operator.
    func decide(
        _ stream: StreamName, _ reason: AccessReason, _ code: CoreMotionErrorCode?, refusedHalves: [Capability] = [],
        resumesAt: UnixTime? = nil, on frame: NormalizedFrame?
    ) {
        let previous = slot.state.decisions[stream]
        if let previous, previous.reason == reason, previous.code == code, previous.refusedHalves == refusedHalves,
            previous.isNearlyResumed(at: resumesAt)
        {
            return
        }
        let since = frame.map { UnixTime($0.start.seconds + $0.offset) } ?? now.unix
        let decision = AccessDecision(
            stream: stream, reason: reason, code: code, since: since, refusedHalves: refusedHalves, resumesAt: resumesAt)
        slot.state.decisions[stream] = decision
        if let frame {
            publish(
                DerivedEvent(time: frame.start, body: decision), stream: stream, entry: frame.historyEntry)
        } else {
            publishPolicyChange(decision, of: stream)
        }
        if previous?.reason == .allowed, reason != .allowed {
            let time = slot.state.intake.clock.estimate(at: now) ?? DeviceTime(0)
            interrupt(stream, .access, at: time, isPolicyChange: frame == nil)
        }
    }
}

extension AccessDecision {
    /// Whether it names this instant, up to what the clocks of frames differ by.
    fileprivate func isNearlyResumed(at other: UnixTime?) -> Bool {
        guard let resumesAt, let other else { return resumesAt == other }
        return abs(resumesAt - other) < 1
    }
}

extension CoreMotionErrorCode {
    /// The access reason of the error; nil for errors that are no refusal.
    fileprivate var refusal: AccessReason? {
        switch self {
        case .notAvailable: .notAvailable
        case .notEntitled: .notEntitled
        case .notAuthorized: .notAuthorized
        default: nil
        }
    }
}
