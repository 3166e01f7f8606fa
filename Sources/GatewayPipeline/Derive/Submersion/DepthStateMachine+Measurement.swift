package import TelemetryModel

/// What a measurement contributes to a dive.
package enum DepthEvidence: Sendable, Equatable {
    /// An accepted depth in m.
    case depth(Double)
    /// Deeper than 1 m, but the depth is withheld.
    case withheld
    /// Nothing.
    case none
}

extension DepthStateMachine {
    /// Processes one measurement; returns what it contributes to the dive.
    package mutating func consume(
        _ measurement: SubmersionMeasurement, ladder: DepthLadder, settings: SubmersionSettings,
        into events: inout [DerivedEvent]
    ) -> DepthEvidence {
        surfacePressure = DepthReading.surfacePressure(of: measurement) ?? surfacePressure
        let reported = measurement.submersionState ?? .unknown
        let time = measurement.time
        // Only a later sample ends silence. A sensor that is frozen may send a deeper one of the same instant.
        if state == .unknown, let lastSampleAt, time <= lastSampleAt { return .none }
        switch DepthReading(measurement, settings: settings) {
        case .absent:
            return takeReported(reported, at: time, settings: settings, into: &events)
        case .impossible:
            trust.doubt()
            counters.countFault()
            takeDoubtful(reported, depth: nil, at: time, settings: settings, into: &events)
            return .none
        case .depth(let depth):
            let verdict = trust.judge(DepthPoint(time: time, depth: depth), settings: settings)
            if verdict == .accepted {
                return takeAccepted(
                    depth, reported: reported, ladder: ladder, at: time, settings: settings, into: &events)
            }
            if verdict == .contradiction { counters.countFault() }
            let isUnder = !(depth < settings.enterWaterMeters)
            let claimed = max(isUnder ? ladder.state(at: depth) : .unknown, reported)
            takeDoubtful(claimed, depth: depth, at: time, settings: settings, into: &events)
            return .none
        }
    }

    /// Processes an accepted depth: the state follows it, or the device's own state where that is deeper.
    private mutating func takeAccepted(
        _ depth: Double, reported: DepthState, ladder: DepthLadder, at time: DeviceTime, settings: SubmersionSettings,
        into events: inout [DerivedEvent]
    ) -> DepthEvidence {
        contact.measure(depth: depth, at: trust.accepted?.time ?? time, settings: settings)
        let own = state(at: depth, ladder: ladder)
        let bare = depth < settings.enterWaterMeters ? .notSubmerged : ladder.state(at: depth)
        if ![.unknown, own, bare].contains(reported) { counters.countDisagreement() }
        if reported > .notSubmerged { contact.enter() }
        let next = reported > .notSubmerged ? max(own, reported) : own
        guard next != .unknown else { return .depth(depth) }
        lastSampleAt = time
        publish(next, .valid, cause: .sample, depth: depth, at: time, settings: settings, into: &events)
        return next == .sensorDepthError ? .withheld : .depth(depth)
    }

    /// Processes a device's own state without a depth: it counts where it is at least as deep as the derived one. A shallower one
    /// is ignored and does not end silence.
    private mutating func takeReported(
        _ reported: DepthState, at time: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) -> DepthEvidence {
        guard reported > .notSubmerged, reported >= held else { return .none }
        contact.enter()
        trust.keepAccepted(until: time)
        lastSampleAt = time
        publish(
            reported, trust.isInDoubt ? .fault : .valid, cause: trust.isInDoubt ? .fault : .sample, at: time,
            settings: settings, into: &events)
        return reported > .submergedShallow ? .withheld : .none
    }

    /// Processes a state reported by a sensor in doubt, `unknown` for none: it counts where it is at least as deep as the last
    /// known state.
    private mutating func takeDoubtful(
        _ claimed: DepthState, depth: Double?, at time: DeviceTime, settings: SubmersionSettings,
        into events: inout [DerivedEvent]
    ) {
        if depth != nil || !isTimed { lastSampleAt = time }
        contact.pause()
        guard claimed > .notSubmerged, claimed >= held else {
            publish(state, .fault, cause: .fault, at: time, settings: settings, into: &events)
            return
        }
        contact.enter()
        lastSampleAt = time
        publish(claimed, .fault, cause: .fault, depth: depth, at: time, settings: settings, into: &events)
    }

    private func state(at depth: Double, ladder: DepthLadder) -> DepthState {
        switch contact.isSubmerged {
        case true?: ladder.state(at: depth, after: held)
        case false?: .notSubmerged
        case nil: .unknown
        }
    }
}
