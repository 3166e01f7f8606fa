package import TelemetryModel

extension DepthStateMachine {
    /// Processes an event of entering or leaving the water; returns whether the device has left it.
    ///
    /// - `submerged` from the surface, or without any earlier state, is `submergedShallow` until a depth is measured; after
    ///   `unknown` it changes nothing, as the device may be at any depth.
    /// - `notSubmerged` is accepted unless the device was measured too deep to have come up since, or in the water later.
    /// - `unknown` revokes `notSubmerged` and changes nothing else.
    package mutating func consume(
        _ event: SubmersionEvent, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) -> Bool {
        switch event.state {
        case .submerged:
            enterWater(at: event.time, settings: settings, into: &events)
            return false
        case .notSubmerged:
            return leaveWater(at: event.time, settings: settings, into: &events)
        case .unknown:
            revokeSurface(at: event.time, settings: settings, into: &events)
            return false
        }
    }

    private mutating func enterWater(
        at time: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        contact.report(isSubmerged: true)
        guard state == .notSubmerged || held == .unknown else { return }
        lastSampleAt = time
        publish(
            .submergedShallow, trust.isInDoubt ? .fault : .valid, cause: .event, at: time, settings: settings, into: &events)
    }

    private mutating func leaveWater(
        at time: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) -> Bool {
        guard trust.judgeSurface(at: time, settings: settings) == .accepted else {
            counters.countFault()
            publish(state, .fault, cause: .fault, at: time, settings: settings, into: &events)
            return false
        }
        contact.report(isSubmerged: false)
        publish(.notSubmerged, .valid, cause: .event, at: time, settings: settings, into: &events)
        return true
    }

    private mutating func revokeSurface(
        at time: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        guard state == .notSubmerged else { return }
        contact = WaterContact()
        publish(.unknown, .stale, cause: .event, at: time, settings: settings, into: &events)
    }
}
