import SignalProcessing
import TelemetryModel

/// From events to messages, and how many of these one device may lead to: derivations, sums and counters see everything.
extension DeviceTurn {
    /// Publishes what was derived from `stream` by a derivation of `version`; `entry` is its frame, where the history does not
    /// hold it yet.
    func publish(_ event: DerivedEvent, stream: StreamName, entry: FrameHistory.Entry? = nil, version: Int = 1) {
        guard let message = message(of: event, stream: stream, entry: entry, version: version) else { return }
        send(message)
        if let alarm = event.body as? Alarm { keepInstant(of: alarm, offset: message.offset) }
        guard event.isOnWallClock else { return passOn(message, of: stream) }
        // Like an event of a history: what its alarms wait for is by the device's clock as it is now.
        announce(event, of: stream) { alarm, version in
            var alarm = alarm
            (alarm.time, alarm.isOnWallClock) = (event.time, true)
            publish(alarm, stream: stream, version: version)
        }
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
            return messageOnWallClock(event, source: origin(of: event, source, boot, sequence), version: version)
        }
        let frame = entry ?? history?.entry(at: event.time) ?? latestEntry
        let sequence = sequence(of: event, entry: entry, history)
        return DerivedMessage(
            device: device, event: event, source: origin(of: event, source, boot, sequence),
            version: version, offset: frame?.offset ?? slot.state.intake.clock.latestOffset ?? 0, skew: frame?.skew,
            received: now.unix)
    }

    private func origin(
        of event: DerivedEvent, _ stream: StreamName, _ boot: BootID, _ sequence: ClosedRange<UInt64>?
    ) -> DerivedMessage.Source {
        .init(
            stream: stream, boot: boot, run: slot.state.boot.run(of: stream), sequence: sequence,
            // A connection follows from the times of frames, wherever these are fused.
            isFused: slot.state.boot.isFused(stream) && !(event.body is ConnectionChange))
    }

    /// The message of an event whose times are on the wall clock.
    func messageOnWallClock(
        _ event: DerivedEvent, source: DerivedMessage.Source, version: Int
    ) -> DerivedMessage {
        DerivedMessage(
            device: device, event: event, source: source, version: version, isOnWallClock: true, received: now.unix)
    }

    /// The frames that an event names: without any, its own frame or those of its span.
    private func sequence(
        of event: DerivedEvent, entry: FrameHistory.Entry?, _ history: FrameHistory?
    ) -> ClosedRange<UInt64>? {
        let span = event.span ?? event.time...event.time
        switch event.frames {
        case .named(let range): return range
        case .from(let first):
            if let last = history?.entry(at: span.upperBound)?.sequence, first <= last { return first...last }
        case .ofSpan: break
        }
        return entry?.sequence.map { $0...$0 } ?? history?.sequences(overlapping: span)
    }

    /// Publishes a change by the operator that concerns a stream: it has no device time and no source.
    func publishPolicyChange(
        _ body: any DerivedBody, of stream: StreamName, quality: Quality = .valid, version: Int = 1
    ) {
        let event = DerivedEvent(time: DeviceTime(now.unix.seconds), quality: quality, body: body)
        send(DerivedMessage(device: device, event: event, source: nil, version: version, received: now.unix))
        announce(event, of: stream) { publishUnsourced($0, version: $1) }
    }

    /// Publishes what was measured of a motion stream: units, signs and axes.
    func publishConvention(of stream: StreamName) {
        var report = MotionConventionReport(stream: stream, sensors: slot.state.boot.fusions.streams[stream]?.finding)
        if let track = slot.state.intake.convention(of: stream), let convention = track.convention {
            report.units = MotionConventionReport.Units(
                gravityScale: convention.gravityScale, accelerationScale: convention.accelerationScale,
                standardised: track.isStandardised, turnsAttitude: convention.turnsAttitude)
        }
        publishPolicyChange(report, of: stream)
    }

    // MARK: Messages

    /// Publishes a message, or limits it: gaps are merged instead, and depths that are published early never wait.
    func send(_ derived: DerivedMessage, isLimited: Bool = true) {
        let body = derived.event.body
        let kind = body.path
        if body.isEnd {
            if slot.state.retained[kind: kind] != nil { clearRetained(kind) }
            return
        }
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
        } else if !body.holdsSamples {
            slot.state.latest[kind: kind] = value
        }
        context.messages.append(message)
        if !body.isRetained, slot.state.retained[kind: kind] != nil { clearRetained(kind) }
    }

    /// The latest frame of any stream, for a timer whose own stream has no frame yet.
    private var latestEntry: FrameHistory.Entry? {
        slot.state.boot.histories.values.compactMap(\.latest).max { $0.last < $1.last }
    }

    /// Counts a message of `kind` where it may be published now, and returns whether it may. Messages of streams that are limited by a budget
    /// may, and depths behind one that was published early, which may be deeper.
    ///
    /// What is counted does not depend on what is retained: when a journal is replayed, that is of a later time.
    func countsWithinLimit(_ derived: DerivedMessage, _ kind: String) -> Bool {
        guard derived.source?.stream.isExemptFromBudget ?? true else { return true }
        return slot.state.budgets.countsMessage(of: kind, at: now.monotonic) || slot.state.retained[kind: kind]?.early != nil
    }

    /// Counts a message of the kind of `derived` that is not published, and reports that.
    func countOverLimit(_ derived: DerivedMessage) {
        context.counters.messagesOverLimit.addSaturated(1)
        let kind = derived.event.body.path
        report(
            Rejection(
                .messageLimit, "what the device sends leads to more messages than are published, of '\(kind)' among others"),
            topic: context.encoder.topic(kind, of: device))
    }

    // MARK: Rejections

    /// Counts a rejection, and publishes it unless one with its reason was published within the last second.
    func reject(_ message: InboundMessage, _ rejection: Rejection, isOwn: Bool) {
        context.report(.rejected(rejection))
        let stream = TopicAddress(message.topic, layout: settings.topics, producers: settings.producers).stream
        if isOwn {
            context.counters[stream].rejected[rejection.reason, default: 0] += 1
            report(rejection, topic: message.topic, payload: message.payload)
        }
        if let stream, rejection.reason == .notFinite { doubt(stream) }
    }

    /// How many reports on a device's clock are published at once: a backlog may hold several runs.
    static let reportsAtOnce = 16

    /// Publishes a rejection of `count` messages on a topic, or of all that the device sends, unless as many with its reason as may be at once
    /// were published within the last second.
    func report(_ rejection: Rejection, topic: String? = nil, payload: [UInt8] = [], count: Int = 1, atOnce: Int = 1) {
        let admitted = slot.state.rejections.admit(
            rejection.reason, count: count, at: now.monotonic, perSecond: settings.rejectedPerSecond, burst: atOnce)
        guard let count = admitted else { return }
        let message = InboundMessage(topic: topic ?? context.encoder.topic("+", of: device), payload: payload)
        context.messages.append(
            context.encoder.encode(rejection, of: message, from: device, count: count, received: now.unix))
    }
}
