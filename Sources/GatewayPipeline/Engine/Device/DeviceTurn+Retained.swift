import TelemetryModel

/// What the broker retains of a device, and the states that wait until they may be published.
extension DeviceTurn {
    /// Clears the retained topics of the kinds for which `condition` is true, and drops the latest messages of such kinds.
    func clearRetained(where condition: (String) -> Bool) {
        for kind in slot.state.latest.kinds where condition(kind) { slot.state.latest[kind: kind] = nil }
        for kind in slot.state.retained.kinds where condition(kind) { clearRetained(kind) }
    }

    func clearRetained(_ kind: String) {
        context.messages.append(context.encoder.clearing(kind, of: device))
        slot.state.retained[kind: kind] = nil
        context.fleet.clear(kind, of: device)
    }

    /// Clears the retained `committed` messages.
    func clearCommitted() {
        if !slot.state.history.orders.isEmpty, owns(.recordedAccelerometer) {
            context.messages.append(
                context.encoder.clearing(OutboundEncoder.committedKind(.recordedAccelerometer), of: device))
        }
        guard settings.publishesCommitted else { return }
        for stream in slot.state.intake.scopes.compactMap(\.stream).sorted(by: { $0.rawValue < $1.rawValue }) where owns(stream) {
            context.messages.append(context.encoder.clearing(OutboundEncoder.committedKind(stream), of: device))
        }
    }

    /// Publishes every retained message that is still valid again: the broker has lost them.
    func restoreRetained() {
        for kind in slot.state.retained.kinds {
            guard let value = slot.state.retained[kind: kind] else { continue }
            if let message = context.encoder.restoring(kind, value, of: device, at: now.unix) { context.messages.append(message) }
        }
    }

    /// Reports a kind of the device, unless it was reported before.
    func reportKind(_ kind: String) {
        guard slot.reportedKinds.insert(kind).inserted else { return }
        context.kindReports.append(.derived(kind: kind, device: device, model: slot.state.status?.model))
    }

    /// Reports the kinds of a restored device that are retained, and those that were reported before the device's model changed.
    func reportKnownKinds() {
        guard settings.reportsKinds else { return }
        let kinds = slot.reportedKinds.union(slot.state.retained.kinds)
        slot.reportedKinds = []
        for kind in kinds.sorted() { reportKind(kind) }
    }

    // MARK: Waiting

    /// Keeps a state until it may be published, in place of one that waits.
    func hold(_ value: RetainedValue, _ derived: DerivedMessage) {
        let kind = derived.event.body.path
        if slot.state.retained.heldKinds.contains(kind) { countOverLimit(derived) }
        context.fleet.note(derived.event.body, of: device)
        var value = value
        value.held = HeldMessage(at: derived.at, id: derived.id, isKept: derived.event.body.isKept)
        slot.state.retained[kind: kind] = value
    }

    /// Keeps a message for the query `events`, unless nothing is stored of the device.
    func keep(_ event: StoredEvent) {
        if context.history.isStored, !slot.policy.isRevoked { slot.add(event) }
    }

    private func publishHeldStates(all: Bool) {
        for kind in slot.state.retained.heldKinds {
            guard var value = slot.state.retained[kind: kind], let held = value.held else { continue }
            let next = EvenPace.messages.next(after: slot.state.budgets.messages?[kind], at: now.monotonic)
            guard all || next != nil else { continue }
            if let next { slot.state.budgets.messages?[kind] = next }
            value.held = nil
            slot.state.retained[kind: kind] = value
            if held.isKept { keep(StoredEvent(kind: kind, at: held.at, id: held.id, payload: value.payload)) }
            if let message = context.encoder.restoring(kind, value, of: device, at: now.unix) { context.messages.append(message) }
        }
    }

    /// When something that waits to be published is due, on the gateway's monotonic clock; nil where nothing waits.
    var heldDue: Double? {
        let gaps = slot.state.budgets.gaps.flatMap { gaps in gaps.values.lazy.compactMap(\.due).min() }
        let states = slot.state.retained.heldKinds.lazy.map { kind in
            slot.state.budgets.messages?[kind].map(EvenPace.messages.due) ?? now.monotonic
        }.min()
        return states.least(gaps)
    }

    /// Publishes what waits and is due, or all of it.
    func publishHeld(all: Bool) {
        if !slot.state.retained.heldKinds.isEmpty { publishHeldStates(all: all) }
        if slot.state.budgets.gaps != nil { publishWaitingGaps(all: all) }
    }
}
