import TelemetryModel

/// Whether a frame may be used, and what becomes of what waits for that.
extension DeviceStep {
    /// Takes one frame in its order through check and derive.
    mutating func process(_ frame: NormalizedFrame, held: HeldFrame, mayWait: Bool = true) {
        let lane = Lane(for: frame.stream)
        if mayWait, frame.stream == .batchedIMU, state.lanes[lane]?.awaitingWorkout.isEmpty == false {
            return awaitWorkout(held, in: lane)
        }
        let outcome = authorizer.check(frame, workouts: state.shared.workouts, mayWait: mayWait)
        if outcome == .awaitsWorkout { return awaitWorkout(held, in: lane) }
        fireTimers(before: frame.start)
        state.lanes[lane, default: LaneState()].histories[frame.stream, default: FrameHistory()].append(frame.historyEntry)
        switch outcome {
        case .awaitsWorkout: break
        case .refused(let reason, let code):
            decide(frame.stream, reason, code, on: frame)
            state.lanes[lane]?.accelerometerGaps.skipJoin()
            state.lanes[lane]?.deviceMotionGaps.skipJoin()
            counters.refused[reason, default: 0] += 1
        case .allowed(let authorized, let refusedHalves):
            if !frame.stream.needsOnlyKnown { decide(frame.stream, .allowed, nil, refusedHalves: refusedHalves, on: frame) }
            counters.processed += 1
            derive(authorized)
        }
    }

    private mutating func awaitWorkout(_ held: HeldFrame, in lane: Lane) {
        state.lanes[lane, default: LaneState()].awaitingWorkout.append(held)
        if state.lanes[lane, default: LaneState()].awaitingWorkout.count > settings.reorderFrames {
            releaseAwaitingWorkout(in: lane, first: 1)
        }
    }

    /// Judges the frames that waited: all of them once a workout is known, else those whose wait is over.
    mutating func releaseAwaitingWorkout(in lane: Lane, arrivedBy monotonic: Double) {
        let waiting = state.lanes[lane]?.awaitingWorkout ?? []
        let known = !state.shared.workouts.isEmpty
        let over = known ? waiting.count : waiting.prefix { $0.received.monotonic <= monotonic }.count
        releaseAwaitingWorkout(in: lane, first: over)
    }

    private mutating func releaseAwaitingWorkout(in lane: Lane, first count: Int) {
        guard count > 0, let released = state.lanes[lane]?.awaitingWorkout.prefix(count) else { return }
        state.lanes[lane]?.awaitingWorkout.removeFirst(count)
        for held in released {
            if let frame = read(held) { process(frame, held: held, mayWait: false) }
        }
    }

    /// Publishes the decision on `stream` if it is another than before; `frame` is what brought it, nil for the operator.
    mutating func decide(
        _ stream: StreamName, _ reason: AccessReason, _ code: CMError?, refusedHalves: [Capability] = [],
        on frame: NormalizedFrame?
    ) {
        let lane = Lane(for: stream)
        let previous = state.lanes[lane]?.decisions[stream]
        if let previous, previous.reason == reason, previous.code == code, previous.refusedHalves == refusedHalves {
            return
        }
        let since = frame.map { UnixTime($0.start.seconds + $0.offset) } ?? now.unix
        let decision = AccessDecision(
            stream: stream, reason: reason, code: code, since: since, refusedHalves: refusedHalves)
        state.lanes[lane, default: LaneState()].decisions[stream] = decision
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
        for lane in Lane.allCases {
            for (stream, decision) in (state.lanes[lane]?.decisions ?? [:]).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                if let refusal = authorizer.standingRefusal(of: stream) {
                    decide(stream, refusal.reason, refusal.code, on: nil)
                } else if decision.reason != .allowed, decision.reason != .notInSession {
                    decide(stream, .allowed, nil, on: nil)
                }
            }
        }
    }

    /// Applies a changed policy; nil revokes the device. Returns whether anything of the device is still to be kept.
    mutating func apply(_ changed: DevicePolicy?) -> Bool {
        guard let changed else {
            for lane in Lane.allCases {
                for stream in (state.lanes[lane]?.decisions ?? [:]).keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                    decide(stream, .unknownDevice, nil, on: nil)
                }
            }
            clearRetained { _ in true }
            return false
        }
        policy = changed
        reconsider()
        if changed.authorization == .denied || changed.authorization == .restricted {
            clearRetained { !$0.hasPrefix("access/") }
            let decisions = state.lanes.mapValues(\.decisions)
            let shared = state.shared
            state = DeviceState()
            state.shared.retainedKinds = shared.retainedKinds
            state.shared.boots = shared.boots
            for (lane, decided) in decisions { state.lanes[lane, default: LaneState()].decisions = decided }
        }
        return true
    }

    /// The device's retained status was cleared: it is as if the device had never been, but for the order of its frames.
    mutating func forgetDevice() {
        clearRetained { _ in true }
        var fresh = DeviceState()
        fresh.shared.boots = state.shared.boots
        fresh.shared.clock = state.shared.clock
        for (lane, old) in state.lanes { fresh.lanes[lane, default: LaneState()].sequences = old.sequences }
        state = fresh
    }

    /// The device's retained workout was cleared: nothing is known of a session.
    mutating func forgetWorkout() {
        state.shared.workouts = WorkoutHistory()
    }
}
