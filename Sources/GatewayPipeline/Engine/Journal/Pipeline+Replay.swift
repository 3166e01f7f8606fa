package import TelemetryModel

/// Processes the messages of a journal again.
///
/// A device's state depends on no other device. It is restored alone, takes its messages at the times at which they were processed, and
/// is taken out.
package struct JournalReplay {
    /// What entries have led to that were processed by other settings or another policy; what all others led to was published and kept.
    package struct Outcome: Sendable {
        /// The messages to publish, in order.
        package var messages: [OwedMessage] = []
        /// The messages for the query `events`.
        package var events: [StoredEvent] = []
    }

    private var admission: AdmissionCheck
    private var pipeline: Pipeline

    /// A replay by `settings` and `policy` for the lane of `share`; `fingerprint` as with `Pipeline`.
    package init(settings: PipelineSettings, policy: AccessPolicy, share: StreamShare, fingerprint: Fingerprint? = nil) {
        admission = AdmissionCheck(policy: policy.ofAllPartitions, settings: settings, share: share)
        // The state of a device of another partition is kept for the gateway that owns it, and must be whole.
        pipeline = Pipeline(
            settings: settings, policy: policy.ofAllPartitions, streams: share.streams, history: NoHistory(),
            fingerprint: fingerprint)
    }

    /// Frames of recorded histories are never journaled, so none is read; with a reader the messages for the query `events` are kept.
    private struct NoHistory: HistoryReader {
        func readHistory(of device: DeviceID, in minutes: Range<Int>, _ body: (HistoryMinute) throws -> Void) {}
    }

    /// Advances `state` by `entries`; returns what has to be published and kept of that.
    ///
    /// `process` is called with each message, and calls its argument unless the message is not to be processed.
    package mutating func advance(
        _ state: inout DeviceState, of device: DeviceID, by entries: [JournalEntry],
        process: (InboundMessage, () -> [OutboundMessage]) throws -> [OutboundMessage] = { $1() }
    ) rethrows -> Outcome {
        guard let first = entries.first, let policy = pipeline.policy(for: device) else { return Outcome() }
        pipeline.install(state, of: device, policy: policy, at: first.received)
        defer { pipeline.discardReplayed(device) }
        let rules = pipeline.context.rules(of: policy)
        let (retained, latest) = (state.retained, state.latest)
        var outcome = Outcome()
        for entry in entries {
            var refused: [OutboundMessage] = []
            guard let known = admission.admit(entry.message, only: device, at: entry.received, into: &refused).first
            else { continue }
            let messages = try process(entry.message) {
                pipeline.context.redeliveryUntil = entry.redeliveryUntil
                pipeline.clockLead = entry.clockLead ?? 0
                pipeline.context.resumption = entry.resumedAt.map { .init(at: $0, holdsStates: false) }
                return pipeline.process(known, at: entry.received, firesTimers: entry.firesTimers)
            }
            let events = pipeline.slots[device]?.takeEvents() ?? []
            guard entry.rules != rules else { continue }
            // What may be lost is lost here.
            outcome.messages += messages.compactMap { $0.mayBeLost ? nil : OwedMessage($0, of: device, by: pipeline.encoder) }
            outcome.events += events
        }
        guard let advanced = pipeline.state(of: device) else { return outcome }
        state = advanced
        // Messages are stored beside the entries that lead to them: what is published early depends on those before it.
        if !entries.contains(where: { $0.rules != rules }) { (state.retained, state.latest) = (retained, latest) }
        return outcome
    }
}

extension Pipeline {
    /// Has checkpoints write the messages of devices in place of their states where that is less; the first one has the number after
    /// `number`.
    package mutating func beginJournal(after number: UInt64) {
        changes.journal.isOn = true
        changes.journal.number = number
    }

    /// The first row of the journal that is needed.
    package var firstJournalRow: UInt64 { changes.journal.firstRow }

    /// Has the next checkpoint, the last one, write the state of every device that is not stored as it is.
    package mutating func writeEverything() {
        changes.closesJournal = true
        for slot in slots.values where slot.standing == .lacksActivity { changes.note(slot, nil) }
    }

    /// The row that the changes taken last have in the journal; nil for none.
    package mutating func takeJournalRow() -> JournalRow? { changes.takeRow() }

    /// Drops a device with everything that was noted of it.
    fileprivate mutating func discardReplayed(_ device: DeviceID) {
        remove(device)
        changes.discard()
        _ = takeActivities()
        _ = takeKindReports()
        context.history.erase(device)
    }
}

extension Pipeline {
    /// The messages of `owed` that may be published, in their order; none of a device that is not known any more, nor of kinds to which
    /// consent was withdrawn.
    package func messages(owed: [OwedMessage]) -> [OutboundMessage] {
        owed.compactMap { owed in
            guard let policy = policy(for: owed.device),
                !Consent.allCases.contains(where: { $0.kinds.contains(owed.kind) && !policy.consents.contains($0) })
            else { return nil }
            return owed.message(by: encoder)
        }
    }
}
