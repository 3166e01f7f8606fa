import SignalProcessing
import TelemetryModel

/// From events to messages.
extension DeviceTurn {
    /// Publishes what was derived from `stream` by a derivation of `version`; `entry` is its frame, where the history does not
    /// hold it yet.
    func publish(_ event: DerivedEvent, stream: StreamName, entry: FrameHistory.Entry? = nil, version: Int = 1) {
        guard let message = message(of: event, stream: stream, entry: entry, version: version) else { return }
        send(message)
        if !event.isOnWallClock { passOn(event, of: stream) }
    }

    /// The message of an event that was derived from `stream`, as `publish` publishes it; nil before the first frame.
    func message(
        of event: DerivedEvent, stream: StreamName, entry: FrameHistory.Entry? = nil, version: Int = 1
    ) -> DerivedMessage? {
        guard let boot = slot.state.boot.id else { return nil }
        let source = event.stream ?? stream
        let history = slot.state.boot.histories[source]
        if event.isOnWallClock {
            let sequence = (entry ?? history?.latest)?.sequence.map { $0...$0 }
            return messageOnWallClock(event, source: origin(source, boot, sequence), version: version)
        }
        let frame = entry ?? history?.entry(at: event.time) ?? latestEntry
        let sequence =
            event.sequence ?? sequence(from: event.firstSequence, to: event, history) ?? entry.flatMap { entry in
                entry.sequence.map { $0...$0 }
            }
            ?? history?.sequences(overlapping: event.span ?? event.time...event.time)
        return DerivedMessage(
            device: device, event: event, source: origin(source, boot, sequence),
            version: version, offset: frame?.offset ?? slot.state.intake.clock.latestOffset ?? 0, skew: frame?.skew,
            received: now.unix)
    }

    private func origin(_ stream: StreamName, _ boot: BootID, _ sequence: ClosedRange<UInt64>?) -> DerivedMessage.Source {
        .init(stream: stream, boot: boot, run: slot.state.boot.run(of: stream), sequence: sequence)
    }

    /// Publishes an event whose times are on the wall clock.
    func publishOnWallClock(_ event: DerivedEvent, source: DerivedMessage.Source, version: Int) {
        send(messageOnWallClock(event, source: source, version: version))
    }

    private func messageOnWallClock(
        _ event: DerivedEvent, source: DerivedMessage.Source, version: Int
    ) -> DerivedMessage {
        var message = DerivedMessage(
            device: device, event: event, source: source, version: version, offset: 0, skew: nil, received: now.unix)
        message.isOnWallClock = true
        return message
    }

    /// The frames from `first` to the end of an event.
    private func sequence(
        from first: UInt64?, to event: DerivedEvent, _ history: FrameHistory?
    ) -> ClosedRange<UInt64>? {
        guard let first, let last = history?.entry(at: event.span?.upperBound ?? event.time)?.sequence, first <= last else {
            return nil
        }
        return first...last
    }

    /// Publishes a change by the operator: it has no device time and no source.
    func publishPolicyChange(_ body: any DerivedBody, quality: Quality = .valid, version: Int = 1) {
        send(
            DerivedMessage(
                device: device, event: DerivedEvent(time: DeviceTime(now.unix.seconds), quality: quality, body: body),
                source: nil, version: version, offset: 0, skew: nil, received: now.unix))
    }

    /// Counts a rejection, and publishes it unless one with its reason was published within the last second.
    func reject(_ message: InboundMessage, _ rejection: Rejection, isOwn: Bool) {
        context.report(.rejected(rejection))
        let stream = TopicAddress(message.topic, layout: settings.topics, producers: settings.producers).stream
        if isOwn {
            context.counters[stream].rejected[rejection.reason, default: 0] += 1
            publish(rejection, of: message)
        }
        if let stream, rejection.reason == .notFinite { doubt(stream) }
    }

    /// Publishes a rejection unless one with its reason was published within the last second.
    func publish(_ rejection: Rejection, of message: InboundMessage) {
        let admitted = slot.state.rejections.admit(
            rejection.reason, at: now.monotonic, perSecond: settings.rejectedPerSecond)
        guard let count = admitted else { return }
        context.messages.append(
            context.encoder.encode(rejection, of: message, from: device, count: count, received: now.unix))
    }

    /// Counts and publishes frames that are missing.
    func publish(_ missing: MissingFrames) {
        let count = Int(clamping: missing.count)
        // A producer's messages come to one lane, whatever streams they hold.
        let streams = missing.scope.stream == nil ? missing.streams : missing.streams.filter(owns)
        guard let first = streams.first else { return }
        context.counters[first].missingFrames.addSaturated(count)
        skipSampleGaps(of: streams)
        for stream in streams {
            let previous = slot.state.boot.histories[stream]?.latest
            let gap = Gap(
                stream: stream, unit: .frames, expected: count, received: 0, from: previous?.last ?? missing.before,
                to: missing.before, firstSequence: missing.first)
            publish(
                gap, at: missing.before, sequence: missing.first...(missing.first + (missing.count - 1)), entry: missing.entry)
        }
    }

    /// Publishes the units and signs that were measured of a stream.
    func publishConvention(of stream: StreamName) {
        guard let track = slot.state.intake.convention(of: stream), let convention = track.convention else { return }
        publishPolicyChange(
            MotionConventionReport(
                stream: stream, gravityScale: convention.gravityScale, accelerationScale: convention.accelerationScale,
                standardised: track.isStandardised, turnsAttitude: convention.turnsAttitude))
    }

    /// Clears the retained topics of the kinds for which `condition` is true, and drops the latest messages of such kinds.
    func clearRetained(where condition: (String) -> Bool) {
        for kind in slot.state.latest.kinds where condition(kind) { slot.state.latest[kind: kind] = nil }
        for kind in slot.state.retained.kinds where condition(kind) { clearRetained(kind) }
    }

    private func clearRetained(_ kind: String) {
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
    private func reportKind(_ kind: String) {
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

    /// Publishes a message, or limits it: gaps are merged instead, and depths that are published early never wait.
    func send(_ derived: DerivedMessage, isLimited: Bool = true) {
        let body = derived.event.body
        let kind = body.path
        let isOverLimit = isLimited && !countsWithinLimit(derived, kind)
        if isOverLimit, !body.isRetained { return countOverLimit(derived) }
        context.counters.derived[body.family, default: 0] += 1
        if settings.reportsKinds { reportKind(kind) }
        let message = context.encoder.encode(derived)
        let value = RetainedValue(copying: message.payload, validUntil: derived.validUntil)
        if isOverLimit { return hold(value, derived) }
        if body.isKept { keep(StoredEvent(derived, payload: message.payload)) }
        if body.isRetained {
            if slot.state.retained.mayHoldEarly, let early = slot.state.retained[kind: kind]?.early {
                if early.isBehind(derived.source) { return send(derived, before: early, message, value) }
                slot.state.latest[kind: kind] = nil
            }
            context.fleet.note(body, of: device)
            slot.state.retained[kind: kind] = value
        } else if !kind.hasPrefix(Self.samples) {
            slot.state.latest[kind: kind] = value
        }
        context.messages.append(message)
        if !body.isRetained, slot.state.retained[kind: kind] != nil { clearRetained(kind) }
    }

    /// Kinds with samples are not stored: each message would be larger than all others of the device together.
    private static let samples = "trace/"

    /// The latest frame of any stream, for a timer whose own stream has no frame yet.
    private var latestEntry: FrameHistory.Entry? {
        slot.state.boot.histories.values.compactMap(\.latest).max { $0.last < $1.last }
    }
}
