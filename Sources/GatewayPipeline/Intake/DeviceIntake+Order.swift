import SignalProcessing
import TelemetryModel

/// From a message of the current boot to frames in their order.
extension DeviceIntake {
    /// Processes a message of the current boot: units, then order.
    mutating func accept(_ decoded: DecodedMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        let measured = measureConventions(of: decoded, rules)
        if !measured.isEmpty {
            for stream in measured { actions.append(.convention(stream)) }
            for held in waiting.removeAll(where: { $0.reason == .units }) { takeAgain(held, rules, into: &actions) }
        }
        guard decoded.frames.allSatisfy({ isConventionKnown($0) }) else {
            return awaitUnits(decoded, rules, into: &actions)
        }
        do throws(Rejection) {
            arrange(decoded, frames: try normalize(decoded, rules), rules, into: &actions)
        } catch {
            actions.append(.rejected(decoded.message, error.of(decoded.header)))
            giveUpPlace(of: decoded.header, scope: decoded.scope, topic: decoded.message.topic, rules, into: &actions)
        }
    }

    /// Processes a message that waited for its units, its boot or its run as if it had arrived now.
    mutating func takeAgain(_ held: WaitingMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        do throws(Rejection) {
            let decoded = try held.decoded(by: rules.decoder)
            if held.reason == .run {
                takeOfBoot(decoded, rules, into: &actions)
            } else {
                accept(decoded, rules, into: &actions)
            }
        } catch {
            actions.append(.rejected(held.message, error.of(held.header)))
        }
    }

    private mutating func awaitUnits(_ decoded: DecodedMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        observe(decoded.header, at: decoded.received)
        hold(decoded, for: .units, until: decoded.received.monotonic + rules.limits.unitsWaitSeconds, rules, into: &actions)
    }

    /// Keeps a message until what it waits for comes; where more of its scope waits than may, the oldest waits are ended.
    mutating func hold(
        _ decoded: DecodedMessage, for reason: WaitingMessage.Reason, until: Double, _ rules: IntakeRules,
        into actions: inout [IntakeAction]
    ) {
        waiting.insert(WaitingMessage(decoded, for: reason, until: until, keepsDecoded: rules.keepsDecoded))
        actions.append(.outcome(.held(reason), decoded.scope))
        while exceedsLimits(decoded.scope, reason, rules),
            let oldest = waiting.messages.firstIndex(where: { $0.reason == reason && $0.scope == decoded.scope })
        {
            endWait(at: oldest, rules, into: &actions)
        }
    }

    // MARK: Order

    private mutating func arrange(
        _ decoded: DecodedMessage, frames: [NormalizedFrame], _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        var decoded = decoded
        decoded.firstSample = firstNewSample(of: frames, decoded)
        guard let sequence = decoded.header.sequence else {
            elapse(decoded, rules, into: &actions)
            return release(decoded, frames: frames, rules, into: &actions)
        }
        let position = order.positions[decoded.scope]
        if decoded.message.retain || (position == nil && isPresumedSeen(decoded.header, rules)) {
            return takeAtOnce(decoded, frames: frames, sequence: sequence, rules, into: &actions)
        }
        let expected =
            position?.next
            ?? BootOrder.expected(before: sequence, of: decoded.scope, within: rules.limits.reorderFrames)
        guard sequence >= expected else {
            return reportLate(decoded, sequence: sequence, frames: frames, into: &actions)
        }
        guard !waits(sequence, of: decoded.scope) else { return actions.append(.outcome(.duplicate, decoded.scope)) }
        elapse(decoded, rules, into: &actions)
        guard !isNext(sequence, of: decoded.scope, expected: expected) else {
            release(decoded, frames: frames, rules, into: &actions)
            return releaseConsecutive(decoded.scope, rules, into: &actions)
        }
        let held = WaitingMessage(
            decoded, for: .earlierFrame, until: .infinity, keepsDecoded: rules.keepsDecoded)
        if rules.redelivery.showsDepthsEarly, held.isSubmersion, !frames.isEmpty {
            actions.append(.early(newSamples(of: frames)))
        }
        awaitEarlier(held, rules, into: &actions)
    }

    /// The first sample of frames that is later than those accepted; the uptime where none is. A sample that is sent again says nothing of how long
    /// its frame was under way.
    private func firstNewSample(of frames: [NormalizedFrame], _ decoded: DecodedMessage) -> DeviceTime {
        guard let start = frames.lazy.map(\.start).min() else { return decoded.header.uptime }
        // Most frames begin behind the one before.
        if order.clocks.read(decoded.scope, { start.seconds > $0.newest }) ?? true { return start }
        return newSamples(of: frames).lazy.filter { [order] frame in
            // A deeper depth of the same instant is used, and not newer.
            !frame.isRepeated
                && (frame.stream != .submersion || order.series[.submersion].map { frame.start.seconds > $0.latest } ?? true)
        }.map(\.start).min() ?? decoded.header.uptime
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

    /// Puts the `seq` of a rejected message into its order.
    mutating func arrange(
        _ place: WaitingMessage, sequence: UInt64, expected: UInt64, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        guard !isNext(sequence, of: place.scope, expected: expected) else {
            return releaseConsecutive(place.scope, rules, into: &actions)
        }
        awaitEarlier(place, rules, into: &actions)
    }

    /// Whether `sequence` is the one that is expected, in which case the one behind it is from here on.
    private mutating func isNext(_ sequence: UInt64, of scope: SequenceScope, expected: UInt64) -> Bool {
        order.positions[scope, default: .init(next: expected)].next = sequence == expected ? expected + 1 : expected
        return sequence == expected
    }

    private mutating func awaitEarlier(_ held: WaitingMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        var held = held
        held.until = rules.redelivery.end(ofWait: held.received.monotonic + rules.limits.reorderSeconds(for: held.scope))
        waiting.insert(held)
        if !held.isPlace { actions.append(.outcome(.held(.earlierFrame), held.scope)) }
        while exceedsLimits(held.scope, .earlierFrame, rules) { giveUpLowestGap(held.scope, rules, into: &actions) }
    }

    /// Processes a frame that waits for nothing: a retained one is the latest of its kind by definition, and those before the
    /// first one of a resumed session were presumably processed before.
    private mutating func takeAtOnce(
        _ decoded: DecodedMessage, frames: [NormalizedFrame], sequence: UInt64, _ rules: IntakeRules,
        into actions: inout [IntakeAction]
    ) {
        let position = order.positions[decoded.scope]
        guard sequence >= position?.next ?? 0 else { return actions.append(.outcome(.duplicate, decoded.scope)) }
        elapse(decoded, rules, into: &actions)
        let overtaken = waiting.removeAll {
            $0.scope == decoded.scope && $0.reason == .earlierFrame && ($0.header.sequence ?? 0) <= sequence
        }
        for held in overtaken where !held.isPlace { actions.append(.outcome(.duplicate, held.scope)) }
        var passed = position ?? .init(next: 0, presumedBefore: decoded.message.retain ? nil : sequence)
        passed.next = sequence + 1
        order.positions[decoded.scope] = passed
        release(decoded, frames: frames, rules, into: &actions)
        releaseConsecutive(decoded.scope, rules, into: &actions)
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
        _ decoded: DecodedMessage, sequence: UInt64, frames: [NormalizedFrame], into actions: inout [IntakeAction]
    ) {
        guard let position = order.positions[decoded.scope], let presumed = position.presumedBefore, sequence < presumed,
            sequence >= position.presumedFrom ?? 0
        else {
            return actions.append(.outcome(.duplicate, decoded.scope))
        }
        order.positions[decoded.scope]?.presumedFrom = sequence + 1
        actions.append(
            .gap(
                missing(first: sequence, count: 1, before: decoded.header, at: decoded.firstSample, of: decoded.scope, [], frames)
            ))
        actions.append(.outcome(.late, decoded.scope))
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
    private mutating func elapse(_ decoded: DecodedMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        if rules.firesTimers, let limit = timerLimit(rules) {
            actions.append(.timers(limit.before(max(0, decoded.header.uptime - decoded.firstSample))))
        }
        // A command may have the clock of its sender.
        guard decoded.scope.stream?.hasRuns ?? true || clock.estimate(at: rules.now) == nil else { return }
        observe(decoded.header, at: decoded.received)
    }

    // MARK: Normalization

    func normalize(_ decoded: DecodedMessage, _ rules: IntakeRules) throws(Rejection) -> [NormalizedFrame] {
        var clock = order.clock
        clock.observe(decoded.header, at: decoded.received)
        var frames: [NormalizedFrame] = []
        frames.reserveCapacity(decoded.frames.count)
        for frame in decoded.frames where !isOverruled(frame) {
            frames.append(
                try NormalizedFrame(
                    frame, of: decoded, clock: clock, conventions: order.conventions,
                    futureSkewSeconds: rules.limits.futureSkewSeconds))
        }
        if decoded.scope.stream == .command { bound(&frames, receivedAt: decoded.received, rules) }
        return frames
    }

    /// Has commands with the clock of their sender, which is ahead of the device's, take effect on arrival: timers run up to a
    /// frame, and counts begin with a command. A queued one of the device may be ahead of its other frames, but not of the time.
    private func bound(_ commands: inout [NormalizedFrame], receivedAt arrival: GatewayTime, _ rules: IntakeRules) {
        guard let now = order.clock.estimate(at: arrival), let offset = order.clock.latestOffset else { return }
        let latest = max(now, DeviceTime(arrival.unix.seconds - offset)) + rules.limits.clockStepSeconds
        for index in commands.indices where commands[index].header.uptime > latest {
            commands[index].header.uptime = now
            commands[index].offset = offset
        }
    }

    // MARK: Units

    /// Measures the units of motion whose producer does not state them; returns the streams whose units were decided.
    private mutating func measureConventions(of decoded: DecodedMessage, _ rules: IntakeRules) -> [StreamName] {
        var measured: [StreamName] = []
        for frame in decoded.frames {
            guard case .motion(let motion) = frame, case .measured(let accelerationIsInUnitOfGravity) = motion.convention,
                !isOverruled(frame)
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

    private func isConventionKnown(_ frame: DecodedBody) -> Bool {
        guard case .motion(let motion) = frame, case .measured = motion.convention, !isOverruled(frame) else { return true }
        return order.conventions[motion.stream]?.converts(motion) ?? false
    }

    /// Whether a frame is raw motion of a device beside one that fuses its own.
    private func isOverruled(_ frame: DecodedBody) -> Bool {
        guard case .motion(let motion) = frame else { return false }
        return order.conventions[motion.stream]?.overrules(motion) ?? false
    }

    /// How many samples of a message are left out because a device beside theirs fuses its own.
    func overruledCount(of decoded: DecodedMessage) -> Int {
        decoded.frames.reduce(0) { count, frame in
            guard case .motion(let motion) = frame, isOverruled(frame) else { return count }
            return count + motion.samples.count
        }
    }
}
