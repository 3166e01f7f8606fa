import TelemetryModel

/// From events to messages.
extension DeviceStep {
    /// Publishes what was derived from `stream`; `entry` is the frame it is of, where the history cannot know it yet.
    mutating func publish(_ event: DerivedEvent, stream: StreamName, entry: FrameHistory.Entry? = nil) {
        guard let boot = state.boots.current else { return }
        let history = state.histories[stream]
        let carrier = entry ?? history?.entry(at: event.time) ?? latestEntry
        let sequence =
            event.sequence ?? diveSequence(of: event) ?? entry.flatMap { entry in entry.sequence.map { $0...$0 } }
            ?? history?.sequences(overlapping: event.span ?? event.time...event.time)
        send(
            DerivedMessage(
                device: device, event: event, source: .init(stream: stream, boot: boot, sequence: sequence),
                offset: carrier?.offset ?? state.clock.latestOffset ?? 0, skew: carrier?.skew, received: now.unix))
    }

    /// The frames of a whole dive, from the water's surface to it.
    private func diveSequence(of event: DerivedEvent) -> ClosedRange<UInt64>? {
        guard case .dive(let dive) = event.body, let first = state.immersedSince,
            let last = state.histories[.submersion]?.entry(at: dive.end)?.sequence, first <= last
        else { return nil }
        return first...last
    }

    /// Publishes what the operator decided: it has no device time and no source.
    mutating func publishPolicyChange(_ body: DerivedBody, quality: Quality = .valid) {
        send(
            DerivedMessage(
                device: device, event: DerivedEvent(time: DeviceTime(now.unix.seconds), quality: quality, body: body),
                source: nil, offset: 0, skew: nil, received: now.unix))
    }

    /// Counts a refusal, and publishes it unless one of its kind was published within the second.
    mutating func reject(_ message: InboundMessage, _ rejection: Rejection) {
        guard ownsMessage else { return }
        counters.rejected[rejection.reason, default: 0] += 1
        let admitted = state.rejections.admit(
            rejection.reason, at: now.monotonic, perSecond: settings.rejectedPerSecond)
        guard let count = admitted else { return }
        messages.append(encoder.encode(rejection, of: message, from: device, count: count, received: now.unix))
    }

    /// Clears what the broker keeps of the kinds that `condition` picks.
    mutating func clearRetained(where condition: (String) -> Bool) {
        for kind in state.retained.keys.sorted() where condition(kind) {
            messages.append(encoder.clearing(kind, of: device))
            state.retained[kind] = nil
        }
    }

    /// Clears the retained `committed` messages.
    mutating func clearCommitted() {
        guard settings.publishesCommitted else { return }
        for stream in state.sequences.keys.compactMap(\.stream).sorted(by: { $0.rawValue < $1.rawValue }) where owns(stream) {
            messages.append(encoder.clearing(OutboundEncoder.committedKind(stream), of: device))
        }
    }

    /// Publishes again whatever the broker is to keep and still is true: the broker has lost it.
    mutating func restoreRetained() {
        for (kind, value) in state.retained.sorted(by: { $0.key < $1.key }) {
            if let message = encoder.restoring(kind, value, of: device, at: now.unix) { messages.append(message) }
        }
    }

    private mutating func send(_ derived: DerivedMessage) {
        let kind = derived.event.body.kind
        counters.derived[String(kind.prefix { $0 != "/" }), default: 0] += 1
        let message = encoder.encode(derived)
        if derived.event.body.isRetained {
            state.retained[kind] = RetainedValue(
                payload: message.payload, validUntil: derived.event.validUntil.map { UnixTime($0.seconds + derived.offset) })
        }
        messages.append(message)
    }

    /// The latest frame of any stream: what a timer goes by that no frame of its own stream has preceded.
    private var latestEntry: FrameHistory.Entry? {
        state.histories.values.compactMap(\.latest).max { $0.last < $1.last }
    }
}
