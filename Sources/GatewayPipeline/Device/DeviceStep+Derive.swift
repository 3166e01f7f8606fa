import TelemetryModel

/// What is derived from a device's streams.
package struct DerivationSet: Sendable, Equatable, Codable {
    /// Depth state, water temperature, dive.
    package var submersion = SubmersionDerivation()
    /// The device's connection.
    package var deviceConnection = DeviceConnectionDerivation()
    /// The headphones' connection.
    package var headphoneConnection = HeadphoneConnectionDerivation()
    /// The pose of the head.
    package var headPose = HeadPoseDerivation()
    /// Impacts and swings.
    package var swing = SwingDerivation()
    /// Forehands and backhands.
    package var stroke = StrokeDerivation()

    /// The version of each, in this order.
    static let versions = [
        SubmersionDerivation.version, DeviceConnectionDerivation.version, HeadphoneConnectionDerivation.version,
        HeadPoseDerivation.version, SwingDerivation.version, StrokeDerivation.version,
    ]
}

/// From allowed frames, and from time, to events.
extension DeviceStep {
    /// The settings of the submersion derivations with the limit that holds for this device now.
    var submersionSettings: SubmersionSettings {
        var submersion = settings.submersion
        submersion.maximumDepth = authorizer.depthEntitlement.maximumDepth
        return submersion
    }

    /// Lets every derivation of the frame's stream see it.
    mutating func derive(_ authorized: AuthorizedFrame) {
        let frame = authorized.frame
        switch frame.body {
        case .submersion(let samples):
            deriveSubmersion(from: samples)
            noteImmersion(of: frame)
            noteActivity(of: frame, isSteady: state.derivations.submersion.isSubmerged)
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
            state.status = status
            if owns(.status) {
                derive(stream: .status) { derivations, settings, events in
                    derivations.deviceConnection.consume(
                        .status(status.state, at: frame.header.uptime, isLastWill: false), settings: settings.device,
                        into: &events)
                }
            }
            reconsider()
        case .workout(let change):
            state.workouts.insert(change)
            releaseAwaitingWorkout(arrivedBy: -.infinity)
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
    mutating func fireTimers(before time: DeviceTime) {
        fireTimers(until: DeviceTime(time.seconds.nextDown))
    }

    /// Fires what was overdue when a message arrived, its own length and delay allowed for: live, timers are looked at all the
    /// time, in a replay only when a line comes.
    mutating func fireOverdueTimers(beforeHearing header: FrameHeader, from start: DeviceTime) {
        guard let horizon else { return }
        fireTimers(before: horizon - max(0, header.uptime - start))
    }

    /// Fires every timer that is due at or before `time`.
    mutating func fireTimers(until time: DeviceTime) {
        let submersion = submersionSettings
        derive(stream: .submersion) { derivations, _, events in
            derivations.submersion.fire(until: time, settings: submersion, into: &events)
        }
        derive(stream: .status) { derivations, settings, events in
            derivations.deviceConnection.fire(until: time, settings: settings.device, into: &events)
        }
        derive(stream: .headphoneMotion) { derivations, settings, events in
            derivations.headphoneConnection.fire(until: time, settings: settings.headphone, into: &events)
            derivations.headPose.fire(until: time, settings: settings.pose, into: &events)
        }
        derive(stream: .batchedIMU) { derivations, settings, events in
            derivations.swing.fire(until: time, settings: settings.swing, into: &events)
        }
        derive(stream: strokeStream) { derivations, settings, events in
            derivations.stroke.fire(until: time, settings: settings.stroke, into: &events)
        }
    }

    /// When the earliest timer is due.
    var timerDue: DeviceTime? {
        let submersion = submersionSettings
        return [
            state.derivations.submersion.due(settings: submersion),
            state.derivations.deviceConnection.due(settings: settings.device),
            state.derivations.headphoneConnection.due(settings: settings.headphone),
            state.derivations.swing.due(settings: settings.swing),
            state.derivations.stroke.due(settings: settings.stroke),
        ].compactMap(\.self).min()
    }

    /// Decides every swing and stroke that still waits for samples.
    mutating func decideOpenSwings() {
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

    private mutating func countStrokes(in samples: MotionSamples, of stream: StreamName) {
        guard settings.strokeStreams.contains(stream) else { return }
        let wrist = settings.strokeWrist ?? policy.wrist ?? state.status?.wristLocation
        derive(stream: stream) { derivations, settings, events in
            derivations.stroke.consume(.samples(samples, wrist: wrist), settings: settings.stroke, into: &events)
        }
    }

    /// The stream that strokes are counted from here.
    private var strokeStream: StreamName { state.histories[.deviceMotion] == nil ? .batchedIMU : .deviceMotion }

    /// Takes note that a depth could not be read, at the last sample that could: what is known stays, as a fault.
    mutating func doubtDepth() {
        guard state.derivations.submersion.isSubmerged, state.decisions[.submersion]?.allowed == true,
            let last = state.histories[.submersion]?.latest?.last
        else { return }
        deriveSubmersion(from: SubmersionSamples(measurements: [SubmersionMeasurement(time: last, depth: .nan)]))
    }

    private mutating func deriveSubmersion(from samples: SubmersionSamples) {
        let settings = submersionSettings
        let before = state.derivations.submersion.counters
        let isConfirming = state.isDepthUnconfirmed && !(samples.measurements.isEmpty && samples.events.isEmpty)
        if isConfirming { state.isDepthUnconfirmed = false }
        derive(stream: .submersion) { derivations, _, events in
            derivations.submersion.consume(samples, settings: settings, into: &events)
            guard isConfirming, !events.contains(where: \.body.isDepthState) else { return }
            let last = samples.measurements.last?.time ?? samples.events.last?.time
            if let last { derivations.submersion.confirm(at: last, settings: settings, into: &events) }
        }
        let after = state.derivations.submersion.counters
        counters.depthDisagreements += after.disagreements - before.disagreements
        counters.depthFaults += after.faults - before.faults
    }

    /// Makes the depth state unknown, for a reason that lies outside the data.
    mutating func interruptDepth(cause: DepthCause, isPolicyChange: Bool) {
        guard state.histories[.submersion] != nil else { return }
        let settings = submersionSettings
        let time = state.clock.estimate(at: now) ?? DeviceTime(0)
        var events: [DerivedEvent] = []
        state.derivations.submersion.interrupt(cause: cause, at: time, settings: settings, into: &events)
        for event in events {
            if isPolicyChange {
                publishPolicyChange(event.body, quality: event.quality)
            } else {
                publish(event, stream: .submersion)
            }
        }
    }

    /// Lets the derivations step, and publishes what comes of it as derived from `stream`.
    mutating func derive(
        stream: StreamName, entry: FrameHistory.Entry? = nil,
        _ step: (inout DerivationSet, PipelineSettings, inout [DerivedEvent]) -> Void
    ) {
        var events: [DerivedEvent] = []
        step(&state.derivations, settings, &events)
        for event in events { publish(event, stream: stream, entry: entry) }
    }

    /// Remembers the frame in which the device went into the water: a dive is told long after that frame is forgotten.
    private mutating func noteImmersion(of frame: NormalizedFrame) {
        if !state.derivations.submersion.isUnderWay {
            state.immersedSince = nil
        } else if state.immersedSince == nil {
            state.immersedSince = frame.header.sequence
        }
    }

    private mutating func noteActivity(of frame: NormalizedFrame, isSteady: Bool) {
        let activity = DeviceActivity(frame, of: device, isSteady: isSteady)
        if owns(.status) { judgeConnection(by: activity) } else if owns(frame.stream) { activities.append(activity) }
    }

    /// Takes note of what another pipeline has heard of the device; of its boot only as long as nobody here knows better.
    mutating func hear(_ activity: DeviceActivity) {
        if state.sequences.isEmpty {
            if state.boots.standing(of: activity.header.boot, isFromBefore: false) == .new { enterBoot(activity.header) }
            state.clock.observe(activity.header, at: now)
        }
        guard activity.header.boot == state.boots.current else { return }
        // What comes from a queue tells of the past: it must not lift a silence that goes on.
        if let estimate = state.clock.estimate(at: now), estimate - activity.header.uptime > settings.device.limit { return }
        judgeConnection(by: activity, entry: activity.entry)
    }

    /// Lets the device's connection see that the device was active.
    private mutating func judgeConnection(by activity: DeviceActivity, entry: FrameHistory.Entry? = nil) {
        derive(stream: activity.stream, entry: entry) { derivations, settings, events in
            derivations.deviceConnection.consume(
                .activity(from: activity.entry.first, to: activity.header.uptime, nominalRate: activity.isSteady),
                settings: settings.device, into: &events)
        }
    }

    private mutating func tellSampleGaps(in batch: BatchedIMU, of frame: NormalizedFrame) {
        let halves: [Gap?] = [
            batch.accelerometer.flatMap {
                state.accelerometerGaps
                    .consume($0.timestamp, hertz: settings.accelerometerHertz, stream: .batchedIMU)
            },
            batch.deviceMotion.flatMap {
                state.deviceMotionGaps
                    .consume($0.timestamp, hertz: settings.deviceMotionHertz, stream: .batchedIMU)
            },
        ]
        for gap in halves.compactMap(\.self) {
            publish(
                DerivedEvent(time: gap.to, body: .gap(gap)), stream: .batchedIMU, entry: frame.historyEntry)
        }
    }
}
