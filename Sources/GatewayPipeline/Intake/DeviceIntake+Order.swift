import SignalProcessing
import TelemetryModel

/// From a message of the current boot to frames in their order.
extension DeviceIntake {
    /// Processes a message of the current boot: units, then order.
    mutating func accept(
        _ decoded: DecodedMessage, _ entry: WaitingMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        let measured = measureConventions(of: decoded, rules)
        if !measured.isEmpty {
            for stream in measured { actions.append(.convention(stream)) }
            for held in waiting.removeAll(where: { $0.reason == .units }) { takeAgain(held, rules, into: &actions) }
        }
        guard decoded.frames.allSatisfy({ isConventionKnown($0) }) else {
            return awaitUnits(entry, rules, into: &actions)
        }
        do throws(Rejection) {
            let frames = try normalize(decoded, received: entry.received, rules)
            arrange(entry, frames: frames, rules, into: &actions)
        } catch {
            actions.append(.rejected(entry.message, error.of(entry.header)))
            giveUpPlace(of: entry.header, scope: entry.scope, entry.message, rules, into: &actions)
        }
    }

    /// Decodes a message that waited for its units or its boot, and processes it as if it had arrived now.
    mutating func takeAgain(_ held: WaitingMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        do throws(Rejection) {
            let decoded = try rules.reader.read(held.message, scope: held.scope, received: held.received)
            var entry = held
            entry.reason = .earlierFrame
            if held.reason == .run {
                takeOfBoot(decoded, entry, rules, into: &actions)
            } else {
                accept(decoded, entry, rules, into: &actions)
            }
        } catch {
            actions.append(.rejected(held.message, error.of(held.header)))
        }
    }

    private mutating func awaitUnits(
        _ entry: WaitingMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        observe(entry.header, at: entry.received)
        var entry = entry
        entry.reason = .units
        entry.until = entry.received.monotonic + rules.limits.unitsWaitSeconds
        waiting.insert(entry)
        actions.append(.outcome(.held(.units), entry.scope))
        while exceedsLimits(entry.scope, .units, rules),
            let oldest = waiting.messages.firstIndex(where: { $0.reason == .units && $0.scope == entry.scope })
        {
            endWait(at: oldest, rules, into: &actions)
        }
    }

    // MARK: Order

    private mutating func arrange(
        _ entry: WaitingMessage, frames: [NormalizedFrame], _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        var entry = entry
        entry.firstSample = firstNewSample(of: frames, entry)
        guard let sequence = entry.header.sequence else {
            elapse(entry, rules, into: &actions)
            return release(entry, frames: frames, rules, into: &actions)
        }
        let position = order.positions[entry.scope]
        if entry.message.retain || (position == nil && isPresumedSeen(entry.header, rules)) {
            return takeAtOnce(entry, frames: frames, sequence: sequence, rules, into: &actions)
        }
        let expected =
            position?.next
            ?? BootOrder.expected(before: sequence, of: entry.scope, within: rules.limits.reorderFrames)
        guard sequence >= expected else {
            return reportLate(entry, sequence: sequence, frames: frames, into: &actions)
        }
        guard !waits(sequence, of: entry.scope) else { return actions.append(.outcome(.duplicate, entry.scope)) }
        elapse(entry, rules, into: &actions)
        arrange(entry, frames: frames, sequence: sequence, expected: expected, rules, into: &actions)
    }

    /// The first sample of frames that is later than those accepted; the uptime where none is. A sample that is sent again says nothing of how long
    /// its frame was under way.
    private func firstNewSample(of frames: [NormalizedFrame], _ entry: WaitingMessage) -> DeviceTime {
        guard let start = frames.lazy.map(\.start).min() else { return entry.header.uptime }
        // Most frames begin behind the one before.
        if order.clocks.read(entry.scope, { start.seconds > $0.newest }) ?? true { return start }
        return newSamples(of: frames).lazy.filter { [order] frame in
            // A deeper depth of the same instant is used, and not newer.
            !frame.isRepeated
                && (frame.stream != .submersion || order.series[.submersion].map { frame.start.seconds > $0.latest } ?? true)
        }.map(\.start).min() ?? entry.header.uptime
    }

    /// The frames without the samples that are not later than those accepted.
    func newSamples(of frames: [NormalizedFrame]) -> [NormalizedFrame] {
        var (series, frames) = (order.series, frames)
        _ = series.acceptSamples(of: &frames)
        return frames
    }

    /// Whether a message of `scope`, or the `seq` of a rejected one, waits for an earlier one.
    func waits(_ sequence: UInt64, of scope: SequenceScope) -> Bool {
        waiting.messages.contains {
            $0.scope == scope && $0.reason == .earlierFrame && $0.header.sequence == sequence
        }
    }

    /// Puts a message, or the `seq` of a rejected one, into its order.
    mutating func arrange(
        _ entry: WaitingMessage, frames: [NormalizedFrame], sequence: UInt64, expected: UInt64, _ rules: IntakeRules,
        into actions: inout [IntakeAction]
    ) {
        let scope = entry.scope
        order.positions[scope, default: .init(next: expected)].next = sequence == expected ? expected + 1 : expected
        if sequence == expected {
            release(entry, frames: frames, rules, into: &actions)
            return releaseConsecutive(scope, rules, into: &actions)
        }
        var entry = entry
        entry.reason = .earlierFrame
        entry.until = entry.received.monotonic + rules.limits.reorderSeconds(for: scope)
        if rules.awaitsRedelivery, let until = rules.redeliveryUntil {
            entry.until = max(entry.until, until)
            if entry.isSubmersion, !frames.isEmpty { actions.append(.early(newSamples(of: frames))) }
        }
        waiting.insert(entry)
        if !entry.isPlace { actions.append(.outcome(.held(.earlierFrame), scope)) }
        while exceedsLimits(scope, .earlierFrame, rules) { giveUpLowestGap(scope, rules, into: &actions) }
    }

    /// Processes a frame that waits for nothing: a retained one is the latest of its kind by definition, and those before the
    /// first one of a resumed session were presumably processed before.
    private mutating func takeAtOnce(
        _ entry: WaitingMessage, frames: [NormalizedFrame], sequence: UInt64, _ rules: IntakeRules,
        into actions: inout [IntakeAction]
    ) {
        let position = order.positions[entry.scope]
        guard sequence >= position?.next ?? 0 else { return actions.append(.outcome(.duplicate, entry.scope)) }
        elapse(entry, rules, into: &actions)
        let overtaken = waiting.removeAll {
            $0.scope == entry.scope && $0.reason == .earlierFrame && ($0.header.sequence ?? 0) <= sequence
        }
        for held in overtaken where !held.isPlace { actions.append(.outcome(.duplicate, held.scope)) }
        var passed = position ?? .init(next: 0, presumedBefore: entry.message.retain ? nil : sequence)
        passed.next = sequence + 1
        order.positions[entry.scope] = passed
        release(entry, frames: frames, rules, into: &actions)
        releaseConsecutive(entry.scope, rules, into: &actions)
    }

    /// Takes the place in the order of a message of `stream`, of so many bytes, that is refused without being read. It waits for nothing; what it overtakes is
    /// refused with it. A message of another boot than the current one has no place yet.
    mutating func refuse(
        _ header: FrameHeader, of stream: StreamName, bytes: Int, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        let scope = SequenceScope(stream)
        let refused = IntakeAction.refused(header, stream, bytes: bytes)
        switch boots.standing(of: header, isRetained: false) {
        case .late: return actions.append(.outcome(.late, scope))
        case .candidate, .new, .returning: return actions.append(refused)
        case .current: break
        }
        guard let sequence = header.sequence else { return actions.append(refused) }
        let position = order.positions[scope]
        guard sequence >= position?.next ?? 0 else { return actions.append(.outcome(.duplicate, scope)) }
        observe(header, at: rules.now)
        let overtaken = waiting.removeAll {
            $0.scope == scope && $0.reason == .earlierFrame && ($0.header.sequence ?? 0) <= sequence
        }
        for held in overtaken where !held.isPlace {
            actions.append(
                held.header.sequence == sequence
                    ? .outcome(.duplicate, scope) : .refused(held.header, stream, bytes: held.message.payload.count))
        }
        order.positions[scope, default: .init(next: 0)].next = sequence + 1
        actions.append(refused)
        releaseConsecutive(scope, rules, into: &actions)
    }

    /// Reports a frame behind the expected `seq`: a duplicate, or one that was presumed to be processed by a gateway before this
    /// one, and is reported as missing.
    private mutating func reportLate(
        _ entry: WaitingMessage, sequence: UInt64, frames: [NormalizedFrame], into actions: inout [IntakeAction]
    ) {
        guard let position = order.positions[entry.scope], let presumed = position.presumedBefore, sequence < presumed,
            sequence >= position.presumedFrom ?? 0
        else {
            return actions.append(.outcome(.duplicate, entry.scope))
        }
        order.positions[entry.scope]?.presumedFrom = sequence + 1
        actions.append(.gap(missing(first: sequence, count: 1, before: entry, frames)))
        actions.append(.outcome(.late, entry.scope))
    }

    /// Whether a gateway before this one will have processed the frames before this one: its session was resumed recently, there
    /// is no other state of the device, and the boot is older than that.
    private func isPresumedSeen(_ header: FrameHeader, _ rules: IntakeRules) -> Bool {
        guard let resumedAt = rules.resumedAt, !boots.hasHistory else { return false }
        var clock = order.clock
        clock.observe(header, at: rules.now)
        return clock.offset(for: header) < resumedAt.unix.seconds
            && rules.now.monotonic - resumedAt.monotonic < rules.limits.resumptionSeconds
    }

    /// Advances the device's time by an accepted frame: timers that were overdue when it arrived fire first, less its own length
    /// and delay. Live, timers also fire between frames; in a replay only when a line is read. While timers are paused only those
    /// fire that the frame's own samples show to be due.
    private mutating func elapse(_ entry: WaitingMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        if rules.firesTimers, let limit = timerLimit(rules) {
            actions.append(.timers(limit.before(max(0, entry.header.uptime - entry.firstSample))))
        }
        observe(entry.header, at: entry.received)
    }

    // MARK: Normalization

    func normalize(
        _ decoded: DecodedMessage, received: GatewayTime, _ rules: IntakeRules
    ) throws(Rejection) -> [NormalizedFrame] {
        var clock = order.clock
        clock.observe(decoded.header, at: received)
        return try decoded.frames.map { frame throws(Rejection) in
            try NormalizedFrame(
                frame, stream: frame.body.stream, clock: clock, conventions: order.conventions,
                futureSkewSeconds: rules.limits.futureSkewSeconds, received: received)
        }
    }

    // MARK: Units

    /// Measures the units of motion whose producer does not state them; returns the streams whose units were decided.
    private mutating func measureConventions(of decoded: DecodedMessage, _ rules: IntakeRules) -> [StreamName] {
        var measured: [StreamName] = []
        for frame in decoded.frames {
            guard case .motion(let motion) = frame.body, case .measured(let accelerationIsInUnitOfGravity) = motion.convention
            else { continue }
            let isDecided =
                order.conventions[motion.stream, default: ConventionTrack()]
                .measure(
                    motion.samples, accelerationIsInUnitOfGravity: accelerationIsInUnitOfGravity,
                    isStandardised: rules.isStandardised)
            if isDecided { measured.append(motion.stream) }
        }
        return measured
    }

    private func isConventionKnown(_ frame: DecodedFrame) -> Bool {
        guard case .motion(let motion) = frame.body, case .measured = motion.convention else { return true }
        return order.conventions[motion.stream]?.convention != nil
    }
}
