package import TelemetryModel

/// The order of one device's messages: boots, `seq`, clocks, and waiting messages.
///
/// A pure state machine. Its input is a decoded message or the time, its output a list of actions in order. It never checks,
/// derives or publishes. Waiting messages are kept as they arrived; all but small depth frames are decoded again when their wait ends.
package struct DeviceIntake: Sendable, Equatable, Codable {
    /// The known boots.
    package internal(set) var boots = BootHistory()
    /// The messages that wait.
    package internal(set) var waiting = WaitingMessages()
    var order = BootOrder()
    /// The boot that the current one displaced, whose order continues if the device returns to it.
    var displaced: Displaced?
    /// The `seq` of rejected frames of boots that are not known yet.
    var placesAhead: [PlaceAhead] = []
    /// The scopes whose frames may be of a new run of the boot.
    var doubts: [RunDoubt] = []
    /// Messages that were late since that was reported last.
    var lateCount = 0
    /// When messages that are late, or a clock that seems to be in milliseconds, were reported last, on the gateway's monotonic clock.
    var clockReportedAt: Double?

    struct Displaced: Sendable, Equatable, Codable {
        var boot: BootID
        var order: BootOrder
    }

    struct PlaceAhead: Sendable, Equatable, Codable {
        var header: FrameHeader
        var scope: SequenceScope
        var topic: String
    }

    private static let mostPlacesAhead = 16

    /// The device's clock in the current boot.
    package var clock: DeviceClock { order.clock }

    /// The units and signs of a motion stream, once measured.
    package func convention(of stream: StreamName) -> ConventionTrack? { order.conventions[stream] }

    /// Whether a message with a `seq` was received in the current boot.
    package var hasOrder: Bool { !order.positions.isEmpty }

    /// Up to which `seq` of `scope` everything was processed or given up; nil before the first.
    package func committed(_ scope: SequenceScope) -> UInt64? {
        order.positions[scope].flatMap { $0.next > 0 ? $0.next - 1 : nil }
    }

    /// How many runs of the current boot have ended in this lane.
    var endedRuns: Int { order.endedRuns }

    /// Why the last one did; nil where none has.
    var endedBy: RunCause? { order.endedBy }

    /// The scopes with a `seq` in the current boot.
    package var scopes: some Collection<SequenceScope> { order.positions.keys }

    // MARK: A message

    /// Processes one decoded message.
    package mutating func take(_ decoded: DecodedMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        let scope = decoded.scope
        switch decoded.content {
        case .lastWill: return takeLastWill(decoded, rules, into: &actions)
        case .presence(let state): return takePresence(state, decoded, rules, into: &actions)
        case .frames(let frames):
            // A message without frames and without a `seq` changes nothing, not even the boot.
            guard !frames.isEmpty || decoded.header.sequence != nil else { return actions.append(.outcome(.processed, scope)) }
        }
        guard !decoded.message.retain || scope.stream?.isRetained == true else {
            return actions.append(.outcome(.retainedIgnored, scope))
        }
        if scope.stream == .recordedAccelerometer { return takeHistory(decoded, rules, into: &actions) }
        switch boots.standing(of: decoded.header, isRetained: decoded.message.retain) {
        case .current: break
        case .late: return actions.append(.outcome(.late, scope))
        case .candidate: return awaitBoot(decoded, rules, into: &actions)
        case .new, .returning: enter(decoded.header, rules, into: &actions)
        }
        takeOfBoot(decoded, rules, into: &actions)
    }

    /// Records that a message whose header could be read was rejected: its `seq` is given up, so that later frames do not wait
    /// for it. It advances the order by no more than the number of frames that may wait.
    package mutating func giveUpPlace(
        of header: FrameHeader, scope: SequenceScope, topic: String, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        guard let sequence = header.sequence else { return }
        guard header.boot == boots.current, !isBehind(header, scope, rules) else {
            placesAhead.append(PlaceAhead(header: header, scope: scope, topic: topic))
            if placesAhead.count > Self.mostPlacesAhead { placesAhead.removeFirst() }
            return
        }
        let expected =
            order.positions[scope]?.next
            ?? BootOrder.expected(before: sequence, of: scope, within: rules.limits.reorderFrames)
        let ahead = rules.redelivery.places(rules.limits, waiting: waiting.load(of: scope, .earlierFrame).count)
        guard sequence >= expected, sequence - expected < UInt64(ahead), !waits(sequence, of: scope) else { return }
        let place = WaitingMessage(
            placeOf: header, scope: scope, topic: topic, streams: scope.stream.map { [$0] } ?? [], firstSample: header.uptime,
            received: rules.now)
        arrange(place, sequence: sequence, expected: expected, rules, into: &actions)
    }

    /// Passes on a frame of the recorded history: it enters no boot, waits for nothing and shows nothing of the device's clock, as its
    /// samples may be of any boot of the last days.
    private func takeHistory(
        _ decoded: DecodedMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        var clock = DeviceClock()
        clock.observe(decoded.header, at: rules.now)
        do throws(Rejection) {
            for frame in decoded.frames {
                actions.append(
                    .history(
                        try NormalizedFrame(
                            frame, of: decoded, clock: clock, conventions: [:],
                            futureSkewSeconds: rules.limits.futureSkewSeconds),
                        bytes: decoded.message.payload.count))
            }
        } catch {
            actions.append(.rejected(decoded.message, error.of(decoded.header)))
        }
    }

    private mutating func takeLastWill(
        _ decoded: DecodedMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        guard decoded.header.boot == boots.current else { return actions.append(.outcome(.late, decoded.scope)) }
        if rules.redelivery.endsWithLastWill { endAllWaits(rules, into: &actions) }
        actions.append(.lastWill(at: clock.estimate(at: rules.now) ?? DeviceTime(0)))
        actions.append(.outcome(.processed, decoded.scope))
    }

    private mutating func takePresence(
        _ state: DeviceStatus.State, _ decoded: DecodedMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        if boots.current == nil {
            enter(decoded.header, rules, into: &actions)
            observe(decoded.header, at: rules.now)
        }
        actions.append(.presence(state, at: clock.estimate(at: rules.now) ?? decoded.header.uptime))
        actions.append(.outcome(.processed, decoded.scope))
    }

    /// Records a frame that another intake of the device has accepted, while this one has received no frame with a `seq`, or none since a run
    /// ended.
    package mutating func follow(_ header: FrameHeader, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        guard !hasOrder || order.endedRuns > 0 else { return }
        guard !hasOrder else {
            let isSilent = order.clocks.values.allSatisfy { $0.first == nil }
            if isSilent, header.boot == boots.current { observe(header, at: rules.now) }
            return
        }
        switch boots.standing(of: header, isRetained: false) {
        case .current: break
        case .late, .candidate: return
        case .new, .returning: enter(header, rules, into: &actions)
        }
        // Frames of its own tell the clock.
        if order.clocks.values.allSatisfy({ $0.first == nil }) { observe(header, at: rules.now) }
    }

    /// Ends the runs of the boot of `header` that have ended in another intake of the device, where no frame goes on here with the clock
    /// before: a stream whose frames do tells this intake itself.
    package mutating func follow(
        _ header: FrameHeader, endedRuns: Int, by cause: RunCause, _ rules: IntakeRules, into actions: inout [IntakeAction]
    ) {
        let since = rules.now.monotonic - rules.limits.runSilence(interval: 0)
        guard header.boot == boots.current, endedRuns > order.endedRuns,
            !order.clocks.lazy.contains(where: { $0.value.latest.arrival > since })
        else { return }
        endRun(cause, isBySent: false, header, rules, into: &actions)
        order.endedRuns = endedRuns
    }

    // MARK: Time

    /// Ends the waits that are over.
    package mutating func advance(
        _ rules: IntakeRules, _ expiring: WaitExpiry = .all, into actions: inout [IntakeAction]
    ) {
        if expiring != .none, let next = promotion(rules.limits), next.at <= rules.now.monotonic {
            promote(next.boot, rules, into: &actions)
        }
        if expiring != .none, !doubts.isEmpty, let doubt = dueDoubt(rules) { end(doubt, rules, into: &actions) }
        while let index = waiting.firstDue(at: rules.now.monotonic, expiring) {
            endWait(at: index, rules, into: &actions)
        }
    }

    /// The limit up to which timers may fire; nil before the first frame.
    func timerLimit(_ rules: IntakeRules) -> TimerLimit? {
        TimerLimit(order.clock, WaitingStreams(waiting), at: rules.now, rules.redelivery)
    }

    /// Extends every wait: for `seconds` nothing could be read.
    package mutating func postponeWaits(by seconds: Double) {
        waiting.postpone(by: seconds)
        boots.shiftMonotonic(by: seconds)
        for index in doubts.indices { doubts[index].shiftMonotonic(by: seconds) }
    }

    /// Extends the waits for earlier frames to `monotonic`.
    mutating func awaitRedelivery(until monotonic: Double) { waiting.extend(.earlierFrame, to: monotonic) }

    /// Moves every instant of the gateway's monotonic clock by `seconds`: that clock restarts with the machine.
    package mutating func shiftMonotonic(by seconds: Double) {
        order.shiftMonotonic(by: seconds)
        displaced?.order.shiftMonotonic(by: seconds)
        for index in doubts.indices { doubts[index].shiftMonotonic(by: seconds) }
        clockReportedAt? += seconds
        waiting.shiftMonotonic(by: seconds)
        boots.shiftMonotonic(by: seconds)
    }

    // MARK: Clocks

    /// Records the clocks of an accepted frame that arrived at `now`.
    mutating func observe(_ header: FrameHeader, at now: GatewayTime) {
        order.clock.observe(header, at: now)
        boots.note(header, offset: order.clock.offset(for: header), at: now)
    }
}
