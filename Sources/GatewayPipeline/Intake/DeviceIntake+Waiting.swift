import TelemetryModel

/// Ends of waits: a waiting message is processed, or given up and reported.
extension DeviceIntake {
    /// Ends the wait of one message, because its time is over or the limit of bytes is reached.
    mutating func endWait(at index: Int, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        let held = waiting.messages[index]
        switch held.reason {
        case .earlierFrame: giveUpLowestGap(held.scope, rules, into: &actions)
        case .workout:
            _ = waiting.remove(at: index)
            process(held, rules, into: &actions)
        case .units:
            _ = waiting.remove(at: index)
            actions.append(
                .rejected(
                    held.message,
                    Rejection(.unknownUnit, "gravity is neither in G nor in m/s2, or the attitude contradicts it")
                        .of(held.header)))
            giveUpPlace(of: held.header, scope: held.scope, topic: held.message.topic, rules, into: &actions)
        case .boot, .run:
            _ = waiting.remove(at: index)
            actions.append(.outcome(.late, held.scope))
            guard held.reason == .run else { return }
            reportLate(1, held.header, held.scope, topic: held.message.topic, rules, into: &actions)
            if !waiting.messages.contains(where: { $0.reason == .run && $0.scope == held.scope }) {
                doubts.removeAll { $0.scope == held.scope }
            }
        }
    }

    /// Ends the oldest wait, at the limit of bytes; waits for depth only with `includesSubmersion`. Returns whether one was
    /// ended.
    package mutating func endOldestWait(
        includesSubmersion: Bool, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) -> Bool {
        let oldest = waiting.messages.indices
            .filter { includesSubmersion || !waiting.messages[$0].isSubmersion }
            .min { waiting.messages[$0].received.monotonic < waiting.messages[$1].received.monotonic }
        guard let oldest else { return false }
        endWait(at: oldest, rules, into: &actions)
        return true
    }

    /// Ends every wait, also those of messages of another boot: nothing of the device is kept.
    mutating func endAllWaitsOfAllBoots(_ rules: IntakeRules, into actions: inout [IntakeAction]) {
        endAllWaits(rules, into: &actions)
        endWaits(for: .boot, rules, into: &actions)
    }

    /// Ends every wait in the current boot: no more of its messages will arrive.
    package mutating func endAllWaits(_ rules: IntakeRules, into actions: inout [IntakeAction]) {
        endAllWaitsOfRun(rules, into: &actions)
        endAllDoubts(rules, into: &actions)
    }

    /// Ends every wait in the current run of the boot: another one begins.
    mutating func endAllWaitsOfRun(_ rules: IntakeRules, into actions: inout [IntakeAction]) {
        // A message whose units stay unknown leaves its place in the order, which is given up with the others.
        endWaits(for: .units, rules, into: &actions)
        for scope in order.scopes {
            while waiting.lowest(of: scope) != nil { giveUpLowestGap(scope, rules, into: &actions) }
        }
        endWaits(for: .earlierFrame, rules, into: &actions)
        endWaits(for: .workout, rules, into: &actions)
    }

    /// Ends every wait for `reason`.
    package mutating func endWaits(
        for reason: WaitingMessage.Reason, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        while let index = waiting.messages.firstIndex(where: { $0.reason == reason }) {
            endWait(at: index, rules, into: &actions)
        }
    }

    /// Whether more of `scope` waits for `reason` than may.
    func exceedsLimits(_ scope: SequenceScope, _ reason: WaitingMessage.Reason, _ rules: IntakeRules) -> Bool {
        let load = waiting.load(of: scope, reason)
        return reason == .earlierFrame ? rules.redelivery.exceeds(load, rules.limits) : rules.limits.isExceeded(by: load)
    }

    // MARK: Order

    /// Gives up what is missing before the message of `scope` with the smallest `seq`; without a position, because the order was
    /// lost with a part of the stored state, nothing is known to be missing.
    mutating func giveUpLowestGap(_ scope: SequenceScope, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        doubtWaiting(scope, rules, into: &actions)
        guard let index = waiting.lowest(of: scope) else { return }
        let held = waiting.remove(at: index)
        if boots.current == nil {
            enter(held.header, rules, into: &actions)
            observe(held.header, at: held.received)
        }
        let lowest = held.header.sequence ?? order.positions[scope]?.next ?? 0
        var position = order.positions[scope] ?? .init(next: lowest)
        let found = held.isPlace ? nil : read(held, rules, into: &actions)
        if lowest > position.next {
            actions.append(
                .gap(
                    missing(
                        first: position.next, count: lowest - position.next, before: held.header, at: held.firstSample,
                        of: scope, held.streams, found?.frames ?? [])))
        }
        position.next = max(position.next, lowest + 1)
        order.positions[scope] = position
        if let found { release(found.decoded, frames: found.frames, rules, into: &actions) }
        releaseConsecutive(scope, rules, into: &actions)
    }

    mutating func releaseConsecutive(_ scope: SequenceScope, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        while let index = waiting.lowest(of: scope), let next = order.positions[scope]?.next,
            waiting.messages[index].header.sequence == next
        {
            guard !isBehind(waiting.messages[index].header, scope, rules) || waiting.messages[index].isPlace else {
                doubtWaiting(scope, rules, into: &actions)
                continue
            }
            let held = waiting.remove(at: index)
            order.positions[scope]?.next = next + 1
            guard !held.isPlace, let found = read(held, rules, into: &actions) else { continue }
            release(found.decoded, frames: found.frames, rules, into: &actions)
        }
    }

    /// Releases frames that are in order, unless they wait for a workout.
    mutating func release(
        _ decoded: DecodedMessage, frames: [NormalizedFrame], _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        noteReleased(decoded, frames, rules)
        let needsWorkout = frames.contains { $0.stream == .batchedIMU } && (rules.awaitsWorkout || waiting.holds(.workout))
        guard needsWorkout else {
            return pass(frames, of: decoded, into: &actions)
        }
        hold(
            decoded, for: .workout, until: decoded.received.monotonic + rules.limits.workoutWaitSeconds, rules,
            into: &actions)
    }

    /// Records what a frame that is in order shows of the device's clock. A retained one may be of any time.
    private mutating func noteReleased(_ decoded: DecodedMessage, _ frames: [NormalizedFrame], _ rules: IntakeRules) {
        guard !decoded.message.retain else { return }
        let newest = frames.lazy.map(\.end.seconds).max() ?? decoded.header.uptime.seconds
        let arrival = decoded.received.monotonic
        let isKnown = order.clocks.change(decoded.scope) {
            $0.note(decoded.header, newest: newest, arrival: arrival, step: rules.limits.clockStepSeconds)
        }
        if !isKnown { order.clocks[decoded.scope] = ScopeClock(decoded.header, newest: newest, arrival: arrival) }
    }

    private mutating func pass(_ frames: [NormalizedFrame], of decoded: DecodedMessage, into actions: inout [IntakeAction]) {
        var frames = frames
        if let run = order.clocks.read(decoded.scope, { $0.run }), run > 1 {
            for index in frames.indices { frames[index].run = run }
        }
        if frames.count < decoded.frames.count { actions.append(.overruled(overruledCount(of: decoded), decoded.scope)) }
        let repeated = order.series.acceptSamples(of: &frames)
        if repeated > 0 { actions.append(.repeated(repeated, decoded.scope)) }
        actions.append(
            frames.isEmpty
                ? .outcome(.processed, decoded.scope)
                : .frames(frames, decoded.scope, bytes: decoded.message.payload.count))
    }

    private mutating func process(_ held: WaitingMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        if let found = read(held, rules, into: &actions) { pass(found.frames, of: found.decoded, into: &actions) }
    }

    /// What a message that waited holds; nil, and a rejection, where that cannot be used.
    private mutating func read(
        _ held: WaitingMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) -> (decoded: DecodedMessage, frames: [NormalizedFrame])? {
        do throws(Rejection) {
            let decoded = try held.decoded(by: rules.decoder)
            return (decoded, try normalize(decoded, rules))
        } catch {
            actions.append(.rejected(held.message, error.of(held.header)))
            return nil
        }
    }

    /// Frames that are missing before a message of `streams`, whose first sample is at `first sample`; `frames` are its own.
    func missing(
        first: UInt64, count: UInt64, before header: FrameHeader, at firstSample: DeviceTime, of scope: SequenceScope,
        _ streams: [StreamName], _ frames: [NormalizedFrame]
    ) -> MissingFrames {
        let entry =
            frames.first?.historyEntry
            ?? FrameHistory.Entry(
                sequence: header.sequence, first: firstSample, last: firstSample, offset: order.clock.offset(for: header),
                skew: nil)
        return MissingFrames(
            scope: scope, streams: frames.isEmpty ? streams : frames.map(\.stream), first: first, count: count,
            before: frames.map(\.start).min() ?? firstSample, entry: entry)
    }
}
