import TelemetryModel

/// The recorded history of a device: frames are stored on arrival, whatever their boot and order, and what follows from them is derived once
/// no more come.
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
                        time: DeviceTime(gap.to.seconds), sequence: gap.sequences,
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
        publishOnWallClock(
            event, source: .init(stream: .recordedAccelerometer, boot: boot, sequence: event.sequence), version: version)
    }
}
