import TelemetryModel

/// Reports of the recorded history. Reading the samples of two days takes seconds, so a report goes on in steps of some milliseconds, between
/// which the caller may do other things. Frames that come meanwhile have to wait (`Pipeline.awaitsReport`): what a report finds does not depend
/// on where its steps end.
extension DeviceTurn {
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
