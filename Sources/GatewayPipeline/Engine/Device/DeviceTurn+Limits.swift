import TelemetryModel

/// What limits how many messages one device leads to: gaps are merged, states wait for a newer one, and other messages are discarded.
///
/// Only publishing is limited: derivations, sums and counters see everything.
extension DeviceTurn {
    // MARK: Gaps

    /// Passes a gap on to what sums gaps, and publishes it: the first at once, others within a second as one. Of a stream that is refused, nothing
    /// is missing.
    func publish(_ gap: Gap, at time: DeviceTime, sequence: ClosedRange<UInt64>?, entry: FrameHistory.Entry?) {
        let event = DerivedEvent(time: time, sequence: sequence, body: gap)
        guard authorizer.standingRefusal(of: gap.stream) == nil,
            let message = message(of: event, stream: gap.stream, entry: entry)
        else { return }
        if slot.state.budgets.gaps?.read(gap.stream, { $0.holds(at: now.monotonic) }) == true,
            let merged = MergedGap(gap, message)
        {
            var hasRoom = true
            _ = slot.state.budgets.gaps?.change(gap.stream) { hasRoom = $0.add(merged) }
            if !hasRoom { countOverLimit(message) }
        } else {
            slot.state.budgets.gaps = slot.state.budgets.gaps ?? [:]
            slot.state.budgets.gaps?[gap.stream] = GapTrack(publishedAt: now.monotonic)
            send(message, isLimited: false)
        }
        passOn(event, of: gap.stream)
    }

    private func publishWaitingGaps(all: Bool) {
        for stream in slot.state.budgets.gaps?.keys ?? [] {
            guard let due = slot.state.budgets.gaps?[stream]?.due, all || due <= now.monotonic else { continue }
            var gaps: [MergedGap] = []
            _ = slot.state.budgets.gaps?.change(stream) { gaps = $0.take(at: now.monotonic) }
            for gap in gaps { send(gap.message(of: device, received: now.unix), isLimited: false) }
        }
    }

    // MARK: Pace

    /// Counts a message of `kind` where it may be published now, and returns whether it may. Messages of streams that are limited by a budget
    /// may, and depths behind one that was published early, which may be deeper.
    ///
    /// What is counted does not depend on what is retained: when a journal is replayed, that is of a later time.
    func countsWithinLimit(_ derived: DerivedMessage, _ kind: String) -> Bool {
        guard derived.source?.stream.isExemptFromBudget ?? true else { return true }
        return slot.state.budgets.countsMessage(of: kind, at: now.monotonic) || slot.state.retained[kind: kind]?.early != nil
    }

    /// Keeps a state until it may be published, in place of one that waits.
    func hold(_ value: RetainedValue, _ derived: DerivedMessage) {
        let kind = derived.event.body.path
        if slot.state.retained.heldKinds.contains(kind) { countOverLimit(derived) }
        context.fleet.note(derived.event.body, of: device)
        var value = value
        value.held = HeldMessage(at: derived.at, id: derived.id, isKept: derived.event.body.isKept)
        slot.state.retained[kind: kind] = value
    }

    /// Counts a message of the kind of `derived` that is not published, and reports that.
    func countOverLimit(_ derived: DerivedMessage) {
        context.counters.messagesOverLimit.addSaturated(1)
        let kind = derived.event.body.path
        publish(
            Rejection(
                .messageLimit, "what the device sends leads to more messages than are published, of '\(kind)' among others"),
            of: InboundMessage(topic: context.encoder.topic(kind, of: device), payload: []))
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

    // MARK: Both

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
