import TelemetryModel

/// Decode, boots, sequence: which frames are to be processed now, and in what order.
extension DeviceStep {
    /// Takes one message of the device that came on the topic of `streamName`.
    mutating func take(_ message: InboundMessage, streamName: Substring) {
        ownsMessage = StreamName(rawValue: String(streamName)).map(owns) ?? true
        do throws(Rejection) {
            try takeUnlessRejected(message, streamName: streamName)
        } catch {
            reject(message, error)
            guard let stream = StreamName(rawValue: String(streamName)) else { return }
            giveUpPlace(of: message, stream: stream)
            if stream == .submersion, error.reason == .notFinite { doubtDepth() }
        }
    }

    /// A rejected frame came, so the frames after it need not wait for it: its place is taken by nothing.
    private mutating func giveUpPlace(of message: InboundMessage, stream: StreamName) {
        guard let header = decoder.header(stream: stream, payload: message.payload, limits: settings.decode),
            let sequence = header.sequence, header.boot == state.boots.current
        else { return }
        let nothing = HeldFrame(
            message: message, stream: stream, header: header, firstSample: header.uptime, received: now)
        var steps: [SequenceTracker.Step] = []
        _ = state.sequences[stream]?
            .accept(nothing, sequence: sequence, maximumHeld: settings.reorderFrames, into: &steps)
        run(steps)
    }

    private mutating func takeUnlessRejected(_ message: InboundMessage, streamName: Substring) throws(Rejection) {
        guard let stream = StreamName(rawValue: String(streamName)) else {
            throw Rejection(.unknownStream, "no stream has that name")
        }
        if message.retain, !stream.isRetained {
            count(\.retainedIgnored)
            return
        }
        if message.payload.isEmpty {
            guard stream.isRetained else { throw Rejection(.emptyPayload, "the payload is empty") }
            return stream == .status ? forgetDevice() : forgetWorkout()
        }
        let decoded = try decoder.decode(
            stream: stream, payload: message.payload, contentType: message.contentType, limits: settings.decode)
        try checkAge(of: decoded, stream: stream)
        if decoded.isLastWill { return takeLastWill(decoded) }
        let isFromBefore = message.retain && !state.clock.startedBefore(decoded.header)
        switch state.boots.standing(of: decoded.header.boot, isFromBefore: isFromBefore) {
        case .earlier:
            count(\.late)
            return
        case .new: enterBoot(decoded.header)
        case .current: break
        }
        try order(message, decoded, stream: stream)
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

    private mutating func takeLastWill(_ frame: DecodedFrame) {
        guard frame.header.boot == state.boots.current else {
            count(\.late)
            return
        }
        releaseHeld()
        state.status?.state = .offline
        guard owns(.status) else { return }
        let time = state.clock.estimate(at: now) ?? DeviceTime(0)
        derive(stream: .status) { derivations, settings, events in
            derivations.deviceConnection.consume(
                .status(.offline, at: time, isLastWill: true), settings: settings.device, into: &events)
        }
        count(\.processed)
    }

    /// Leaves the boot before, if there was one: what waits is processed, what was known under water is known no more.
    mutating func enterBoot(_ header: FrameHeader) {
        let isReboot = state.boots.current != nil
        if isReboot {
            tick()
            drain()
            interruptDepth(cause: .restart, isPolicyChange: false)
        }
        state.boots.enter(header.boot)
        guard isReboot else {
            state.clock = DeviceClock()
            state.workouts = WorkoutHistory()
            return
        }
        var fresh = DeviceState()
        fresh.boots = state.boots
        fresh.status = state.status
        fresh.decisions = state.decisions
        fresh.retained = state.retained
        fresh.rejections = state.rejections
        fresh.derivations.deviceConnection = DeviceConnectionDerivation(rebooting: state.derivations.deviceConnection)
        state = fresh
    }

    private mutating func order(
        _ message: InboundMessage, _ decoded: DecodedFrame, stream: StreamName
    ) throws(Rejection) {
        let normalized = try normalize(decoded, stream: stream, received: now)
        let frame = HeldFrame(
            message: message, stream: stream, header: decoded.header, firstSample: normalized.start, received: now)
        guard let sequence = decoded.header.sequence else {
            state.clock.observe(decoded.header, at: now)
            return process(normalized, held: frame)
        }
        var steps: [SequenceTracker.Step] = []
        var tracker = state.sequences[stream] ?? SequenceTracker()
        let acceptance =
            message.retain || (tracker.isUnseen && wasSeenBefore(normalized))
            ? tracker.acceptAtOnce(frame, sequence: sequence, into: &steps)
            : tracker.accept(frame, sequence: sequence, maximumHeld: settings.reorderFrames, into: &steps)
        state.sequences[stream] = tracker
        switch acceptance {
        case .repeated:
            count(\.repeated)
            return
        case .held: count(\.held)
        case .taken: break
        }
        fireOverdueTimers(beforeHearing: normalized)
        state.clock.observe(decoded.header, at: now)
        run(steps, fresh: normalized)
    }

    /// Whether a gateway before us will have had the frames before this one: its session was resumed a moment ago, and the device's
    /// boot is older than that.
    private func wasSeenBefore(_ frame: NormalizedFrame) -> Bool {
        guard let resumedAt else { return false }
        return frame.offset < resumedAt.unix.seconds && now.monotonic - resumedAt.monotonic < Self.resumptionSeconds
    }

    /// A stream that goes on after a restart is heard again within this time; one that is heard later has begun anew.
    private static let resumptionSeconds = 60.0

    /// Ends the waits that are over.
    mutating func expireWaits() {
        guard let deadline = state.deadline(settings: settings), deadline <= now.monotonic else { return }
        for stream in StreamName.allCases {
            var steps: [SequenceTracker.Step] = []
            state.sequences[stream]?
                .expire(at: now.monotonic, waitSeconds: settings.reorderSeconds(for: stream), into: &steps)
            run(steps)
        }
        releaseAwaitingWorkout(arrivedBy: now.monotonic - settings.workoutWaitSeconds)
    }

    /// Processes everything that waits.
    mutating func releaseHeld() {
        for stream in StreamName.allCases {
            var steps: [SequenceTracker.Step] = []
            state.sequences[stream]?.releaseAll(into: &steps)
            run(steps)
        }
        releaseAwaitingWorkout(arrivedBy: .infinity)
    }

    /// Runs steps in order. A frame that waited is decoded again: it was kept as it came.
    private mutating func run(_ steps: [SequenceTracker.Step], fresh: NormalizedFrame? = nil) {
        var gap: (first: UInt64, count: UInt64)?
        for step in steps {
            switch step {
            case .missing(let first, let count): gap = (first, count)
            case .process(let held):
                guard let frame = read(held, unless: fresh) else { continue }
                if let gap { tellMissing(gap.first, gap.count, before: frame) }
                gap = nil
                process(frame, held: held)
            }
        }
    }

    /// Reads a held frame; nil for the place of a rejected one.
    func read(_ held: HeldFrame, unless fresh: NormalizedFrame? = nil) -> NormalizedFrame? {
        if let fresh, fresh.header == held.header { return fresh }
        guard
            let decoded = try? decoder.decode(
                stream: held.stream, payload: held.message.payload, contentType: held.message.contentType,
                limits: settings.decode)
        else { return nil }
        return try? normalize(decoded, stream: held.stream, received: held.received)
    }

    /// Brings a frame to the model's units and to device time.
    private func normalize(
        _ frame: DecodedFrame, stream: StreamName, received: GatewayTime
    ) throws(Rejection) -> NormalizedFrame {
        var clock = state.clock
        clock.observe(frame.header, at: received)
        return try NormalizedFrame(
            frame, stream: stream, clock: clock, futureSkewSeconds: settings.futureSkewSeconds, received: received)
    }

    private mutating func tellMissing(_ first: UInt64, _ count: UInt64, before frame: NormalizedFrame) {
        let missing = Int(clamping: count)
        guard owns(frame.stream) else { return }
        counters.missingFrames += missing
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
