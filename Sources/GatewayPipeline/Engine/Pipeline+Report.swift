package import TelemetryModel

/// Reports of histories in parts: a lane's thread reads between them.
extension Pipeline {
    /// Whether the last `tick` or `advanceReport` has left something of a report because it had no time.
    package var leavesReport: Bool { context.leavesReport }

    /// Whether a frame has to wait before it is processed: it is of a history of which something is due, and that is derived
    /// without it. Processed at once, it has all of that derived before, which takes seconds. After a kill a report begins anew
    /// and has to find the same minutes, so that a derivation that had published finds nothing new.
    package func awaitsReport(_ known: KnownMessage, at now: GatewayTime) -> Bool {
        guard known.stream == .recordedAccelerometer, let slot = slots[known.device] else { return false }
        return DeviceTurn(context: context, slot: slot, now: now).isReportDue
    }

    /// Goes on with the report of `device`, or with the one that is under way before it, while `mayGoOn` is true.
    package mutating func advanceReport(
        of device: DeviceID, at now: GatewayTime, while mayGoOn: @escaping () -> Bool
    ) -> [OutboundMessage] {
        context.leavesReport = false
        context.mayGoOn = mayGoOn
        defer { context.mayGoOn = { true } }
        if let slot = context.reportingSlot, slot.device != device { advanceReport(of: slot, at: now) }
        if let slot = slots[device] { advanceReport(of: slot, at: now) }
        return context.takeMessages()
    }

    mutating func advanceReport(of slot: DeviceSlot, at now: GatewayTime) { turn(slot, at: now) { $0.advanceReport() } }

    /// Puts off what is due of a history until the burst of its frames is over.
    package mutating func putOffReport(of device: DeviceID, at now: GatewayTime) {
        turn(device, at: now) { $0.putOffReport() }
    }
}
