import TelemetryModel

/// Depths of frames that wait for frames which the broker may deliver again.
///
/// A deeper state or a fault is published at once, and retained. Until its frame is processed in order, older states are published without
/// being retained, so that what the broker keeps is never shallower.
extension DeviceTurn {
    private var depthKind: String { DepthStateChange.kind.name }

    /// Publishes what frames that wait show of the depth, where that is deeper than what was published, or a fault. The derivation is
    /// carried out on a copy of the state in order, which is dropped.
    func publishEarly(_ frames: [NormalizedFrame]) {
        guard owns(.submersion), let boot = slot.state.boot.id else { return }
        for frame in frames where frame.stream == .submersion && frame.header.boot == boot {
            guard let sequence = frame.header.sequence, slot.state.access.depthRefusal == nil,
                case .allowed(let authorized, _) = authorizer.check(frame, workouts: slot.state.boot.workouts),
                let event = earlyEvent(of: authorized.frame)
            else { continue }
            publish(
                event, of: frame, EarlyFrame(boot: boot, sequence: sequence, state: event.change.state, isFault: event.isFault))
        }
    }

    private struct EarlyEvent {
        var event: DerivedEvent
        var change: DepthStateChange
        var version: Int
        var isFault: Bool { event.quality == .fault }
    }

    /// The deepest change of state that a frame leads to, if that is news: a deeper state, or a fault that is no less deep.
    private func earlyEvent(of frame: NormalizedFrame) -> EarlyEvent? {
        let content = DerivationFrame(header: frame.header, body: frame.body, quantization: frame.quantization)
        var found: EarlyEvent?
        for index in settings.derive.takers(of: .submersion) {
            let configured = settings.derive.configured[index]
            var output = DerivationOutput()
            var copy = slot.state.boot.derivations
            copy.take(.frame(content), by: index, as: configured, facts: DeviceFacts(authorizer), into: &output)
            let changes = output.events.compactMap { event in
                (event.body as? DepthStateChange).map {
                    EarlyEvent(event: event, change: $0, version: configured.declaration.version)
                }
            }
            guard let previous = changes.first?.change.previous else { continue }
            let known = slot.state.retained[kind: depthKind]?.early
            let deepest = max(previous, known?.state ?? previous)
            found = changes.filter {
                $0.change.state > deepest || ($0.isFault && known?.isFault != true && $0.change.state == deepest)
            }.max { $0.change.state < $1.change.state }
        }
        return found
    }

    private func publish(_ found: EarlyEvent, of frame: NormalizedFrame, _ early: EarlyFrame) {
        var event = found.event
        var change = found.change
        change.isEarly = true
        event.body = change
        let inOrder = slot.state.retained[kind: depthKind]
        let source = DerivedMessage.Source(
            stream: .submersion, boot: early.boot, sequence: early.sequence...early.sequence)
        let entry = frame.historyEntry
        if let inOrder, inOrder.early == nil { slot.state.latest[kind: depthKind] = inOrder }
        let kept = slot.state.latest[kind: depthKind]
        slot.state.retained[kind: depthKind] = nil
        send(
            DerivedMessage(
                device: device, event: event, source: source, version: found.version, offset: entry.offset, skew: entry.skew,
                received: now.unix))
        slot.state.retained[kind: depthKind]?.early = early
        slot.state.latest[kind: depthKind] = kept
    }

    /// Publishes a state from before a frame that was read early: to all who listen, but not for the broker to keep.
    func sendUnretained(_ message: OutboundMessage, _ value: RetainedValue, _ kind: String) {
        var message = message
        message.retain = false
        slot.state.latest[kind: kind] = value
        context.messages.append(message)
    }

    /// Has the broker keep the state in order again, once the frame that was read early is processed.
    func endEarly(after frame: NormalizedFrame) {
        guard slot.state.retained.mayHoldEarly, let early = slot.state.retained[kind: depthKind]?.early,
            frame.header.boot != early.boot || frame.header.sequence.map({ $0 >= early.sequence }) ?? false
        else { return }
        let inOrder = slot.state.latest[kind: depthKind]
        slot.state.latest[kind: depthKind] = nil
        slot.state.retained[kind: depthKind]?.early = nil
        guard let inOrder else { return }
        slot.state.retained[kind: depthKind] = inOrder
        if let message = context.encoder.restoring(depthKind, inOrder, of: device, at: now.unix) {
            context.messages.append(message)
        }
    }
}
