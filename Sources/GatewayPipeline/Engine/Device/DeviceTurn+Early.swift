import TelemetryModel

/// Depths of frames that wait for frames which the broker may deliver again.
///
/// A deeper state or a fault is published at once, and retained. Until its frame is processed in order, older states are published without
/// being retained, so that what the broker keeps is never shallower.
extension DeviceTurn {
    private var depthKind: String { DepthStateChange.kind.name }

    /// Publishes what frames that wait show of the depth, where that is deeper than what was published, or a fault; or as deep, where `unknown` was
    /// published or what was published expires. The derivation is carried out on a copy of the state in order, which is dropped. A frame that is
    /// read again shows what was, not what is.
    func publishEarly(_ frames: [NormalizedFrame], isReadAgain: Bool = false) {
        guard owns(.submersion), let boot = slot.state.boot.id else { return }
        for frame in frames where frame.stream == .submersion && frame.header.boot == boot && !frame.isRepeated {
            guard case .submersion(let samples) = frame.body, let sequence = frame.header.sequence,
                slot.state.access.depthRefusal == nil || !samples.measurements.isEmpty,
                case .allowed(let authorized, _) = authorizer.check(frame, workouts: slot.state.boot.workouts),
                let found = earlyEvent(of: authorized.frame, isReadAgain: isReadAgain)
            else { continue }
            let early = EarlyFrame(boot: boot, sequence: sequence, state: found.change.state, isFault: found.isFault)
            if isReadAgain, isDepthUnconfirmed { withdraw(early) } else { sendEarly(found, of: frame, early) }
        }
    }

    /// Whether `unknown` was published at the start, and no frame has confirmed a state since.
    private var isDepthUnconfirmed: Bool {
        slot.state.boot.derivations[SubmersionDerivation.self]?.isUnconfirmed == true
    }

    /// Has the broker keep the `unknown` of the start until a deeper frame is in order: what it shows is old, and newer frames may be queued.
    private func withdraw(_ early: EarlyFrame) {
        guard var known = slot.state.retained[kind: depthKind] else { return }
        if known.early == nil { slot.state.latest[kind: depthKind] = known }
        known.early = early.behind(known.early)
        known.early?.isWithdrawn = true
        slot.state.retained[kind: depthKind] = known
    }

    /// Reads the depths of frames that wait, as they are to wait for longer: they came before the session was resumed, or the gateway started.
    func publishEarlyOfWaiting() {
        let waiting = slot.state.intake.waiting.messages
            .filter { $0.isSubmersion && $0.reason == .earlierFrame && !$0.isPlace }
            .sorted { ($0.header.sequence ?? 0) < ($1.header.sequence ?? 0) }
        for held in waiting {
            guard let frames = try? slot.state.intake.normalize(held.decoded(by: context.decoder), rules) else { continue }
            publishEarly(slot.state.intake.newSamples(of: frames), isReadAgain: true)
        }
    }

    private struct EarlyEvent {
        var event: DerivedEvent
        var change: DepthStateChange
        var version: Int
        var isFault: Bool { event.quality == .fault }
    }

    /// How long before it expires a state that was published early is published again, in seconds.
    private static let renewalSeconds = 2.0

    /// What was published of the depth, with which what a frame shows is compared.
    private struct PublishedDepth {
        /// The deepest state, in order or early.
        var deepest: DepthState
        /// Whether a fault was published early.
        var isFault: Bool
        /// Whether a state as deep is news: `unknown` is retained, or what was published early expires.
        var mayBeConfirmed: Bool
    }

    private var publishedDepth: PublishedDepth {
        let inOrder = slot.state.boot.derivations[SubmersionDerivation.self]
        let retained = slot.state.retained[kind: depthKind]
        let early = retained?.early
        let isShown = early.map { $0.isWithdrawn != true } ?? false
        let isUnknown = !isShown && (isDepthUnconfirmed || inOrder?.state == .unknown)
        let expires = isShown && retained?.validUntil.map { $0 - now.unix < Self.renewalSeconds } ?? false
        return PublishedDepth(
            deepest: max(inOrder?.lastKnownState ?? .unknown, early?.state ?? .unknown), isFault: early?.isFault == true,
            mayBeConfirmed: isUnknown || expires)
    }

    /// The deepest change of state that a frame leads to, if that is news.
    private func earlyEvent(of frame: NormalizedFrame, isReadAgain: Bool) -> EarlyEvent? {
        let isCurrent = context.firesTimers && !isReadAgain
        let published = publishedDepth
        let news = depthChanges(of: frame, isCurrent: isCurrent).filter { found in
            guard found.change.state > .notSubmerged else { return false }
            if found.change.state > published.deepest { return true }
            guard found.change.state == published.deepest else { return false }
            if found.isFault, !published.isFault { return true }
            return isCurrent && published.mayBeConfirmed && found.isFault == published.isFault
                && isCertain(found.change, of: frame)
        }
        var found = news.max { $0.change.state < $1.change.state }
        // The gateway that ran before has published the state already; then came `unknown`.
        if isDepthUnconfirmed, found?.change.state == published.deepest { found?.change.cause = .restart }
        return found
    }

    /// The changes of state that a frame leads to, where no other frame comes before it.
    private func depthChanges(of frame: NormalizedFrame, isCurrent: Bool) -> [EarlyEvent] {
        let index = Derivations.index(of: SubmersionDerivation.self)
        guard settings.derive.takers(of: .submersion).contains(index) else { return [] }
        let configured = settings.derive.configured[index]
        let facts = DeviceFacts(traits: authorizer.traits, isCurrent: isCurrent)
        var copy = slot.state.boot.derivations
        var output = DerivationOutput()
        copy.take(.frame(frame), by: index, as: configured, facts: facts, into: &output)
        return output.events.compactMap { event in
            (event.body as? DepthStateChange).map {
                EarlyEvent(event: event, change: $0, version: configured.declaration.version)
            }
        }
    }

    /// Whether a state cannot be deeper in order: none is kept there by the hysteresis.
    private func isCertain(_ change: DepthStateChange, of frame: NormalizedFrame) -> Bool {
        guard let maximumDepth = change.maximumDepth, case .submersion(let samples) = frame.body else { return false }
        let depth = change.depth ?? samples.measurements.last?.depth ?? .infinity
        let settings = settings.derive[SubmersionDerivation.self]
        let ladder = DepthLadder(maximumDepth: maximumDepth, settings: settings)
        return ladder.state(at: depth + settings.hysteresisMeters) <= change.state
    }

    private func sendEarly(_ found: EarlyEvent, of frame: NormalizedFrame, _ early: EarlyFrame) {
        var event = found.event
        var change = found.change
        change.isEarly = true
        event.body = change
        let inOrder = slot.state.retained[kind: depthKind]
        let source = DerivedMessage.Source(
            stream: .submersion, boot: early.boot, run: slot.state.boot.run(of: .submersion),
            sequence: early.sequence...early.sequence)
        let entry = frame.historyEntry
        if let inOrder, inOrder.early == nil { slot.state.latest[kind: depthKind] = inOrder }
        let kept = slot.state.latest[kind: depthKind]
        slot.state.retained[kind: depthKind] = nil
        send(
            DerivedMessage(
                device: device, event: event, source: source, version: found.version, offset: entry.offset, skew: entry.skew,
                received: now.unix), isLimited: false)
        slot.state.retained[kind: depthKind]?.early = early.behind(inOrder?.early)
        slot.state.latest[kind: depthKind] = kept
    }

    /// Publishes a state from before a frame that was read early: to all who listen, but for the broker to keep only where it is deeper, or
    /// `unknown` for a reason outside the data.
    func send(_ derived: DerivedMessage, before early: EarlyFrame, _ message: OutboundMessage, _ value: RetainedValue) {
        var (message, early) = (message, early)
        slot.state.latest[kind: depthKind] = value
        if derived.source == nil {
            early.isWithdrawn = true
        } else if let change = derived.event.body as? DepthStateChange, change.state > early.state {
            (early.state, early.isFault, early.isWithdrawn) = (change.state, derived.event.quality == .fault, nil)
        } else {
            message.retain = false
        }
        context.messages.append(message)
        guard message.retain else { return }
        context.fleet.note(derived.event.body, of: device)
        slot.state.retained[kind: depthKind] = value
        slot.state.retained[kind: depthKind]?.early = early
    }

    /// Has the broker keep the state in order again, once the frame that was read early is processed.
    func endEarly(after frame: NormalizedFrame) {
        guard slot.state.retained.mayHoldEarly, let early = slot.state.retained[kind: depthKind]?.early,
            frame.header.boot != early.boot || frame.header.sequence.map({ $0 >= early.sequence }) ?? false
        else { return }
        let inOrder = slot.state.latest[kind: depthKind]
        slot.state.latest[kind: depthKind] = nil
        slot.state.retained[kind: depthKind]?.early = nil
        guard var inOrder else { return }
        inOrder.held = nil
        slot.state.retained[kind: depthKind] = inOrder
        if let message = context.encoder.restoring(depthKind, inOrder, of: device, at: now.unix) {
            context.messages.append(message)
        }
    }
}
