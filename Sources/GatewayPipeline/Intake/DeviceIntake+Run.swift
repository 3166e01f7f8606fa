import SignalProcessing
import TelemetryModel

/// Runs of a boot: a device's clock that is set back, and an app that begins its `seq` again under the same boot id.
extension DeviceIntake {
    /// How a message of the current boot relates to its runs.
    private enum Standing {
        /// It is of the current run.
        case current
        /// It is of a run that has ended.
        case ended
        /// It may be of a run to come.
        case doubtful(RunCause, isBySent: Bool)
        /// It is a duplicate, or the app began again with `seq` and uptime: nothing tells which.
        case repeated
    }

    /// How often what is late, or looks like milliseconds, is reported at most, in s.
    private static let reportSeconds = 60.0

    /// Processes a message of the current boot; it waits while it is not known whether it is of the current run.
    mutating func takeOfBoot(_ decoded: DecodedMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        if doubts.isEmpty, isNextOrLater(decoded),
            order.clocks.read(decoded.scope, { $0.isPlain(decoded.header, step: rules.limits.clockStepSeconds) }) ?? true
        {
            return accept(decoded, rules, into: &actions)
        }
        guard isSubjectToRuns(decoded) else { return accept(decoded, rules, into: &actions) }
        switch standing(of: decoded, rules) {
        case .current:
            if !doubts.isEmpty, isNextOrLater(decoded) { endDoubt(of: decoded.scope, rules, into: &actions) }
            guard isPlausible(decoded, rules, into: &actions) else { return }
        case .ended:
            actions.append(.outcome(.late, decoded.scope))
            return reportLate(1, decoded.header, decoded.scope, topic: decoded.message.topic, rules, into: &actions)
        case .doubtful(let cause, let isBySent):
            return awaitRun(decoded, cause, isBySent: isBySent, rules, into: &actions)
        case .repeated: noteRepetition(decoded, rules, into: &actions)
        }
        accept(decoded, rules, into: &actions)
    }

    private func isSubjectToRuns(_ decoded: DecodedMessage) -> Bool {
        !decoded.message.retain && decoded.scope.stream?.hasRuns ?? true && order.clocks[decoded.scope] != nil
            && !decoded.frames.isEmpty
    }

    /// Whether the message has no `seq`, or one that has not been released.
    private func isNextOrLater(_ decoded: DecodedMessage) -> Bool {
        guard let sequence = decoded.header.sequence, let next = order.positions[decoded.scope]?.next else { return true }
        return sequence >= next
    }

    private func standing(of decoded: DecodedMessage, _ rules: IntakeRules) -> Standing {
        guard let clock = order.clocks[decoded.scope] else { return .current }
        let (header, step) = (decoded.header, rules.limits.clockStepSeconds)
        guard let sequence = header.sequence else {
            // What the broker had queued comes in any order, and faster than it was measured: no doubt begins by it, and one goes on.
            guard (rules.firesTimers && rules.redelivery.keepsPace) || doubts.contains(where: { $0.scope == decoded.scope })
            else {
                return .current
            }
            let isOld =
                clock.isBehind(header, step: step)
                || clock.isOfEndedRun(header, arrival: decoded.received.monotonic, allowance: rules.limits.reorderSeconds)
            return isOld ? .doubtful(.clockSetBack, isBySent: false) : .current
        }
        let next = order.positions[decoded.scope]?.next
        if clock.isBeforeReuse(header, next: next) { return .ended }
        if let doubt = doubts.first(where: { $0.scope == decoded.scope && $0.cause == .bootReused && !$0.isReportOnly }),
            continuesDoubt(sequence, of: decoded.scope)
        {
            return .doubtful(.bootReused, isBySent: doubt.isBySent)
        }
        guard let next, sequence < next else {
            return clock.isBehind(header, step: step) ? .doubtful(.clockSetBack, isBySent: false) : .current
        }
        return standing(ofRepeated: decoded, clock, step: step)
    }

    /// Whether a `seq` follows those in doubt: an app that was started again soon has passed the last `seq` of the run before.
    private func continuesDoubt(_ sequence: UInt64, of scope: SequenceScope) -> Bool {
        let last = waiting.messages.filter { $0.scope == scope && $0.reason == .run }.compactMap(\.header.sequence).max()
        return last.map { $0 < .max && sequence == $0 + 1 } ?? false
    }

    /// Of a message whose `seq` was released or given up: it is of another run if its clock has passed all that was received, and it has a newer
    /// sample.
    private func standing(
        ofRepeated decoded: DecodedMessage, _ clock: ScopeClock, step: Double
    ) -> Standing {
        let header = decoded.header
        let waiting = waiting.messages.filter { $0.scope == decoded.scope && $0.reason == .earlierFrame }.map(\.header)
        let uptime = waiting.map(\.uptime.seconds).reduce(clock.latest.uptime, max)
        if header.uptime.seconds > uptime, let newest = newestSample(of: decoded), newest > clock.newest {
            return .doubtful(.bootReused, isBySent: false)
        }
        guard let before = waiting.compactMap({ $0.sent?.seconds }).reduce(clock.latest.sent, { $0.greatest($1) }),
            let sent = header.sent?.seconds
        else { return header.uptime.seconds <= uptime && header.sent == nil ? .repeated : .current }
        // Samples of two runs are compared on the wall clock.
        if sent > before + step, let newest = newestSample(of: decoded), let last = clock.latest.sent,
            newest + sent - header.uptime.seconds > clock.newest + last - clock.latest.uptime
        {
            return .doubtful(.bootReused, isBySent: true)
        }
        // A frame that is sent again has the clocks of its run.
        let offset = (clock.latest.sent ?? sent) - clock.latest.uptime
        return abs(sent - header.uptime.seconds - offset) > step ? .repeated : .current
    }

    /// The device time of the latest sample; nil where the message is rejected.
    private func newestSample(of decoded: DecodedMessage) -> Double? {
        var clock = DeviceClock()
        clock.observe(decoded.header, at: decoded.received)
        let frames = try? decoded.frames.map { frame in
            try NormalizedFrame(
                frame, of: decoded, clock: clock, conventions: order.conventions, futureSkewSeconds: .infinity)
        }
        return frames?.map(\.end.seconds).max()
    }

    /// Whether the clock of a message runs as one in seconds does; where it is in milliseconds, the message is rejected.
    private mutating func isPlausible(
        _ decoded: DecodedMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) -> Bool {
        let pace =
            order.clocks.read(decoded.scope) { $0.pace(to: decoded.header, arrival: decoded.received.monotonic) } ?? .plausible
        guard pace != .plausible else { return true }
        let against = pace == .milliseconds ? "sent" : "messages arrive"
        let rejection = Rejection(
            .timeOutOfRange, at: "/uptime", "uptime rises a thousand times as fast as \(against): are these milliseconds?"
        ).of(decoded.header)
        if pace == .milliseconds {
            actions.append(.rejected(decoded.message, rejection))
            giveUpPlace(of: decoded.header, scope: decoded.scope, topic: decoded.message.topic, rules, into: &actions)
            return false
        }
        if rules.firesTimers, mayReport(at: rules.now) {
            actions.append(.report(rejection, decoded.scope, topic: decoded.message.topic, count: 1))
        }
        return true
    }

    // MARK: In doubt

    /// Keeps a message until the current run goes on, or another begins. It shows nothing of the device's clock meanwhile.
    private mutating func awaitRun(
        _ decoded: DecodedMessage, _ cause: RunCause, isBySent: Bool, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        let held = WaitingMessage(
            decoded, for: .run, until: decoded.received.monotonic + rules.limits.bootWaitSeconds, keepsDecoded: rules.keepsDecoded
        )
        // Nothing newer has come until now.
        if rules.firesTimers, let limit = timerLimit(rules) { actions.append(.timers(limit)) }
        noteDoubt(held, cause, isBySent: isBySent, rules)
        if let doubt = doubts.first(where: { $0.scope == decoded.scope }),
            decoded.received.monotonic - doubt.since >= rules.limits.runSilence(interval: 0)
        {
            doubtDepth(doubt, rules, into: &actions)
        }
        let isThere = waiting.messages.contains {
            $0.reason == .run && $0.scope == decoded.scope && $0.header == decoded.header && decoded.header.sequence != nil
        }
        guard !isThere else { return actions.append(.outcome(.duplicate, decoded.scope)) }
        waiting.insert(held)
        actions.append(.outcome(.held(.run), decoded.scope))
        while waiting.load(of: decoded.scope, .run).bytes > rules.limits.streamBytes,
            let oldest = waiting.messages.firstIndex(where: { $0.reason == .run && $0.scope == decoded.scope })
        {
            endWait(at: oldest, rules, into: &actions)
        }
        if let doubt = dueDoubt(rules) { end(doubt, rules, into: &actions) }
    }

    private mutating func noteDoubt(
        _ entry: WaitingMessage, _ cause: RunCause, isBySent: Bool, isReportOnly: Bool = false, _ rules: IntakeRules
    ) {
        let arrival = entry.received.monotonic
        if let index = doubts.firstIndex(where: { $0.scope == entry.scope }) {
            if doubts[index].cause == cause, doubts[index].isReportOnly == isReportOnly {
                return doubts[index].note(entry.header, arrival: arrival, allowance: rules.limits.reorderSeconds)
            }
            // What began as one thing and goes on as another is watched anew; what waits, waits on.
            doubts.remove(at: index)
        }
        guard let clock = order.clocks[entry.scope] else { return }
        let doubt = RunDoubt(
            entry.scope, cause, isBySent: isBySent, isReportOnly: isReportOnly, header: entry.header, topic: entry.message.topic,
            before: clock.latest, silence: rules.limits.runSilence(interval: clock.interval),
            showsDepth: entry.streams.contains(.submersion),
            isGatewayClock: order.clock.isTimedByArrival && entry.header.uptime.seconds == entry.received.unix.seconds,
            arrival: arrival)
        doubts.append(doubt)
    }

    /// Has a state at the surface become `unknown`, as the device goes on with frames in doubt and nothing newer has come since they began: the
    /// depth may be in them.
    private func doubtDepth(_ doubt: RunDoubt, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        guard doubt.showsDepth, let now = clock.estimate(at: rules.now) else { return }
        actions.append(.depthDoubted(at: now - max(0, rules.now.monotonic - doubt.since)))
    }

    /// Watches messages that are discarded as repeated, though the app may have begun again.
    private mutating func noteRepetition(
        _ decoded: DecodedMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        guard rules.firesTimers, rules.redelivery.keepsPace else { return }
        let entry = WaitingMessage(decoded, for: .run, until: .infinity, keepsDecoded: false)
        noteDoubt(entry, .bootReused, isBySent: false, isReportOnly: true, rules)
        if let doubt = dueDoubt(rules) { end(doubt, rules, into: &actions) }
    }

    /// When the next run begins if nothing of the current one comes until then, on the gateway's monotonic clock.
    func nextRun(_ limits: IntakeLimits) -> Double? { doubts.lazy.compactMap { $0.end(limits) }.min() }

    func dueDoubt(_ rules: IntakeRules) -> RunDoubt? {
        doubts.first { $0.end(rules.limits).map { $0 <= rules.now.monotonic } ?? false }
    }

    /// The run before has been silent for long enough: another one begins, or what may be one is reported.
    mutating func end(_ doubt: RunDoubt, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        guard !doubt.isReportOnly else {
            doubts.removeAll { $0.scope == doubt.scope }
            doubtDepth(doubt, rules, into: &actions)
            return reportDoubt(doubt, isUnused: false, rules, into: &actions)
        }
        let others = order.clocks.lazy.filter { [doubts] other in !doubts.contains { $0.scope == other.key } }
        guard others.contains(where: { $0.value.goesOn(since: doubt.since) }) else {
            return beginRun(doubt, rules, into: &actions)
        }
        if doubt.cause == .bootReused, !doubt.isBySent {
            beginRunOfScope(doubt, rules, into: &actions)
        } else if doubt.showsDepth {
            beginRun(doubt, rules, into: &actions)
        } else {
            // The device's clock is that of the streams that go on.
            reportDoubt(doubt, isUnused: true, rules, into: &actions)
            endDoubt(of: doubt.scope, rules, into: &actions)
        }
    }

    private mutating func reportDoubt(
        _ doubt: RunDoubt, isUnused: Bool, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        guard mayReport(at: rules.now) else { return }
        actions.append(.report(doubt.report(isUnused: isUnused), doubt.scope, topic: doubt.topic, count: 1))
    }

    /// One scope begins its `seq` again while the device's other streams and its clock go on.
    private mutating func beginRunOfScope(_ doubt: RunDoubt, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        while waiting.lowest(of: doubt.scope) != nil { giveUpLowestGap(doubt.scope, rules, into: &actions) }
        doubts.removeAll { $0.scope == doubt.scope }
        order.endRun(of: doubt.scope, doubt.cause, isBySent: doubt.isBySent)
        actions.append(.report(doubt.report(), doubt.scope, topic: doubt.topic, count: 1))
        takeWaiting(of: doubt.scope, rules, into: &actions)
    }

    private mutating func beginRun(_ doubt: RunDoubt, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        endRun(doubt.cause, isBySent: doubt.isBySent, doubt.header, rules, into: &actions)
        actions.append(.report(doubt.report(), doubt.scope, topic: doubt.topic, count: 1))
        takeBackPlaces(of: doubt.header.boot, rules, into: &actions)
        takeWaiting(of: nil, rules, into: &actions)
    }

    /// Ends the run of the boot; the frame of `header` is of the next one.
    mutating func endRun(
        _ cause: RunCause, isBySent: Bool, _ header: FrameHeader, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        leave(endsRun: cause, rules, into: &actions)
        doubts = []
        order.endRun(cause, isBySent: isBySent)
        boots.beginRun()
        actions.append(.bootBegan(header, .newRun(cause)))
    }

    /// Processes what was in doubt, of one scope or of all: each as if the time were that of its arrival, as no timer runs past those behind it.
    private mutating func takeWaiting(of scope: SequenceScope?, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        var rules = rules
        for held in waiting.removeAll(where: { $0.reason == .run && (scope == nil || $0.scope == scope) }) {
            rules.now = held.received
            takeAgain(held, rules, into: &actions)
        }
    }

    // MARK: The current run goes on

    /// A frame of the current run has come: those of `scope` that were in doubt are late. Their `seq` are taken as received.
    private mutating func endDoubt(of scope: SequenceScope, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        guard let index = doubts.firstIndex(where: { $0.scope == scope }) else { return }
        let doubt = doubts.remove(at: index)
        guard !doubt.isReportOnly else { return }
        let late = waiting.removeAll { $0.reason == .run && $0.scope == scope }
        for held in late {
            actions.append(.outcome(.late, scope))
            takePlace(of: held, rules, into: &actions)
        }
        takeBackPlaces(of: doubt.header.boot, rules, into: &actions)
        if let last = late.last {
            reportLate(late.count, last.header, scope, topic: last.message.topic, rules, into: &actions)
        }
    }

    private mutating func takePlace(of held: WaitingMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        guard let sequence = held.header.sequence, let next = order.positions[held.scope]?.next, sequence >= next,
            !waits(sequence, of: held.scope)
        else { return }
        let place = WaitingMessage(
            placeOf: held.header, scope: held.scope, topic: held.message.topic, streams: held.streams,
            firstSample: held.firstSample, received: rules.now)
        arrange(place, sequence: sequence, expected: next, rules, into: &actions)
    }

    /// Ends every doubt of the boot, which has ended, or of which no more comes: what is in doubt is late.
    mutating func endAllDoubts(_ rules: IntakeRules, into actions: inout [IntakeAction]) {
        doubts = []
        endWaits(for: .run, rules, into: &actions)
    }

    mutating func reportLate(
        _ count: Int, _ last: FrameHeader, _ scope: SequenceScope, topic: String, _ rules: IntakeRules,
        into actions: inout [IntakeAction]
    ) {
        lateCount.addSaturated(count)
        guard mayReport(at: rules.now) else { return }
        let rejection = Rejection(
            .timestampOrder,
            "messages came behind later ones, by \(rules.limits.clockStepSeconds) s and more, and are not used; "
                + "send stored messages before live ones, or with a seq"
        ).of(last)
        actions.append(.report(rejection, scope, topic: topic, count: lateCount))
        lateCount = 0
    }

    private mutating func mayReport(at now: GatewayTime) -> Bool {
        if let clockReportedAt, now.monotonic - clockReportedAt < Self.reportSeconds { return false }
        clockReportedAt = now.monotonic
        return true
    }

    // MARK: Order

    /// Whether a message that was in order until now is behind the frames released before it.
    func isBehind(_ header: FrameHeader, _ scope: SequenceScope, _ rules: IntakeRules) -> Bool {
        scope.stream?.hasRuns ?? true
            && order.clocks.read(scope) { $0.isBehind(header, step: rules.limits.clockStepSeconds) } ?? false
    }

    /// Makes the messages of `scope` that wait for earlier ones, and are behind the frames released since, wait for a run.
    mutating func doubtWaiting(_ scope: SequenceScope, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        let behind = waiting.messages.filter {
            $0.scope == scope && $0.reason == .earlierFrame && !$0.isPlace && isBehind($0.header, scope, rules)
        }
        guard !behind.isEmpty else { return }
        for entry in behind {
            noteDoubt(entry, .clockSetBack, isBySent: false, rules)
        }
        let numbers = Set(behind.map(\.number))
        waiting.awaitRun(scope, until: { $0.received.monotonic + rules.limits.bootWaitSeconds }) { numbers.contains($0.number) }
    }
}
