import TelemetryModel

/// From allowed frames, and from time, to events: loops over the derivations that run.
extension DeviceTurn {
    private var facts: DeviceFacts { DeviceFacts(traits: authorizer.traits, isCurrent: context.firesTimers) }

    /// Passes a frame to every derivation of its stream.
    func derive(_ authorized: AuthorizedFrame, isLast: Bool) {
        var frame = authorized.frame
        frame.isLast = isLast
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

    /// Passes a published event to the derivations that sum its kind.
    func passOn(_ event: DerivedEvent, of stream: StreamName) {
        for index in context.settings.derive.summers(of: event.body) {
            take(.event(event, of: stream), by: index, of: stream)
        }
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

    // MARK: Time

    /// Fires every timer that is due before a frame of `stream` whose first sample is of `time`: a sample at the instant at which silence
    /// is due is in time. Timers of other streams do not run past frames of theirs that wait.
    func fireTimers(before time: DeviceTime, of stream: StreamName) {
        let limit = TimerLimit(time: DeviceTime(time.seconds.nextDown), waitingStreams, redelivery)
        fireTimers(until: limit, completing: stream)
    }

    /// Fires every timer that is due at or before a limit. A derivation whose timers are not due is not changed. `stream` has no frame
    /// before the limit that is still to come.
    func fireTimers(until limit: TimerLimit, completing stream: StreamName? = nil) {
        for index in context.settings.derive.running {
            guard let due = timer(of: index), due <= limit.time else { continue }
            let configured = context.settings.derive.configured[index]
            let isComplete = stream.map(configured.declaration.homeStreams.contains) ?? false
            guard !isHeld(configured, limit, isComplete: isComplete) else { continue }
            let time = isComplete ? limit.time : limit.limit(for: configured.awaitedStreams)
            if due <= time { fireTimers(of: index, configured, until: time) }
        }
    }

    /// Whether the timers of a derivation are held until the broker delivers nothing again, here and to other pipelines.
    private func isHeld(
        _ configured: any ConfiguredDerivation, _ limit: TimerLimit, isComplete: Bool = false
    ) -> Bool {
        (limit.awaitsActivity && configured.declaration.followsActivity)
            || limit.redelivery.holdsTimers(of: configured.declaration, isComplete: isComplete)
    }

    /// Whether a timer runs that is held until the broker delivers nothing again.
    func holdsTimer(within limit: TimerLimit) -> Bool {
        guard limit.redelivery.isAwaited else { return false }
        return context.settings.derive.running.contains { index in
            timer(of: index) != nil && isHeld(context.settings.derive.configured[index], limit)
        }
    }

    /// When the timer of a derivation is due; nil where none runs, as without a state.
    private func timer(of index: Int) -> DeviceTime? {
        slot.state.boot.derivations.due(of: index, as: context.settings.derive.configured[index])
    }

    private func fireTimers(of index: Int, _ configured: any ConfiguredDerivation, until time: DeviceTime) {
        var events: [DerivedEvent] = []
        let facts = facts
        slot.state.boot.derivations.fire(until: time, by: index, as: configured, facts: facts, into: &events)
        for event in events { publish(event, stream: stream(of: configured), version: configured.declaration.version) }
    }

    /// When the earliest timer is due that may fire; nil where none runs, or all wait for samples.
    func timerDue(within limit: TimerLimit) -> DeviceTime? {
        var unbounded = limit
        unbounded.time = DeviceTime(.infinity)
        var earliest: DeviceTime?
        for index in context.settings.derive.running {
            guard let due = timer(of: index) else { continue }
            if limit.isSelective {
                let configured = context.settings.derive.configured[index]
                guard !isHeld(configured, limit), due <= unbounded.limit(for: configured.awaitedStreams) else { continue }
            }
            earliest = earliest.least(due)
        }
        return earliest
    }

    /// Decides what waits for samples: no more can arrive. At the end of a recording no messages do, either.
    func decideWhatIsOpen(endsRecording: Bool = false) {
        for index in context.settings.derive.running {
            let configured = context.settings.derive.configured[index]
            guard configured.declaration.decidesAtEnd || (endsRecording && configured.declaration.endsWithRecording) else {
                continue
            }
            while let due = timer(of: index) { fireTimers(of: index, configured, until: due) }
        }
    }

    /// The source stream of an event that no frame caused: of the streams with a nominal rate the first with data, else the first
    /// stream.
    private func stream(of configured: any ConfiguredDerivation) -> StreamName {
        let streams = configured.declaration.streams
        let steady = streams.filter(\.hasNominalRate)
        return steady.first { slot.state.boot.histories[$0] != nil } ?? steady.first ?? streams[0]
    }

    // MARK: Events outside the data

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
                    publishPolicyChange(event.body, quality: event.quality, version: version)
                } else {
                    publish(event, stream: self.stream(of: configured), version: version)
                }
            }
        }
    }

    /// Publishes what is not certain while the gateway starts or stops, or hands the device over, but nothing of streams that are refused.
    /// `isForgotten` when a gateway before this one may have had states of the device that this one has not.
    func announce(changesOwner: Bool, isForgotten: Bool) {
        for index in context.settings.derive.running {
            let configured = context.settings.derive.configured[index]
            let streams = configured.declaration.homeStreams
            let state = slot.state.boot.derivations[index]
            // A device that never sent anything has no state that could be in doubt.
            let isLost = isForgotten || slot.state.hasLostDepth || streams.contains { slot.state.boot.histories[$0] != nil }
            guard state != nil || isLost, streams.contains(where: owns), streams.contains(where: mayBeUsed),
                let body = configured.announcement(of: state, facts: facts, changesOwner: changesOwner)
            else { continue }
            publishPolicyChange(body, quality: .stale, version: configured.declaration.version)
        }
    }

    /// Whether nothing refuses `stream`: neither the policy nor what the device itself reported.
    private func mayBeUsed(_ stream: StreamName) -> Bool {
        authorizer.standingRefusal(of: stream) == nil && slot.state.decisions[stream]?.allowed != false
    }

    /// Continues with a restored state: decisions are repeated, and the retained topics of derivations that no longer run are
    /// cleared.
    func continueRestored() {
        reconsider()
        if slot.policy.isRevoked { eraseHistory() }
        eraseWithheldMessages()
        clearRetained(where: context.settings.derive.isSwitchedOff)
        reportKnownKinds()
    }

    // MARK: Activity

    /// Records activity of the device that another pipeline received; its boot is used until this pipeline has received a frame
    /// with a `seq`.
    func recordActivity(_ activity: DeviceActivity) {
        intake { intake, rules, actions in intake.follow(activity.header, rules, into: &actions) }
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
            endedRuns: slot.state.intake.endedRuns)
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

    private func publishSampleGaps(in batch: BatchedIMU, of frame: NormalizedFrame) {
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
            if owns(frame.stream) {
                context.counters[frame.stream].missingSamples.addSaturated(max(0, gap.expected.addingSaturated(-gap.received)))
            }
            publish(gap, at: gap.to, sequence: nil, entry: frame.historyEntry)
        }
    }
}
