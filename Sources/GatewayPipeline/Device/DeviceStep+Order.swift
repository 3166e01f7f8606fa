import TelemetryModel

/// Decode and sequence: which frames are to be processed now, and in what order.
extension DeviceStep {
    /// Takes one message of the device.
    mutating func take(_ known: KnownMessage) {
        ownsMessage = known.stream.map(owns) ?? true
        do throws(Rejection) {
            let decoded: DecodedMessage?
            switch known.origin {
            case .stream(let name): decoded = try decode(known.message, streamName: name)
            case .producer: decoded = try decoder.decode(known.message, context: producerContext(received: now))
            }
            if let decoded {
                count(decoded.passedOver)
                try take(decoded, of: known.message)
            }
        } catch {
            reject(known.message, error)
            if let stream = known.stream { giveUpPlace(of: known.message, stream: stream) }
            let isDepth = (known.stream ?? settings.producers.route(of: known.message.topic)?.stream) == .submersion
            if isDepth, error.reason == .notFinite { doubtDepth() }
        }
    }

    private mutating func count(_ passedOver: PassedOver) {
        guard ownsMessage else { return }
        counters.repeatedReadings += passedOver.repeated
        for (name, count) in passedOver.ignored.sorted(by: { $0.key < $1.key }) {
            counters.ignoredReadings.add(count, of: name)
        }
    }

    /// A rejected frame came, so the frames after it need not wait for it: its place is taken by nothing.
    private mutating func giveUpPlace(of message: InboundMessage, stream: StreamName) {
        guard let header = decoder.native.header(stream: stream, payload: message.payload, limits: settings.decode),
            let sequence = header.sequence, header.boot == state.boots.current
        else { return }
        let carrier = Carrier(stream)
        let nothing = HeldFrame(
            message: message, carrier: carrier, header: header, firstSample: header.uptime, received: now)
        var steps: [SequenceTracker.Step] = []
        _ = state.sequences[carrier]?
            .accept(nothing, sequence: sequence, maximumHeld: settings.reorderFrames, into: &steps)
        run(steps)
    }

    /// What a message on one of the contract's topics holds; nil when it is done with.
    private mutating func decode(_ message: InboundMessage, streamName: Substring) throws(Rejection) -> DecodedMessage? {
        guard let stream = StreamName(rawValue: String(streamName)) else {
            throw Rejection(.unknownStream, "no stream has that name")
        }
        if message.retain, !stream.isRetained {
            count(\.retainedIgnored)
            return nil
        }
        if message.payload.isEmpty {
            guard stream.isRetained else { throw Rejection(.emptyPayload, "the payload is empty") }
            stream == .status ? forgetDevice() : forgetWorkout()
            return nil
        }
        let decoded = try decoder.decode(message, stream: stream, limits: settings.decode)
        if let frame = decoded.frames.first { try checkAge(of: frame, stream: stream) }
        return decoded
    }

    private mutating func take(_ decoded: DecodedMessage, of message: InboundMessage) throws(Rejection) {
        switch decoded.content {
        case .lastWill(let frame): return takeLastWill(frame)
        case .presence(let presence): return takePresence(presence, decoded.header)
        case .frames(let frames):
            // What holds nothing and has no place in an order changes nothing, not even the boot.
            guard !frames.isEmpty || decoded.header.sequence != nil else { return count(\.processed) }
        }
        if message.retain, decoded.carrier.stream?.isRetained != true {
            count(\.retainedIgnored)
            return
        }
        let isFromBefore = message.retain && !state.clock.startedBefore(decoded.header)
        switch state.boots.standing(of: decoded.header.boot, isFromBefore: isFromBefore) {
        case .earlier:
            count(\.late)
            return
        case .new: enterBoot(decoded.header)
        case .current: break
        }
        try order(message, decoded)
    }

    private func checkAge(of frame: DecodedFrame, stream: StreamName) throws(Rejection) {
        guard let limit = settings.maximumAgeSeconds, let sent = frame.header.sent else { return }
        switch stream {
        case .status, .workout, .recordedAccelerometer, .pedometer: return
        default: break
        }
        let age = now.unix - sent
        if age > limit {
            throw Rejection(.tooOld, at: "/sent", "the frame is \(Int(exactly: age.rounded()) ?? .max) s old")
        }
    }

    private mutating func order(_ message: InboundMessage, _ decoded: DecodedMessage) throws(Rejection) {
        let learned = learnConventions(of: decoded)
        if !learned.isEmpty { try releaseAwaitingConvention(learned) }
        let carrier = decoded.carrier
        guard decoded.frames.allSatisfy(isConventionKnown) else {
            return awaitConvention(
                HeldFrame(
                    message: message, carrier: carrier, header: decoded.header, firstSample: decoded.header.uptime, received: now)
            )
        }
        let normalized = try normalize(decoded, received: now)
        let start = normalized.map(\.start).min() ?? decoded.header.uptime
        let frame = HeldFrame(
            message: message, carrier: carrier, header: decoded.header, firstSample: start, received: now)
        guard let sequence = decoded.header.sequence else {
            state.clock.observe(decoded.header, at: now)
            for normalized in normalized { process(normalized, held: frame) }
            return
        }
        var steps: [SequenceTracker.Step] = []
        var tracker = state.sequences[carrier] ?? SequenceTracker()
        let offset = normalized.first?.offset ?? .infinity
        let acceptance =
            message.retain || (tracker.isUnseen && wasSeenBefore(offset: offset))
            ? tracker.acceptAtOnce(frame, sequence: sequence, into: &steps)
            : tracker.accept(frame, sequence: sequence, maximumHeld: settings.reorderFrames, into: &steps)
        state.sequences[carrier] = tracker
        switch acceptance {
        case .repeated:
            count(\.repeated)
            return
        case .held: count(\.held)
        case .taken: break
        }
        fireOverdueTimers(beforeHearing: decoded.header, from: start)
        state.clock.observe(decoded.header, at: now)
        run(steps, fresh: normalized)
    }

    /// Whether a gateway before us will have had the frames before this one: its session was resumed a moment ago, and the device's
    /// boot is older than that.
    private func wasSeenBefore(offset: Double) -> Bool {
        guard let resumedAt else { return false }
        return offset < resumedAt.unix.seconds && now.monotonic - resumedAt.monotonic < Self.resumptionSeconds
    }

    /// A stream that goes on after a restart is heard again within this time; one that is heard later has begun anew.
    private static let resumptionSeconds = 60.0

    /// Ends the waits that are over.
    mutating func expireWaits(_ expiring: WaitExpiry = .all) {
        guard expiring != .none else { return }
        guard let deadline = state.deadline(settings: settings), deadline <= now.monotonic else { return }
        for carrier in carriers where expiring == .all || carrier.stream == .submersion {
            var steps: [SequenceTracker.Step] = []
            state.sequences[carrier]?
                .expire(at: now.monotonic, waitSeconds: settings.reorderSeconds(for: carrier), into: &steps)
            run(steps)
        }
        if expiring == .all { releaseAwaitingWorkout(arrivedBy: now.monotonic - settings.workoutWaitSeconds) }
    }

    /// Processes everything that waits.
    mutating func releaseHeld() {
        for carrier in carriers {
            var steps: [SequenceTracker.Step] = []
            state.sequences[carrier]?.releaseAll(into: &steps)
            run(steps)
        }
        releaseAwaitingWorkout(arrivedBy: .infinity)
    }

    /// What has brought messages with a `seq`: the contract's streams in their order, then producers by their names.
    private var carriers: [Carrier] {
        StreamName.allCases.map { Carrier($0) }
            + state.sequences.keys.filter { $0.stream == nil }.sorted { $0.name < $1.name }
    }

    /// Runs steps in order. A message that waited is decoded again: it was kept as it came.
    private mutating func run(_ steps: [SequenceTracker.Step], fresh: [NormalizedFrame] = []) {
        var gap: (first: UInt64, count: UInt64)?
        for step in steps {
            switch step {
            case .missing(let first, let count): gap = (first, count)
            case .process(let held):
                let frames = fresh.first?.header == held.header ? fresh : read(held)
                if let gap, !frames.isEmpty {
                    for frame in frames { tellMissing(gap.first, gap.count, before: frame) }
                }
                if !frames.isEmpty { gap = nil }
                for frame in frames { process(frame, held: held) }
            }
        }
    }

    /// Reads a held message; nothing for the place of a rejected one.
    func read(_ held: HeldFrame) -> [NormalizedFrame] {
        guard let decoded = decode(held) else { return [] }
        return (try? normalize(decoded, received: held.received)) ?? []
    }

    /// Takes a message that waited for its units as if it had come now.
    mutating func takeAgain(_ held: HeldFrame) throws(Rejection) {
        if let decoded = decode(held) { try order(held.message, decoded) }
    }

    private func decode(_ held: HeldFrame) -> DecodedMessage? {
        guard let stream = held.carrier.stream else {
            return try? decoder.decode(held.message, context: producerContext(received: held.received))
        }
        return try? decoder.decode(held.message, stream: stream, limits: settings.decode)
    }

    private func producerContext(received: GatewayTime) -> ProducerContext {
        ProducerContext(limits: settings.decode, received: received)
    }

    /// Brings frames to the model's units and to device time.
    private func normalize(_ decoded: DecodedMessage, received: GatewayTime) throws(Rejection) -> [NormalizedFrame] {
        var clock = state.clock
        clock.observe(decoded.header, at: received)
        return try decoded.frames.map { frame throws(Rejection) in
            try NormalizedFrame(
                frame, stream: frame.body.stream, clock: clock, conventions: state.conventions,
                futureSkewSeconds: settings.futureSkewSeconds, received: received)
        }
    }

    private mutating func tellMissing(_ first: UInt64, _ count: UInt64, before frame: NormalizedFrame) {
        let missing = Int(clamping: count)
        guard owns(frame.stream) else { return }
        counters.missingFrames.addSaturated(missing)
        state.accelerometerGaps.skipJoin()
        state.deviceMotionGaps.skipJoin()
        let previous = state.histories[frame.stream]?.latest
        guard let sequence = frame.header.sequence else { return }
        let gap = Gap(
            stream: frame.stream, unit: .frames, expected: missing, received: 0, from: previous?.last ?? frame.start,
            to: frame.start, firstSequence: first)
        publish(
            DerivedEvent(time: frame.start, sequence: first...(sequence - 1), body: .gap(gap)), stream: frame.stream,
            entry: frame.historyEntry)
    }
}
