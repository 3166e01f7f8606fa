import TelemetryModel

/// From allowed frames, and from time, to events.
extension DeviceTurn {
    /// The settings of the submersion derivations with the limit that holds for this device now.
    var submersionSettings: SubmersionSettings {
        var submersion = settings.submersion
        submersion.maximumDepth = authorizer.depthEntitlement.maximumDepth
        return submersion
    }

    /// Lets every derivation of the frame's stream see it.
    func derive(_ authorized: AuthorizedFrame) {
        let frame = authorized.frame
        switch frame.body {
        case .submersion(let samples):
            deriveSubmersion(from: samples)
            noteImmersion(of: frame)
            noteActivity(of: frame, isSteady: slot.state.boot.derivations.submersion.isSubmerged)
        case .headphoneMotion(let samples):
            derive(stream: .headphoneMotion) { derivations, settings, events in
                derivations.headphoneConnection.consume(.samples(samples), settings: settings.headphone, into: &events)
                derivations.headPose.consume(.samples(samples), settings: settings.pose, into: &events)
            }
            noteActivity(of: frame, isSteady: true)
        case .headphoneConnection(let event):
            derive(stream: .headphoneConnection) { derivations, settings, events in
                derivations.headphoneConnection.consume(.event(event), settings: settings.headphone, into: &events)
                derivations.headPose.consume(.connection(event), settings: settings.pose, into: &events)
            }
            noteActivity(of: frame, isSteady: false)
        case .deviceMotion(let samples):
            countStrokes(in: samples, of: .deviceMotion)
            noteActivity(of: frame, isSteady: true)
        case .batchedIMU(let batch):
            tellSampleGaps(in: batch, of: frame)
            derive(stream: .batchedIMU) { derivations, settings, events in
                derivations.swing.consume(batch, settings: settings.swing, into: &events)
            }
            if let samples = batch.deviceMotion { countStrokes(in: samples, of: .batchedIMU) }
            noteActivity(of: frame, isSteady: true)
        case .status(let status):
            slot.state.status = status
            if owns(.status) {
                derive(stream: .status) { derivations, settings, events in
                    derivations.deviceConnection.consume(
                        .status(status.state, at: frame.header.uptime, isLastWill: false), settings: settings.device,
                        into: &events)
                }
            }
            reconsider()
        case .workout(let change):
            slot.state.boot.workouts.insert(change)
            noteActivity(of: frame, isSteady: false)
        case .command(.resetHeadPose):
            derive(stream: .command) { derivations, settings, events in
                derivations.headPose.consume(.reset(frame.header.uptime), settings: settings.pose, into: &events)
            }
        case .command(.resetCounts):
            derive(stream: .command) { derivations, settings, events in
                derivations.stroke.consume(.resetCounts, settings: settings.stroke, into: &events)
            }
        }
    }

    /// Fires every timer that is due before `time`: a sample at the very instant a silence would end is in time.
    func fireTimers(before time: DeviceTime) {
        fireTimers(until: TimerLimit(time: DeviceTime(time.seconds.nextDown), waiting: [:]))
    }

    /// Fires every timer that is due at or before a limit. A derivation whose timers are not due is not touched.
    func fireTimers(until limit: TimerLimit) {
        let (submersion, settings) = (submersionSettings, context.settings)
        fire(\.submersion, submersion, until: limit, [.submersion], from: .submersion)
        fire(\.deviceConnection, settings.device, until: limit, Set(StreamName.allCases), from: .status)
        fire(
            \.headphoneConnection, settings.headphone, until: limit, [.headphoneMotion, .headphoneConnection],
            from: .headphoneMotion)
        fire(\.swing, settings.swing, until: limit, [.batchedIMU], from: .batchedIMU)
        fire(\.stroke, settings.stroke, until: limit, [.deviceMotion, .batchedIMU], from: strokeStream)
    }

    private func fire<Value: Derivation>(
        _ derivation: WritableKeyPath<DerivationSet, Value>, _ settings: Value.Settings, until limit: TimerLimit,
        _ streams: Set<StreamName>, from stream: StreamName
    ) {
        let time = limit.limit(for: streams)
        guard let due = slot.state.boot.derivations[keyPath: derivation].due(settings: settings), due <= time else { return }
        derive(stream: stream) { derivations, _, events in
            derivations[keyPath: derivation].fire(until: time, settings: settings, into: &events)
        }
    }

    /// When the earliest timer is due that may fire; nil where none runs, or all wait for samples that are to come.
    func timerDue(within limit: TimerLimit) -> DeviceTime? {
        let derivations = slot.state.boot.derivations
        let timers: [(DeviceTime?, Set<StreamName>)] = [
            (derivations.submersion.due(settings: submersionSettings), [.submersion]),
            (derivations.deviceConnection.due(settings: settings.device), Set(StreamName.allCases)),
            (derivations.headphoneConnection.due(settings: settings.headphone), [.headphoneMotion, .headphoneConnection]),
            (derivations.swing.due(settings: settings.swing), [.batchedIMU]),
            (derivations.stroke.due(settings: settings.stroke), [.deviceMotion, .batchedIMU]),
        ]
        let unbounded = TimerLimit(time: DeviceTime(.infinity), waiting: limit.waiting)
        return timers.compactMap { due, streams in due.flatMap { $0 <= unbounded.limit(for: streams) ? $0 : nil } }.min()
    }

    /// Decides every swing and stroke that still waits for samples.
    func decideOpenSwings() {
        derive(stream: .batchedIMU) { derivations, settings, events in
            while let due = derivations.swing.due(settings: settings.swing) {
                derivations.swing.fire(until: due, settings: settings.swing, into: &events)
            }
        }
        derive(stream: strokeStream) { derivations, settings, events in
            while let due = derivations.stroke.due(settings: settings.stroke) {
                derivations.stroke.fire(until: due, settings: settings.stroke, into: &events)
            }
        }
    }

    private func countStrokes(in samples: MotionSamples, of stream: StreamName) {
        guard settings.strokeStreams.contains(stream) else { return }
        let wrist = settings.strokeWrist ?? slot.policy.wrist ?? slot.state.status?.wristLocation
        derive(stream: stream) { derivations, settings, events in
            derivations.stroke.consume(.samples(samples, wrist: wrist), settings: settings.stroke, into: &events)
        }
    }

    /// The stream that strokes are counted from here.
    private var strokeStream: StreamName { slot.state.boot.histories[.deviceMotion] == nil ? .batchedIMU : .deviceMotion }

    /// Takes note that a depth could not be read, at the last sample that could: what is known stays, as a fault.
    func doubtDepth() {
        guard slot.state.boot.derivations.submersion.isSubmerged, slot.state.decisions[.submersion]?.allowed == true,
            let last = slot.state.boot.histories[.submersion]?.latest?.last
        else { return }
        deriveSubmersion(from: SubmersionSamples(measurements: [SubmersionMeasurement(time: last, depth: .nan)]))
    }

    private func deriveSubmersion(from samples: SubmersionSamples) {
        let settings = submersionSettings
        let before = slot.state.boot.derivations.submersion.counters
        let isConfirming = slot.state.boot.frames.isDepthUnconfirmed && !(samples.measurements.isEmpty && samples.events.isEmpty)
        if isConfirming { slot.state.boot.frames.isDepthUnconfirmed = false }
        derive(stream: .submersion) { derivations, _, events in
            derivations.submersion.consume(samples, settings: settings, into: &events)
            guard isConfirming, !events.contains(where: { $0.body is DepthStateChange }) else { return }
            let last = samples.measurements.last?.time ?? samples.events.last?.time
            if let last { derivations.submersion.confirm(at: last, settings: settings, into: &events) }
        }
        let after = slot.state.boot.derivations.submersion.counters
        context.counters.depthDisagreements += after.disagreements - before.disagreements
        context.counters.depthFaults += after.faults - before.faults
    }

    /// Makes the depth state unknown, for a reason that lies outside the data.
    func interruptDepth(cause: DepthCause, at time: DeviceTime, isPolicyChange: Bool) {
        guard slot.state.boot.histories[.submersion] != nil else { return }
        let settings = submersionSettings
        var events: [DerivedEvent] = []
        slot.state.boot.derivations.submersion.interrupt(cause: cause, at: time, settings: settings, into: &events)
        for event in events {
            if isPolicyChange {
                publishPolicyChange(event.body, quality: event.quality)
            } else {
                publish(event, stream: .submersion)
            }
        }
    }

    /// Lets the derivations step, and publishes what comes of it as derived from `stream`.
    func derive(
        stream: StreamName, entry: FrameHistory.Entry? = nil,
        _ step: (inout DerivationSet, PipelineSettings, inout [DerivedEvent]) -> Void
    ) {
        var events: [DerivedEvent] = []
        step(&slot.state.boot.derivations, settings, &events)
        for event in events { publish(event, stream: stream, entry: entry) }
    }

    /// Remembers the frame in which the device went into the water: a dive is told long after that frame is forgotten.
    private func noteImmersion(of frame: NormalizedFrame) {
        if !slot.state.boot.derivations.submersion.isUnderWay {
            slot.state.boot.frames.immersedSince = nil
        } else if slot.state.boot.frames.immersedSince == nil {
            slot.state.boot.frames.immersedSince = frame.header.sequence
        }
    }

    private func noteActivity(of frame: NormalizedFrame, isSteady: Bool) {
        let activity = DeviceActivity(frame, of: device, isSteady: isSteady)
        if owns(.status) { judgeConnection(by: activity) } else if owns(frame.stream) { context.activities.append(activity) }
    }

    /// Notes activity of the device that another pipeline has seen; its boot counts as long as this one knows no better.
    func recordActivity(_ activity: DeviceActivity) {
        intake { intake, rules, actions in intake.follow(activity.header, rules, into: &actions) }
        guard activity.header.boot == slot.state.boot.id else { return }
        // What comes from a queue is from the past: it must not end a silence that goes on.
        if let estimate = slot.state.intake.clock.estimate(at: now), estimate - activity.header.uptime > settings.device.limit {
            return
        }
        judgeConnection(by: activity, entry: activity.entry)
    }

    /// Lets the device's connection see that the device was active.
    private func judgeConnection(by activity: DeviceActivity, entry: FrameHistory.Entry? = nil) {
        derive(stream: activity.stream, entry: entry) { derivations, settings, events in
            derivations.deviceConnection.consume(
                .activity(from: activity.entry.first, to: activity.header.uptime, nominalRate: activity.isSteady),
                settings: settings.device, into: &events)
        }
    }

    private func tellSampleGaps(in batch: BatchedIMU, of frame: NormalizedFrame) {
        let halves: [Gap?] = [
            batch.accelerometer.flatMap {
                slot.state.boot.frames.accelerometerGaps
                    .consume($0.timestamp, hertz: settings.accelerometerHertz, stream: .batchedIMU)
            },
            batch.deviceMotion.flatMap {
                slot.state.boot.frames.deviceMotionGaps
                    .consume($0.timestamp, hertz: settings.deviceMotionHertz, stream: .batchedIMU)
            },
        ]
        for gap in halves.compactMap(\.self) {
            publish(
                DerivedEvent(time: gap.to, body: gap), stream: .batchedIMU, entry: frame.historyEntry)
        }
    }
}
