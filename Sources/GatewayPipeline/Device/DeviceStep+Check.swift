import TelemetryModel

/// Whether a frame may be used, and what becomes of what waits for that.
extension DeviceStep {
    /// Takes one frame in its order through check and derive.
    mutating func process(_ frame: NormalizedFrame, held: HeldFrame, mayWait: Bool = true) {
        if mayWait, frame.stream == .batchedIMU, !state.awaitingWorkout.isEmpty {
            return awaitWorkout(held)
        }
        let outcome = authorizer.check(frame, workouts: state.workouts, mayWait: mayWait)
        if outcome == .awaitsWorkout { return awaitWorkout(held) }
        fireTimers(before: frame.start)
        state.histories[frame.stream, default: FrameHistory()].append(frame.historyEntry)
        switch outcome {
        case .awaitsWorkout: break
        case .refused(let reason, let code):
            decide(frame.stream, reason, code, on: frame)
            state.accelerometerGaps.skipJoin()
            state.deviceMotionGaps.skipJoin()
            counters.refused[reason, default: 0] += 1
        case .allowed(let authorized, let refusedHalves):
            if !frame.stream.needsOnlyKnown { decide(frame.stream, .allowed, nil, refusedHalves: refusedHalves, on: frame) }
            if owns(frame.stream) { counters.processed += 1 }
            derive(authorized)
        }
    }

    private mutating func awaitWorkout(_ held: HeldFrame) {
        state.awaitingWorkout.append(held)
        if state.awaitingWorkout.count > settings.reorderFrames {
            releaseAwaitingWorkout(first: 1)
        }
    }

    /// Judges the frames that waited: all of them once a workout is known, else those whose wait is over.
    mutating func releaseAwaitingWorkout(arrivedBy monotonic: Double) {
        let waiting = state.awaitingWorkout
        let known = !state.workouts.isEmpty
        let over = known ? waiting.count : waiting.prefix { $0.received.monotonic <= monotonic }.count
        releaseAwaitingWorkout(first: over)
    }

    private mutating func releaseAwaitingWorkout(first count: Int) {
        guard count > 0 else { return }
        let released = state.awaitingWorkout.prefix(count)
        state.awaitingWorkout.removeFirst(count)
        for held in released {
            for frame in read(held) { process(frame, held: held, mayWait: false) }
        }
    }

    /// Publishes the decision on `stream` if it is another than before; `frame` is what brought it, nil for the operator.
    mutating func decide(
        _ stream: StreamName, _ reason: AccessReason, _ code: CoreMotionErrorCode?, refusedHalves: [Capability] = [],
        on frame: NormalizedFrame?
    ) {
        let previous = state.decisions[stream]
        if let previous, previous.reason == reason, previous.code == code, previous.refusedHalves == refusedHalves {
            return
        }
        let since = frame.map { UnixTime($0.start.seconds + $0.offset) } ?? now.unix
        let decision = AccessDecision(
            stream: stream, reason: reason, code: code, since: since, refusedHalves: refusedHalves)
        state.decisions[stream] = decision
        if let frame {
            publish(
                DerivedEvent(time: frame.start, body: .access(decision)), stream: stream, entry: frame.historyEntry)
        } else {
            publishPolicyChange(.access(decision))
        }
        if stream == .submersion, previous?.reason == .allowed, reason != .allowed {
            interruptDepth(cause: .access, isPolicyChange: frame == nil)
        }
    }

    /// Decides anew on every stream decided before: the operator's policy or the device's own word has changed.
    mutating func reconsider() {
        for (stream, decision) in state.decisions.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if let refusal = authorizer.standingRefusal(of: stream) {
                decide(stream, refusal.reason, refusal.code, on: nil)
            } else if decision.reason != .allowed, decision.reason != .notInSession {
                decide(stream, .allowed, nil, on: nil)
            }
        }
    }

    /// Applies a changed policy; nil revokes the device. Returns whether anything of the device is still to be kept.
    mutating func apply(_ changed: DevicePolicy?) -> Bool {
        guard let changed else {
            for stream in state.decisions.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                decide(stream, .unknownDevice, nil, on: nil)
            }
            clearRetained { _ in true }
            clearCommitted()
            return false
        }
        policy = changed
        reconsider()
        if changed.authorization == .denied || changed.authorization == .restricted {
            clearRetained { !$0.hasPrefix("access/") }
            var fresh = DeviceState()
            fresh.retained = state.retained
            fresh.boots = state.boots
            fresh.decisions = state.decisions
            state = fresh
        }
        return true
    }

    /// The device's retained status was cleared: it is as if the device had never been, but for the order of its frames.
    mutating func forgetDevice() {
        clearRetained { _ in true }
        var fresh = DeviceState()
        fresh.boots = state.boots
        fresh.clock = state.clock
        fresh.sequences = state.sequences
        state = fresh
    }

    /// The device's retained workout was cleared: nothing is known of a session.
    mutating func forgetWorkout() {
        state.workouts = WorkoutHistory()
    }
}
