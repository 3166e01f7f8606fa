import TelemetryModel

/// Boots, last wills and presence of a device.
extension DeviceTurn {
    /// Processes the device's last will, effective at `time`.
    func takeLastWill(at time: DeviceTime) {
        slot.changeStatus { $0?.state = .offline }
        deliver(.presence(.offline, at: time, isLastWill: true), of: .status)
    }

    /// Processes another party's report of the device's presence, which has no device time.
    func takePresence(_ presence: DeviceStatus.State, at time: DeviceTime) {
        slot.changeStatus { $0?.state = presence }
        let entry = FrameHistory.Entry(
            sequence: nil, first: time, last: time, offset: now.unix.seconds - time.seconds, skew: nil)
        deliver(.presence(presence, at: time, isLastWill: presence == .offline), of: .status, entry: entry)
    }

    /// Ends the current boot, or a run of it: the depth of a submerged device becomes `unknown`.
    func endBoot(at time: DeviceTime, _ run: RunCause?) {
        reportRefused(at: time)
        decideWhatIsOpen()
        interrupt(nil, run.map { .newRun($0) } ?? .reboot, at: time, isPolicyChange: false)
    }

    /// Begins another boot or run, or continues the boot before.
    func beginBoot(_ header: FrameHeader, _ succession: IntakeAction.Succession) {
        if succession != .first, succession != .afterPresence {
            let counted = EvenPace.boots.next(after: slot.state.budgets.boots, at: now.monotonic)
            slot.state.budgets.boots = counted ?? EvenPace.boots.exhausted(at: now.monotonic)
        }
        // What no frame has led to is on the gateway's clock until the first frame.
        if succession == .first || succession == .afterPresence {
            slot.state.boot.derivations.shift(by: header.uptime.seconds - now.unix.seconds)
        }
        if succession == .reboot || succession == .returned {
            let left = slot.state.boot
            var entered = succession == .returned ? slot.state.displaced ?? BootState() : BootState()
            continueDerivations(of: left, in: &entered, header, comesBack: succession == .returned)
            slot.state.displaced = left
            slot.state.replaceBoot(by: entered)
        }
        if case .newRun(let cause) = succession {
            let left = slot.state.boot
            var entered = BootState()
            continueDerivations(of: left, in: &entered, header)
            if cause == .clockSetBack { entered.workouts = left.workouts.continued() }
            entered.runs = left.runs
            slot.state.replaceBoot(by: entered)
            slot.state.budgets.endRun()
        }
        if succession == .first || succession == .afterPresence { slot.state.boot.workouts = WorkoutHistory() }
        slot.state.boot.id = header.boot
    }

    private func continueDerivations(
        of left: BootState, in entered: inout BootState, _ header: FrameHeader, comesBack: Bool = false
    ) {
        let next = slot.state.intake.clock.offset(for: header)
        let last = left.histories.values.compactMap(\.latest).max { $0.last < $1.last }
        let offset = last?.offset ?? next
        // By the wall clock, but where that was set back: what waits is no further ahead than it was. A frame of a boot that comes
        // back is of before the last one because it came late.
        var shift = offset - next
        if let last, !comesBack { shift = min(shift, header.uptime - last.last) }
        entered.derivations.continueFrom(left.derivations, offset: offset, shiftedBy: shift)
    }

    /// Reports that two devices publish under one id.
    func reportIdentityConflict() {
        context.counters.identityConflicts += 1
        let rejection = Rejection(.identityConflict, "the boot changes back and forth: two devices publish under this id")
        report(rejection)
    }

    /// The device's retained status was cleared: its state is dropped, except the order of its frames.
    func clearDevice() {
        clearRetained { _ in true }
        var fresh = DeviceState()
        fresh.intake = slot.state.intake
        fresh.boot.id = slot.state.boot.id
        fresh.keepHistory(of: slot.state)
        fresh.budgets = slot.state.budgets
        fresh.rejections = slot.state.rejections
        slot.replaceState(by: fresh)
        if settings.reportsKinds { context.kindReports.append(.forgotten(device)) }
    }

    /// The device's retained workout was cleared: no session is known.
    func clearWorkout() { slot.state.boot.workouts = WorkoutHistory() }
}

extension DeviceState {
    /// Takes over the history of `other`, with what was published of it: another revision of a day must not have the number of an earlier one.
    mutating func keepHistory(of other: DeviceState) {
        history = other.history
        boot.derivations.continueHistories(other.boot.derivations)
    }
}
