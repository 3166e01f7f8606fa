import TelemetryModel

/// What is due: the ends of waits, and the timers of derivations.
extension DeviceTurn {
    /// Ends waits that are over, and fires timers that are due.
    func advance(firesTimers: Bool, _ expiring: WaitExpiry) {
        intake { intake, rules, actions in
            intake.advance(rules, expiring, into: &actions)
        }
        publishHeld(all: false)
        guard firesTimers else { return }
        if let timerLimit { fireTimers(until: timerLimit) }
        advanceHistory()
    }

    /// When the next wait ends or timer fires, on the gateway's monotonic clock; a timer that may not run past a frame that
    /// waits does not count.
    var deadline: Double? { deadlineBesidesHistory.least(historyDeadline) }

    /// When the next wait ends or timer fires, without what is due of the recorded history.
    var deadlineBesidesHistory: Double? {
        let waits = waitsEnd.least(heldDue)
        guard !slot.holdsTimers, let limit = timerLimit else { return waits }
        let timer = timerDue(within: limit).map { now.monotonic + ($0 - limit.time) }
        return waits.least(timer).least(holdsTimer(within: limit) ? limit.redelivery.until : nil)
    }

    private var nextRun: Double? {
        slot.state.intake.doubts.isEmpty ? nil : slot.state.intake.nextRun(settings.intake)
    }

    /// When the next wait ends, on the gateway's monotonic clock; nil when nothing waits. It reads the parts of the intake that it
    /// needs: the whole would be copied.
    private var waitsEnd: Double? {
        let promotion = slot.state.intake.boots.promotion(afterSilence: settings.intake.bootSilenceSeconds)
        return slot.state.intake.waiting.deadline.least(promotion?.at).least(nextRun)
    }

    /// The limit up to which timers may fire, by the two parts of the intake that it needs: the whole would be copied.
    private var timerLimit: TimerLimit? {
        var limit = TimerLimit(slot.state.intake.order.clock, waitingStreams, at: now, redelivery)
        limit?.awaitsActivity = context.awaitsActivity
        return limit
    }

    /// The streams of which messages wait: thousands may wait while one after the other is processed.
    var waitingStreams: WaitingStreams {
        if let known = slot.waitingStreams, known.version == slot.state.intake.waiting.version { return known }
        let found = WaitingStreams(slot.state.intake.waiting)
        slot.waitingStreams = found
        return found
    }

    /// Processes all waiting messages, at a clean stop or the end of a recording.
    func drain(endsRecording: Bool) {
        intake { intake, rules, actions in
            intake.endAllWaitsOfAllBoots(rules, into: &actions)
        }
        if endsRecording {
            reportWholeHistory()
            reportRefused(at: slot.state.intake.clock.estimate(at: now) ?? DeviceTime(0))
        }
        decideWhatIsOpen(endsRecording: endsRecording)
        publishHeld(all: true)
    }

    // MARK: Timers

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

    /// Decides what waits for samples: no more can arrive. At the end of a recording no messages do, either; of a device under water that
    /// ends nothing.
    func decideWhatIsOpen(endsRecording: Bool = false) {
        for index in context.settings.derive.running {
            let declaration = context.settings.derive.configured[index].declaration
            let ends =
                endsRecording && declaration.endsWithRecording
                && slot.state.boot.derivations[index]?.expectsData != true
            guard declaration.decidesAtEnd || ends else { continue }
            let configured = context.settings.derive.configured[index]
            while let due = timer(of: index) { fireTimers(of: index, configured, until: due) }
        }
    }
}
