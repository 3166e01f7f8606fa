import Metrics
import TelemetryModel

/// One call of the pipeline for one device: a message, a change of time or policy, or the end.
///
/// The intake returns actions; `carryOut` passes them in order through check, derive and publish.
struct DeviceTurn {
    let context: PipelineContext
    let slot: DeviceSlot
    let now: GatewayTime

    var device: DeviceID { slot.device }
    var settings: PipelineSettings { _read { yield context.settings } }

    /// Whether this pipeline publishes what is derived from `stream`.
    func owns(_ stream: StreamName) -> Bool { context.owns(stream) }

    /// Whether messages of `scope` are counted by this pipeline.
    func owns(_ scope: SequenceScope) -> Bool { scope.stream.map(owns) ?? true }

    /// The checks of the device.
    var authorizer: Authorizer { slot.authorizer }

    /// The rules of the intake.
    var rules: IntakeRules {
        IntakeRules(
            now: now, limits: settings.intake, decoder: context.decoder, keepsDecoded: context.keepsDecoded,
            isStandardised: slot.policy.isStandardised,
            awaitsWorkout: awaitsWorkout, resumedAt: resumedAt,
            firesTimers: context.firesTimers, redeliveryUntil: context.redeliveryUntil)
    }

    /// Whether batches cannot be checked yet: they need a workout, and none is known.
    private var awaitsWorkout: Bool {
        slot.policy.needsSession && slot.state.boot.workouts.isEmpty && authorizer.standingRefusal(of: .batchedIMU) == nil
    }

    /// When frames before the first one became those of a gateway before this one, or of the time before an erasure; nil where they are
    /// still to come.
    var resumedAt: GatewayTime? {
        slot.erasedAt ?? context.resumption.flatMap { $0.holdsStates && !slot.hasLostOrder ? nil : $0.at }
    }

    /// What the broker may deliver again.
    var redelivery: Redelivery { context.redelivery(at: now) }

    // MARK: Stages

    /// Passes one message of the device through all stages.
    func take(_ known: KnownMessage) {
        let isOwn = known.stream.map(owns) ?? true
        if isOwn {
            context.counters.received += 1
            context.counters.receivedBytes.addSaturated(known.message.payload.count)
        }
        if refusesUnread(known) { return }
        do throws(Rejection) {
            guard let decoded = try decode(known) else { return }
            context.report(.decoded(decoded))
            if isOwn {
                context.counters.add(decoded.passedOver)
                if let refusal = decoded.passedOver.report {
                    report(refusal, topic: known.message.topic, payload: known.message.payload)
                }
                if !decoded.frames.isEmpty, let sent = decoded.header.sent { context.counters.age.observe(now.unix - sent) }
            }
            intake { intake, rules, actions in intake.take(decoded, rules, into: &actions) }
        } catch {
            reject(known.message, error, isOwn: isOwn)
            giveUpPlace(of: known)
        }
    }

    /// Runs one step of the intake, and carries out its actions.
    func intake(_ step: (inout DeviceIntake, IntakeRules, inout [IntakeAction]) -> Void) {
        var actions: [IntakeAction] = []
        let rules = rules
        step(&slot.state.intake, rules, &actions)
        var next = 0
        while next < actions.count {
            context.report(.intake(actions[next]))
            carryOut(next, of: &actions)
            next += 1
        }
    }

    private func carryOut(_ index: Int, of actions: inout [IntakeAction]) {
        switch actions[index] {
        case .timers(let limit): fireTimers(until: limit)
        case .convention(let stream): publishConvention(of: stream)
        case .bootEnded(let time, let run): endBoot(at: time, run)
        case .bootBegan(let header, let succession): beginBoot(header, succession)
        case .identityConflict: reportIdentityConflict()
        case .report(let rejection, let scope, let topic, let count):
            if owns(scope) { report(rejection, topic: topic, count: count, atOnce: Self.reportsAtOnce) }
        case .depthDoubted(let time):
            if slot.state.decisions[.submersion]?.allowed == true { deliver(.doubt(.clock, at: time), of: .submersion) }
        case .repeated(let count, let scope): if owns(scope) { context.counters.repeatedReadings.addSaturated(count) }
        case .overruled(let count, let scope):
            if owns(scope) { context.counters.ignoredReadings.add(count, of: "phonemotion") }
        case .gap(let missing): publishMissing(missing)
        case .frames(let frames, let scope, let bytes):
            process(
                frames, of: scope, bytes: bytes, isLast: !Self.hasDepths(frames) || isLast(index, of: actions),
                followedBy: &actions)
        case .early(let frames): publishEarly(frames)
        case .refused(let header, let stream, let bytes): countRefused(header, of: stream, bytes: bytes)
        case .lastWill(let time): takeLastWill(at: time)
        case .presence(let state, let time): takePresence(state, at: time)
        case .history(let frame, let bytes): takeHistory(frame, bytes: bytes)
        case .rejected(let message, let rejection): reject(message, rejection, isOwn: true)
        case .outcome(let outcome, let scope): if owns(scope) { context.counters.count(outcome, of: scope.stream) }
        }
    }

    private static func hasDepths(_ frames: [NormalizedFrame]) -> Bool { frames.contains { $0.stream == .submersion } }

    /// Whether neither an action after that at `index` has depths, nor a message that waits for an earlier one.
    private func isLast(_ index: Int, of actions: [IntakeAction]) -> Bool {
        !slot.state.intake.waiting.messages.contains { $0.isSubmersion && $0.reason == .earlierFrame }
            && !actions[(index + 1)...].contains { action in
                if case .frames(let frames, _, _) = action { Self.hasDepths(frames) } else { false }
            }
    }

    /// Decodes a message; nil when it needs no further processing.
    private func decode(_ known: KnownMessage) throws(Rejection) -> DecodedMessage? {
        let message = known.message
        let stream: StreamName
        switch known.origin {
        case .stream(let name): stream = name
        case .unknownStream: throw Rejection(.unknownStream, "no stream has that name")
        case .producer, .bridge: return try context.decoder.decode(message, stream: nil, received: now)
        }
        if message.retain, !stream.isRetained {
            intake { _, _, actions in actions.append(.outcome(.retainedIgnored, SequenceScope(stream))) }
            return nil
        }
        if message.payload.isEmpty {
            guard stream.isRetained else { throw Rejection(.emptyPayload, "the payload is empty") }
            context.report(.cleared(stream))
            stream == .status ? clearDevice() : clearWorkout()
            if owns(stream) { context.counters.count(.processed, of: stream) }
            return nil
        }
        if stream == .recordedAccelerometer, !settings.history.isStored {
            throw Rejection(.notStored, "a history is kept on disk: the gateway needs gateway.stateDirectory")
        }
        let decoded = try context.decoder.decode(message, stream: stream, received: now)
        if !decoded.frames.isEmpty { try checkAge(of: decoded.header, stream: stream) }
        return decoded
    }

    private func checkAge(of header: FrameHeader, stream: StreamName) throws(Rejection) {
        guard let limit = settings.maximumAgeSeconds, let sent = header.sent else { return }
        switch stream {
        case .status, .workout, .recordedAccelerometer, .pedometer, .movementDisorder: return
        default: break
        }
        // A wall clock that was set forward must not make frames too old.
        let age = min(now.unix, now.unix - context.clockLead) - sent
        if age > limit {
            throw Rejection(.tooOld, at: "/sent", "the frame is \(Int(exactly: age.rounded()) ?? .max) s old")
                .of(header)
        }
    }

    private func giveUpPlace(of known: KnownMessage) {
        guard let stream = known.stream,
            let header = context.decoder.header(of: known.message, stream: stream)
        else { return }
        if stream == .recordedAccelerometer { return giveUpHistoryPlace(of: header) }
        intake { intake, rules, actions in
            intake.giveUpPlace(of: header, scope: SequenceScope(stream), topic: known.message.topic, rules, into: &actions)
        }
    }
}
