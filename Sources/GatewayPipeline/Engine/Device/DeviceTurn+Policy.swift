import TelemetryModel

/// What the operator changes, and what is not certain while the gateway starts or stops.
extension DeviceTurn {
    /// Repeats the decision on every stream decided before: the operator's policy or the device's own report has changed.
    func reconsider() {
        for (stream, decision) in slot.state.decisions.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if let refusal = authorizer.standingRefusal(of: stream) {
                decide(stream, refusal.reason, refusal.code, on: nil)
            } else if stream == .submersion, slot.state.access.depthRefusal != nil {
                continue
            } else if decision.reason != .allowed, decision.reason != .notInSession, decision.reason != .overBudget {
                decide(stream, .allowed, nil, on: nil)
            }
        }
    }

    /// Revokes the device: its state is dropped and its retained topics are cleared.
    func revoke() {
        for held in slot.state.intake.waiting.messages where !held.isPlace && owns(held.scope) {
            context.counters[held.scope.stream].refused[.unknownDevice, default: 0] += 1
        }
        for stream in slot.state.decisions.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            decide(stream, .unknownDevice, nil, on: nil)
        }
        clearRetained { _ in true }
        clearCommitted()
    }

    /// Ends the device's waits, and clears its retained topics: everything of it is about to be erased.
    func endBeforeErasure() {
        intake { intake, rules, actions in intake.endAllWaitsOfAllBoots(rules, into: &actions) }
        clearRetained { _ in true }
        clearCommitted()
    }

    /// Applies a changed policy.
    func apply(_ changed: DevicePolicy) {
        let withdrawn = slot.policy.consents.subtracting(changed.consents)
        slot.policy = changed
        reconsider()
        eraseMessages(needing: withdrawn)
        guard changed.authorization == .denied || changed.authorization == .restricted else { return }
        // Waiting messages are checked by the new policy, and refused.
        intake { intake, rules, actions in intake.endAllWaitsOfAllBoots(rules, into: &actions) }
        clearRetained { !isOnAccess($0) }
        var fresh = DeviceState()
        fresh.boot.derivations = alarms(where: isOnAccess)
        fresh.retained = slot.state.retained
        fresh.intake.boots = slot.state.intake.boots
        fresh.intake.order.clock = slot.state.intake.order.clock
        fresh.boot.id = slot.state.boot.id
        fresh.decisions = slot.state.decisions
        fresh.budgets = slot.state.budgets
        // Of streams that are refused nothing is missing.
        fresh.budgets.gaps = nil
        if !changed.isRevoked { fresh.keepHistory(of: slot.state) }
        slot.replaceState(by: fresh)
        if changed.isRevoked { eraseHistory() }
    }

    /// Erases what is kept of kinds that need these consents, which are not given any more: messages, and the states of what derives them.
    func eraseMessages(needing consents: Set<Consent>) {
        let kinds = Set(consents.flatMap(\.kinds))
        guard !kinds.isEmpty else { return }
        let alarms = eraseAlarms(about: kinds)
        clearRetained(where: kinds.contains)
        slot.dropEvents(of: kinds.union(alarms))
        func isErased(_ declaration: DerivationDeclaration) -> Bool {
            declaration.kinds.allSatisfy { kinds.contains($0.name) }
        }
        slot.state.boot.derivations.removeStates(where: isErased)
        slot.state.displaced?.derivations.removeStates(where: isErased)
        context.eraseMessages(of: kinds.union(alarms), of: device)
    }

    /// Erases the same of a restored device, if anything was published of them: the registry may have changed while the gateway did not run.
    func eraseWithheldMessages() {
        let withheld = Consent.allCases.filter { !slot.policy.consents.contains($0) }
        eraseMessages(
            needing: Set(withheld.filter { $0.kinds.contains { slot.state.latest[kind: $0] != nil || isAlarmed(about: $0) } }))
    }

    // MARK: Starts and stops

    /// Publishes what is not certain while the gateway starts or stops, or hands the device over, but nothing of streams that are refused.
    /// `isForgotten` when a gateway before this one may have had states of the device that this one has not.
    func announce(changesOwner: Bool, isForgotten: Bool) {
        for index in context.settings.derive.running {
            let configured = context.settings.derive.configured[index]
            let streams = configured.declaration.homeStreams
            let state = slot.state.boot.derivations[index]
            // A device that never sent anything has no state that could be in doubt.
            let isLost = isForgotten || slot.state.hasLostDepth || streams.contains { slot.state.boot.histories[$0] != nil }
            guard state != nil || isLost, streams.contains(where: owns), streams.contains(where: mayBeUsed),
                let body = configured.announcement(of: state, facts: facts, changesOwner: changesOwner)
            else { continue }
            publishPolicyChange(
                body, of: stream(of: configured), quality: .stale, version: configured.declaration.version)
        }
    }

    /// Whether nothing refuses `stream`: neither the policy nor what the device itself reported.
    private func mayBeUsed(_ stream: StreamName) -> Bool {
        authorizer.standingRefusal(of: stream) == nil && slot.state.decisions[stream]?.allowed != false
    }

    /// Continues with a restored state: decisions are repeated, and the retained topics of derivations that no longer run are
    /// cleared.
    func continueRestored() {
        reconsider()
        if slot.policy.isRevoked { eraseHistory() }
        eraseWithheldMessages()
        clearRetained(where: context.settings.derive.isSwitchedOff)
        endAlarmsWithoutRule()
        reportKnownKinds()
    }
}
