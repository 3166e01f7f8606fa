import TelemetryModel

/// A device that comes, goes and starts anew.
extension DeviceStep {
    /// Takes the device's last will, if it is of the boot that the device is in.
    mutating func takeLastWill(_ frame: DecodedFrame) {
        guard frame.header.boot == state.boots.current else {
            count(\.late)
            return
        }
        releaseHeld()
        state.status?.state = .offline
        guard owns(.status) else { return }
        let time = state.clock.estimate(at: now) ?? DeviceTime(0)
        derive(stream: .status) { derivations, settings, events in
            derivations.deviceConnection.consume(
                .status(.offline, at: time, isLastWill: true), settings: settings.device, into: &events)
        }
        count(\.processed)
    }

    /// Takes somebody else's word that the device came or went: the broker's, who has no clock of the device's.
    mutating func takePresence(_ presence: DeviceStatus.State, _ header: FrameHeader) {
        if state.boots.current == nil {
            enterBoot(header)
            state.clock.observe(header, at: now)
        }
        state.status?.state = presence
        let time = state.clock.estimate(at: now) ?? header.uptime
        let entry = FrameHistory.Entry(
            sequence: nil, first: time, last: time, offset: now.unix.seconds - time.seconds, skew: nil)
        derive(stream: .status, entry: entry) { derivations, settings, events in
            derivations.deviceConnection.consume(
                .status(presence, at: time, isLastWill: presence == .offline), settings: settings.device, into: &events)
        }
        count(\.processed)
    }

    /// Leaves the boot before, if there was one: what waits is processed, what was known under water is known no more.
    mutating func enterBoot(_ header: FrameHeader) {
        let isReboot = state.boots.current != nil && !state.boots.isOfPresence
        if state.boots.isOfPresence {
            state.derivations.deviceConnection.shift(by: header.uptime.seconds - now.unix.seconds)
        }
        if isReboot {
            tick()
            drain()
            interruptDepth(cause: .reboot, isPolicyChange: false)
        }
        state.boots.enter(header.boot)
        guard isReboot else {
            state.clock = DeviceClock()
            state.workouts = WorkoutHistory()
            return
        }
        var fresh = DeviceState()
        fresh.boots = state.boots
        fresh.status = state.status
        fresh.decisions = state.decisions
        fresh.retained = state.retained
        fresh.rejections = state.rejections
        fresh.derivations.deviceConnection = DeviceConnectionDerivation(rebooting: state.derivations.deviceConnection)
        state = fresh
    }
}
