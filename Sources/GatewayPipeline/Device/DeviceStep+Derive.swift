import TelemetryModel

/// What a lane derives from its streams.
package struct DerivationSet: Sendable, Equatable, Codable {
    /// Safety lane: depth state, water temperature, dive.
    package var submersion = SubmersionDerivation()
    /// Safety lane: the device's connection.
    package var deviceConnection = DeviceConnectionDerivation()
    /// Motion lane: the headphones' connection.
    package var headphoneConnection = HeadphoneConnectionDerivation()
    /// Motion lane: the pose of the head.
    package var headPose = HeadPoseDerivation()
    /// Bulk lane: impacts and swings.
    package var swing = SwingDerivation()
}

/// From allowed frames, and from time, to events.
extension DeviceStep {
    /// The settings of the submersion derivations with the limit that holds for this device now.
    var submersionSettings: SubmersionSettings {
        var submersion = settings.submersion
        submersion.maximumDepth = authorizer.depthEntitlement.maximumDepth
        return submersion
    }

    /// Lets every derivation of the frame's lane see it.
    mutating func derive(_ authorized: AuthorizedFrame) {
        let frame = authorized.frame
        switch frame.body {
        case .submersion(let samples):
            deriveSubmersion(from: samples)
            noteImmersion(of: frame)
            noteActivity(of: frame, isSteady: state.lanes[.safety]?.derivations.submersion.isSubmerged ?? false)
        case .headphoneMotion(let samples):
            derive(.motion, stream: .headphoneMotion) { derivations, settings, events in
                derivations.headphoneConnection.consume(.samples(samples), settings: settings.headphone, into: &events)
                derivations.headPose.consume(.samples(samples), settings: settings.pose, into: &events)
            }
            noteActivity(of: frame, isSteady: true)
        case .headphoneConnection(let event):
            derive(.motion, stream: .headphoneConnection) { derivations, settings, events in
                derivations.headphoneConnection.consume(.event(event), settings: settings.headphone, into: &events)
                derivations.headPose.consume(.connection(event), settings: settings.pose, into: &events)
            }
            noteActivity(of: frame, isSteady: false)
        case .deviceMotion:
            noteActivity(of: frame, isSteady: true)
        case .batchedIMU(let batch):
            tellSampleGaps(in: batch, of: frame)
            derive(.bulk, stream: .batchedIMU) { derivations, settings, events in
                derivations.swing.consume(batch, settings: settings.swing, into: &events)
            }
            noteActivity(of: frame, isSteady: true)
        case .status(let status):
            state.shared.status = status
            derive(.safety, stream: .status) { derivations, settings, events in
                derivations.deviceConnection.consume(
                    .status(status.state, at: frame.header.uptime, isLastWill: false), settings: settings.device, into: &events)
            }
            reconsider()
        case .workout(let change):
            state.shared.workouts.insert(change)
            for lane in Lane.allCases { releaseAwaitingWorkout(in: lane, arrivedBy: -.infinity) }
            noteActivity(of: frame, isSteady: false)
        case .command(.resetHeadPose):
            derive(.motion, stream: .command) { derivations, settings, events in
                derivations.headPose.consume(.reset(frame.header.uptime), settings: settings.pose, into: &events)
            }
        case .command(.resetCounts): break
        }
    }

    /// Fires every timer that is due before `time`: a sample at the very instant a silence would end is in time.
    mutating func fireTimers(before time: DeviceTime) {
        fireTimers(until: DeviceTime(time.seconds.nextDown))
    }

    /// Fires what was overdue when `frame` arrived, its own length and delay allowed for: live, timers are looked at all the
    /// time, in a replay only when a line comes.
    mutating func fireOverdueTimers(beforeHearing frame: NormalizedFrame) {
        guard let horizon else { return }
        fireTimers(before: horizon - max(0, frame.header.uptime - frame.start))
    }

    /// Fires every timer that is due at or before `time`.
    mutating func fireTimers(until time: DeviceTime) {
        let submersion = submersionSettings
        derive(.safety, stream: .submersion) { derivations, _, events in
            derivations.submersion.fire(until: time, settings: submersion, into: &events)
        }
        derive(.safety, stream: .status) { derivations, settings, events in
            derivations.deviceConnection.fire(until: time, settings: settings.device, into: &events)
        }
        derive(.motion, stream: .headphoneMotion) { derivations, settings, events in
            derivations.headphoneConnection.fire(until: time, settings: settings.headphone, into: &events)
            derivations.headPose.fire(until: time, settings: settings.pose, into: &events)
        }
        derive(.bulk, stream: .batchedIMU) { derivations, settings, events in
            derivations.swing.fire(until: time, settings: settings.swing, into: &events)
        }
    }

    /// When the earliest timer of any lane is due.
    var timerDue: DeviceTime? {
        let submersion = submersionSettings
        return state.lanes.values.flatMap { lane in
            [
                lane.derivations.submersion.due(settings: submersion),
                lane.derivations.deviceConnection.due(settings: settings.device),
                lane.derivations.headphoneConnection.due(settings: settings.headphone),
                lane.derivations.swing.due(settings: settings.swing),
            ].compactMap(\.self)
        }.min()
    }

    /// Decides every swing that still waits for samples.
    mutating func decideOpenSwings() {
        derive(.bulk, stream: .batchedIMU) { derivations, settings, events in
            while let due = derivations.swing.due(settings: settings.swing) {
                derivations.swing.fire(until: due, settings: settings.swing, into: &events)
            }
        }
    }

    /// Takes note that a depth could not be read, at the last sample that could: what is known stays, as a fault.
    mutating func doubtDepth() {
        guard let lane = state.lanes[.safety], lane.derivations.submersion.isSubmerged,
            lane.decisions[.submersion]?.allowed == true, let last = lane.histories[.submersion]?.latest?.last
        else { return }
        deriveSubmersion(from: SubmersionSamples(measurements: [SubmersionMeasurement(time: last, depth: .nan)]))
    }

    private mutating func deriveSubmersion(from samples: SubmersionSamples) {
        let settings = submersionSettings
        let before = state.lanes[.safety]?.derivations.submersion.counters ?? SubmersionCounters()
        derive(.safety, stream: .submersion) { derivations, _, events in
            derivations.submersion.consume(samples, settings: settings, into: &events)
        }
        let after = state.lanes[.safety]?.derivations.submersion.counters ?? before
        counters.depthDisagreements += after.disagreements - before.disagreements
        counters.depthFaults += after.faults - before.faults
    }

    /// Makes the depth state unknown, for a reason that lies outside the data.
    mutating func interruptDepth(cause: DepthCause, isPolicyChange: Bool) {
        guard state.lanes[.safety]?.histories[.submersion] != nil else { return }
        let settings = submersionSettings
        let time = state.shared.clock.estimate(at: now) ?? DeviceTime(0)
        var events: [DerivedEvent] = []
        state.lanes[.safety]?.derivations.submersion.interrupt(cause: cause, at: time, settings: settings, into: &events)
        for event in events {
            if isPolicyChange {
                publishPolicyChange(event.body, quality: event.quality)
            } else {
                publish(event, stream: .submersion)
            }
        }
    }

    /// Lets the derivations of `lane` step, and publishes what comes of it; a lane without state has nothing to say.
    mutating func derive(
        _ lane: Lane, stream: StreamName,
        _ step: (inout DerivationSet, PipelineSettings, inout [DerivedEvent]) -> Void
    ) {
        guard state.lanes[lane] != nil else { return }
        var events: [DerivedEvent] = []
        step(&state.lanes[lane, default: LaneState()].derivations, settings, &events)
        for event in events { publish(event, stream: stream) }
    }

    /// Remembers the frame in which the device went into the water: a dive is told long after that frame is forgotten.
    private mutating func noteImmersion(of frame: NormalizedFrame) {
        guard let lane = state.lanes[.safety] else { return }
        if !lane.derivations.submersion.isUnderWay {
            state.lanes[.safety]?.immersedSince = nil
        } else if lane.immersedSince == nil {
            state.lanes[.safety]?.immersedSince = frame.header.sequence
        }
    }

    private mutating func noteActivity(of frame: NormalizedFrame, isSteady: Bool) {
        if state.lanes[.safety] == nil { state.lanes[.safety] = LaneState() }
        derive(.safety, stream: frame.stream) { derivations, settings, events in
            derivations.deviceConnection.consume(
                .activity(from: frame.start, to: frame.header.uptime, nominalRate: isSteady), settings: settings.device,
                into: &events)
        }
    }

    private mutating func tellSampleGaps(in batch: BatchedIMU, of frame: NormalizedFrame) {
        let lane = Lane(for: .batchedIMU)
        let halves: [Gap?] = [
            batch.accelerometer.flatMap {
                state.lanes[lane]?.accelerometerGaps
                    .consume($0.timestamp, hertz: settings.accelerometerHertz, stream: .batchedIMU)
            },
            batch.deviceMotion.flatMap {
                state.lanes[lane]?.deviceMotionGaps
                    .consume($0.timestamp, hertz: settings.deviceMotionHertz, stream: .batchedIMU)
            },
        ]
        for gap in halves.compactMap(\.self) {
            publish(
                DerivedEvent(time: gap.to, body: .gap(gap)), stream: .batchedIMU, entry: frame.historyEntry)
        }
    }
}
