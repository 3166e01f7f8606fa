import TelemetryModel

/// Changes of the boot.
extension DeviceIntake {
    /// Leaves the boot before, if there was one, and enters that of `header`; its messages that waited for this are processed.
    mutating func enter(_ header: FrameHeader, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        let left = boots.isOfPresence ? nil : boots.current
        let succession: IntakeAction.Succession =
            left == nil ? (boots.current == nil ? .first : .afterPresence) : displaced?.boot == header.boot ? .returned : .reboot
        if let left {
            leave(endsRun: nil, rules, into: &actions)
            let before = displaced
            displaced = Displaced(boot: left, order: order)
            order = before?.boot == header.boot ? before?.order ?? BootOrder() : BootOrder()
        } else {
            order = BootOrder()
        }
        let isConflict = boots.enter(header.boot, at: rules.now.monotonic)
        actions.append(.bootBegan(header, succession))
        if isConflict { actions.append(.identityConflict) }
        takeBackPlaces(of: header.boot, rules, into: &actions)
        for held in waiting.removeAll(where: { $0.reason == .boot && $0.header.boot == header.boot }) {
            takeAgain(held, rules, into: &actions)
        }
    }

    /// Gives up the `seq` of rejected frames of a boot that is the current one now.
    mutating func takeBackPlaces(of boot: BootID, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        let places = placesAhead.filter { $0.header.boot == boot }
        placesAhead.removeAll { $0.header.boot == boot }
        for place in places {
            giveUpPlace(of: place.header, scope: place.scope, topic: place.topic, rules, into: &actions)
        }
    }

    /// Ends the current boot, or with `endsRun` a run of it: what waits for the next run then goes on waiting.
    mutating func leave(endsRun cause: RunCause?, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        while let index = waiting.firstDue(at: rules.now.monotonic, .all),
            ![.boot, .run].contains(waiting.messages[index].reason)
        {
            endWait(at: index, rules, into: &actions)
        }
        if let limit = timerLimit(rules) { actions.append(.timers(limit)) }
        if cause == nil { endAllWaits(rules, into: &actions) } else { endAllWaitsOfRun(rules, into: &actions) }
        actions.append(.bootEnded(at: clock.estimate(at: rules.now) ?? DeviceTime(0), run: cause))
    }

    /// Keeps a message of a boot whose wall clock is behind the current one's.
    mutating func awaitBoot(_ decoded: DecodedMessage, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        if let replaced = boots.noteCandidate(decoded.header) {
            for held in waiting.removeAll(where: { $0.reason == .boot && $0.header.boot == replaced }) {
                actions.append(.outcome(.late, held.scope))
            }
        }
        hold(decoded, for: .boot, until: rules.now.monotonic + rules.limits.bootWaitSeconds, rules, into: &actions)
        if let next = promotion(rules.limits), next.at <= rules.now.monotonic { promote(next.boot, rules, into: &actions) }
    }

    /// The boot that becomes current by the silence of the one before, and when.
    func promotion(_ limits: IntakeLimits) -> (boot: BootID, at: Double)? {
        boots.promotion(afterSilence: limits.bootSilenceSeconds)
    }

    mutating func promote(_ boot: BootID, _ rules: IntakeRules, into actions: inout [IntakeAction]) {
        guard let first = waiting.messages.first(where: { $0.reason == .boot && $0.header.boot == boot }) else {
            boots.removeCandidate()
            return
        }
        enter(first.header, rules, into: &actions)
    }
}
