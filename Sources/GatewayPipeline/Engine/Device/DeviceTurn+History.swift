import TelemetryModel

/// The recorded history of a device: frames are stored on arrival, whatever their boot and order, and what follows from them is derived once
/// no more come.
///
/// Reading the samples of two days takes seconds, so a report goes on in steps of some milliseconds, between which the caller may do other
/// things. Frames that come meanwhile have to wait (`Pipeline.awaitsReport`): what a report finds does not depend on where its steps end.
extension DeviceTurn {
    /// The most days before the present of which samples are taken.
    private static let mostDays = 14

    /// Stores the new samples of a frame, of a message of so many bytes, that may be used.
    func takeHistory(_ frame: NormalizedFrame, bytes: Int) {
        guard case .recordedAcceleration(let samples) = frame.body else { return }
        // What is due is derived without these samples: after a crash it may be derived before the frame is delivered again.
        endGaps()
        completeReport()
        if context.historyFailure != nil { return }
        let outcome = authorizer.check(frame, workouts: slot.state.boot.workouts)
        context.report(.checked(frame, outcome))
        let isRepeated = frame.header.sequence.map(slot.state.history[frame.header.boot].contains) ?? false
        let isOverBudget = !isRepeated && countCost(of: frame, bytes: bytes)
        if case .refused(let reason, let code) = outcome {
            decide(.recordedAccelerometer, reason, code, on: nil)
            context.counters[.recordedAccelerometer].refused[reason, default: 0] += 1
            return
        }
        if isOverBudget {
            refuseForBudget(frame)
            context.counters[.recordedAccelerometer].refused[.overBudget, default: 0] += 1
            return
        }
        decide(.recordedAccelerometer, .allowed, nil, on: nil)
        do {
            try store(samples, of: frame)
        } catch {
            // Without its samples the frame is not noted either, so it is delivered again.
            context.historyFailure = error
        }
    }

    private func store(_ samples: RecordedAcceleration, of frame: NormalizedFrame) throws {
        let kept = admitted(samples, of: frame)
        let (minutes, count) = try context.history.add(samples, kept, of: device)
        let sequence = frame.header.sequence
        var order = slot.state.history[frame.header.boot]
        let isRepeated = sequence.map(order.contains) ?? (count == 0)
        if let sequence, !isRepeated {
            order.note(
                HistoryOrder.Piece(
                    first: sequence, last: sequence, through: kept.isEmpty ? nil : samples.identifier?[kept.upperBound - 1],
                    throughDate: kept.isEmpty ? nil : samples.startDate[kept.upperBound - 1],
                    fromDate: kept.isEmpty ? nil : samples.startDate[kept.lowerBound], since: believedNow))
            slot.state.history[frame.header.boot] = order
        }
        if !isRepeated {
            for range in [0..<kept.lowerBound, kept.upperBound..<samples.count] where !range.isEmpty {
                slot.state.history.noteDiscarded(
                    range.count, from: samples.startDate[range.lowerBound], to: samples.startDate[range.upperBound - 1])
            }
        }
        slot.state.history.noteChange(of: Set(minutes.map { $0 / HistoryDay.minutes }), at: believedNow)
        slot.state.history.lastArrival = believedNow
        context.counters.count(isRepeated ? .duplicate : .processed, of: .recordedAccelerometer)
        context.counters[.recordedAccelerometer].samples.addSaturated(count)
        endGaps()
    }

    /// The samples that are neither older than the window when the frame was sent, nor further from the present than is derived: a device
    /// whose clock is wrong must not make the gateway derive years.
    private func admitted(_ samples: RecordedAcceleration, of frame: NormalizedFrame) -> Range<Int> {
        let days = Double(min(settings.history.days, Self.mostDays))
        // A wall clock that was set wrong must not discard samples, neither while it is wrong nor once it is right.
        let (earlier, later) = (min(now.unix, believedNow), max(now.unix, believedNow))
        let oldest = max((frame.header.sent ?? earlier) - settings.history.windowSeconds, earlier - days * HistoryDay.seconds)
        let newest = later + HistoryDay.seconds
        let first = samples.startDate.firstIndex { $0 >= oldest } ?? samples.count
        let end = samples.startDate.firstIndex { $0 > newest } ?? samples.count
        return min(first, end)..<end
    }

    /// Records that a frame was rejected whose header could be read: nothing waits for it.
    func giveUpHistoryPlace(of header: FrameHeader) {
        guard let sequence = header.sequence else { return }
        slot.state.history[header.boot].note(HistoryOrder.Piece(first: sequence, last: sequence, since: believedNow))
        endGaps()
    }

    /// Erases the history with the next checkpoint.
    func eraseHistory() {
        context.eraseHistory(of: device)
        slot.state.history = HistoryTrack()
        slot.report = nil
        slot.dropEvents()
    }

    // MARK: Time

    /// The time that histories go by: a wall clock that is set for a moment makes nothing due, and holds nothing back.
    var believedNow: UnixTime { now.unix - context.clockLead }

    /// When something of the history is due, on the gateway's monotonic clock; nil where nothing is.
    var historyDeadline: Double? {
        guard !slot.holdsTimers, !slot.state.history.isBlank else { return nil }
        let gap = slot.state.history.orders.lazy.compactMap { $0.deadline(settings.history.windowSeconds) }.min()
        let due = reportDue.least(gap)
        return due.map { now.monotonic + max(0, $0 - believedNow) }
    }

    /// Gives up frames that were missing for too long, and goes on with what is due while the call has time.
    func advanceHistory() {
        guard !slot.state.history.isBlank else { return }
        endGaps()
        advanceReport()
    }

    private func endGaps() {
        for place in slot.state.history.orders.indices {
            var order = slot.state.history.orders[place]
            while let due = order.deadline(settings.history.windowSeconds),
                due <= believedNow || order.pieces.count > HistoryOrder.mostPieces, let gap = order.giveUp()
            {
                let count = Int(clamping: gap.sequences.upperBound - gap.sequences.lowerBound).addingSaturated(1)
                context.counters[.recordedAccelerometer].missingFrames.addSaturated(count)
                publishHistory(
                    DerivedEvent(
                        time: DeviceTime(gap.to.seconds), frames: .named(gap.sequences),
                        body: Gap(
                            stream: .recordedAccelerometer, unit: .frames, expected: count, received: 0,
                            from: DeviceTime(gap.from.seconds), to: DeviceTime(gap.to.seconds),
                            firstSequence: gap.sequences.lowerBound)),
                    boot: order.boot)
            }
            if order != slot.state.history.orders[place] { slot.state.history.orders[place] = order }
        }
    }

    /// Publishes an event of the history: its times are on the wall clock.
    func publishHistory(_ event: DerivedEvent, boot: BootID, version: Int = 1) {
        func publish(_ event: DerivedEvent, _ version: Int) {
            send(
                messageOnWallClock(
                    event, source: .init(stream: .recordedAccelerometer, boot: boot, sequence: event.frames.range),
                    version: version))
        }
        publish(event, version)
        announce(event, of: .recordedAccelerometer) { alarm, version in
            var alarm = alarm
            alarm.time = event.time
            publish(alarm, version)
        }
    }

    // MARK: Reports

    /// When what has changed is to be derived, in unix s.
    var reportDue: UnixTime? {
        slot.state.history.reportDue(slot.policy.noon, interval: settings.history.reportSeconds)
    }

    /// Whether something of the history is to be derived now.
    var isReportDue: Bool { !slot.state.history.isBlank && (reportDue.map { $0 <= believedNow } ?? false) }

    /// Goes on with what is due while the call has time, unless the report of another device is under way.
    func advanceReport() {
        while isReportDue, context.historyFailure == nil {
            if let other = context.reportingSlot, other !== slot { return }
            guard context.mayGoOn() else {
                context.leavesReport = true
                return
            }
            stepReport()
        }
    }

    /// Derives all that is due, at once.
    func completeReport() {
        guard isReportDue else { return }
        context.beginReporting(slot)
        while isReportDue, context.historyFailure == nil { stepReport() }
    }

    /// Derives all that has changed, whether or not it is due.
    func reportWholeHistory() {
        context.beginReporting(slot)
        while slot.state.history.isChanged, context.historyFailure == nil { stepReport() }
    }

    /// Puts off what is due of the history until the burst of frames that come now is over.
    func putOffReport() {
        slot.report = nil
        slot.state.history.putOffReport(at: believedNow)
    }

    /// Begins a report, or does the next part of the one that is under way.
    private func stepReport() {
        guard let report = slot.report else { return beginReport() }
        do {
            try report.step(context.history, of: device, while: context.mayGoOn)
        } catch {
            putOffReport()
            context.historyFailure = error
            return
        }
        guard let view = report.view else { return }
        if let index = report.takers.popFirst() {
            let configured = context.settings.derive.configured[index]
            for event in step(.history(view, report.pass(of: index)), by: index, as: configured) {
                publishHistory(event, boot: report.boot, version: configured.declaration.version)
            }
        }
        guard report.takers.isEmpty else { return }
        slot.state.history.endReport(of: report.days.days)
        slot.report = nil
    }

    private func beginReport() {
        let discarded = slot.state.history.beginReport(at: believedNow)
        let days = slot.state.history.nextDays
        guard let boot = slot.state.history.newest?.boot ?? slot.state.boot.id else {
            return slot.state.history.endReport(of: days)
        }
        if let discarded {
            publishHistory(
                DerivedEvent(
                    time: DeviceTime(discarded.to.seconds),
                    body: Gap(
                        stream: .recordedAccelerometer, unit: .samples, expected: discarded.count, received: 0,
                        from: DeviceTime(discarded.from.seconds), to: DeviceTime(discarded.to.seconds))), boot: boot)
        }
        guard let days = HistoryDays(days) else { return }
        let takers = context.settings.derive.takers(of: .recordedAccelerometer)
        let facts = DeviceFacts(traits: authorizer.traits, isCurrent: true)
        var passes: [Int: any HistoryPass] = [:]
        for index in takers {
            passes[index] = context.settings.derive.configured[index].pass(over: days, facts: facts)
        }
        // Nights are kept as long by the time at which the report began, whenever it ends.
        let oldest = HistoryDay.day(of: slot.state.history.lastReport ?? believedNow) - settings.history.days
        context.beginReporting(slot)
        slot.report = HistoryReport(
            of: days, boot: boot, takers: takers, passes: passes, noon: slot.policy.noon,
            oldest: UnixTime(Double(oldest) * HistoryDay.seconds))
    }
}
