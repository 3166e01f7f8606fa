import TelemetryModel

/// From allowed frames, and from what happens beside them, to events: loops over the derivations that run.
extension DeviceTurn {
    var facts: DeviceFacts { DeviceFacts(traits: authorizer.traits, isCurrent: context.firesTimers) }

    /// Passes a frame to every derivation of its stream.
    func derive(_ authorized: AuthorizedFrame, isLast: Bool) {
        var frame = authorized.frame
        frame.isLast = isLast
        fuse(&frame)
        switch frame.body {
        case .status(let status):
            let hasAnotherModel = status.model != slot.state.status?.model
            slot.changeStatus { $0 = status }
            if hasAnotherModel { reportKnownKinds() }
        case .workout(let change): slot.state.boot.workouts.insert(change)
        case .batchedIMU(let batch): publishSampleGaps(in: batch, of: frame)
        default: break
        }
        deliver(.frame(frame), of: frame.stream)
        switch frame.stream {
        case .status: reconsider()
        case .command: break
        default: noteActivity(of: frame)
        }
    }

    /// Passes an occurrence to the derivations of `stream`, and publishes their events as derived from that stream; `entry` is
    /// its frame, where the history does not hold it yet.
    func deliver(_ occurrence: Occurrence, of stream: StreamName, entry: FrameHistory.Entry? = nil) {
        for index in context.settings.derive.takers(of: stream) {
            let homes = context.settings.derive.configured[index].declaration.homeStreams
            if stream.concernsAllStreams, !homes.contains(where: owns) { continue }
            take(occurrence, by: index, of: stream, entry: entry)
        }
    }

    /// Passes the event of a published message to the derivations that sum its kind, with the frames that the message names.
    func passOn(_ message: DerivedMessage, of stream: StreamName) {
        let summers = context.settings.derive.summers(of: message.event.body)
        guard !summers.isEmpty else { return }
        var event = message.event
        event.frames = .named(message.source?.sequence)
        for index in summers { take(.event(event, of: stream), by: index, of: stream) }
    }

    private func take(_ occurrence: Occurrence, by index: Int, of stream: StreamName, entry: FrameHistory.Entry? = nil) {
        let configured = context.settings.derive.configured[index]
        for event in step(occurrence, by: index, as: configured) {
            publish(event, stream: stream, entry: entry, version: configured.declaration.version)
        }
    }

    func step(_ occurrence: Occurrence, by index: Int, as configured: any ConfiguredDerivation) -> [DerivedEvent] {
        var output = DerivationOutput()
        let facts = facts
        slot.state.boot.derivations.take(occurrence, by: index, as: configured, facts: facts, into: &output)
        for (name, number) in output.counts { context.counters.noted["\(name)", default: 0].addSaturated(number) }
        return output.events
    }

    /// The source stream of an event that no frame caused and that names none: of the streams with a nominal rate the first with data, else the
    /// first stream.
    func stream(of configured: any ConfiguredDerivation) -> StreamName {
        let streams = configured.declaration.streams
        let steady = streams.filter(\.hasNominalRate)
        return steady.first { slot.state.boot.histories[$0] != nil } ?? steady.first ?? streams.first ?? .status
    }

    // MARK: Beside the data

    /// Records that a frame of `stream` held a number that is not finite, at the last sample that was read.
    func doubt(_ stream: StreamName) {
        guard slot.state.decisions[stream]?.allowed == true, let last = slot.state.boot.histories[stream]?.latest?.last else {
            return
        }
        deliver(.doubt(.value, at: last), of: stream)
    }

    /// Interrupts the derivations of `stream`, or all.
    func interrupt(_ stream: StreamName?, _ cause: Interruption, at time: DeviceTime, isPolicyChange: Bool) {
        for index in stream.map(context.settings.derive.takers) ?? context.settings.derive.running {
            let configured = context.settings.derive.configured[index]
            let version = configured.declaration.version
            for event in step(.interruption(cause, at: time), by: index, as: configured) {
                if isPolicyChange {
                    publishPolicyChange(
                        event.body, of: self.stream(of: configured), quality: event.quality, version: version)
                } else {
                    publish(event, stream: self.stream(of: configured), version: version)
                }
            }
        }
    }

    // MARK: Activity

    /// Records activity of the device that another pipeline received; its boot is used until this pipeline has received a frame
    /// with a `seq`.
    func recordActivity(_ activity: DeviceActivity) {
        intake { intake, rules, actions in
            if let cause = activity.endedBy {
                intake.follow(activity.header, endedRuns: activity.endedRuns, by: cause, rules, into: &actions)
            }
            intake.follow(activity.header, rules, into: &actions)
        }
        guard activity.header.boot == slot.state.boot.id else { return }
        let ownRuns = slot.state.intake.endedRuns
        // What the other lane has not seen of the device's clock yet, this one has: its activity is of a run that has ended.
        guard activity.endedRuns >= ownRuns else { return }
        var activity = activity
        if activity.endedRuns > ownRuns, let estimate = slot.state.intake.clock.estimate(at: now) {
            activity.shift(to: estimate)
        }
        slot.state.boot.noteRun(activity.run, of: activity.stream)
        let age = slot.state.intake.clock.estimate(at: now).map { $0 - activity.header.uptime } ?? 0
        deliver(activity, age: age, entry: activity.entry)
    }

    func noteActivity(of frame: NormalizedFrame) {
        let isExpected = context.settings.derive.takers(of: frame.stream).contains {
            slot.state.boot.derivations[$0]?.expectsData == true
        }
        let activity = DeviceActivity(
            frame, of: device, isSteady: frame.stream.hasNominalRate || isExpected, isCurrent: context.firesTimers,
            ended: (slot.state.intake.endedRuns, slot.state.intake.endedBy))
        if owns(.status) {
            deliver(activity, age: 0)
        } else if owns(frame.stream) {
            context.activities.append(activity)
        }
    }

    private func deliver(_ activity: DeviceActivity, age: Double, entry: FrameHistory.Entry? = nil) {
        for index in context.settings.derive.followers {
            take(.activity(activity, age: age), by: index, of: activity.stream, entry: entry)
        }
    }
}
