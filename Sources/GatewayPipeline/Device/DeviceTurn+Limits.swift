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
            let message = message(of: event, stream: gap.stream, entry: entry), let merged = MergedGap(gap, message)
        else { return }
        if slot.state.budgets.gaps?[gap.stream]?.holds(at: now.monotonic) == true {
            if slot.state.budgets.gaps?[gap.stream]?.add(merged) == false { countOverLimit(message) }
        } else {
            slot.state.budgets.gaps = slot.state.budgets.gaps ?? [:]
            slot.state.budgets.gaps?[gap.stream] = GapTrack(publishedAt: now.monotonic)
            send(message)
        }
        passOn(event, of: gap.stream)
    }

    private func publishWaitingGaps(all: Bool) {
        for stream in slot.state.budgets.gaps?.keys ?? [] {
            guard let due = slot.state.budgets.gaps?[stream]?.due, all || due <= now.monotonic else { continue }
            for gap in slot.state.budgets.gaps?[stream]?.take(at: now.monotonic) ?? [] {
                send(gap.message(of: device, received: now.unix))
            }
        }
    }

    // MARK: Pace

    /// Whether a message may be published now.
    enum Pace {
        /// It may; the number that it is paced by afterwards.
        case within(Double)
        /// It has to wait; the number that it is paced by.
        case over(Double)

        /// The number that the messages of the kind are paced by.
        var paced: Double {
            switch self {
            case .within(let paced), .over(let paced): paced
            }
        }
    }

    /// Whether a message of `kind` may be published now; nil where its stream is limited by a budget, for gaps, which are merged, and for depths
    /// behind one that was published early, which may be deeper.
    func pace(of derived: DerivedMessage, _ kind: String) -> Pace? {
        guard derived.source?.stream.isExemptFromBudget ?? true, kind != Gap.kind.name else { return nil }
        let retained = slot.state.retained[kind: kind]
        guard retained?.early == nil else { return nil }
        var paced = (retained ?? slot.state.latest[kind: kind])?.paced
        if PublicationPace.isOver(boots: slot.state.budgets.boots, at: now.monotonic) {
            paced = PublicationPace.exhausted(after: paced, at: now.monotonic)
        }
        if let next = PublicationPace.next(after: paced, at: now.monotonic) { return .within(next) }
        return paced.map { .over($0) }
    }

    /// Keeps a state until it may be published, in place of one that waits.
    func hold(_ value: RetainedValue, _ derived: DerivedMessage) {
        let kind = derived.event.body.path
        if slot.state.retained[kind: kind]?.held != nil { countOverLimit(derived) }
        var value = value
        value.held = HeldMessage(at: derived.at, id: derived.id, isKept: derived.event.body.isKept)
        slot.state.retained[kind: kind] = value
    }

    /// Counts a message that is not published, and reports that.
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
            guard var value = slot.state.retained[kind: kind], let held = value.held, let paced = value.paced else { continue }
            guard let next = PublicationPace.next(after: paced, at: now.monotonic) ?? (all ? paced : nil) else { continue }
            (value.paced, value.held) = (next, nil)
            slot.state.retained[kind: kind] = value
            if held.isKept { keep(StoredEvent(kind: kind, at: held.at, id: held.id, payload: value.payload)) }
            if let message = context.encoder.restoring(kind, value, of: device, at: now.unix) { context.messages.append(message) }
        }
    }

    // MARK: Both

    /// When something that waits to be published is due, on the gateway's monotonic clock; nil where nothing waits.
    var heldDue: Double? {
        let gaps = slot.state.budgets.gaps.flatMap { gaps in gaps.values.lazy.compactMap(\.due).min() }
        return slot.state.retained.heldDue.least(gaps)
    }

    /// Publishes what waits and is due, or all of it.
    func publishHeld(all: Bool) {
        if !slot.state.retained.heldKinds.isEmpty { publishHeldStates(all: all) }
        if slot.state.budgets.gaps != nil { publishWaitingGaps(all: all) }
    }
}
