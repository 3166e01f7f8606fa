package import TelemetryModel

/// What a measurement is worth to whoever follows a dive.
package enum DepthEvidence: Sendable, Equatable {
    /// A depth in m that is believed.
    case depth(Double)
    /// Certainly deeper than 1 m, but how deep is withheld.
    case withheld
    /// Nothing to go by.
    case none
}

extension DepthStateMachine {
    /// Takes one measurement; returns what it is worth to the dive.
    package mutating func consume(
        _ measurement: SubmersionMeasurement, ladder: DepthLadder, settings: SubmersionSettings,
        into events: inout [DerivedEvent]
    ) -> DepthEvidence {
        surfacePressure = DepthReading.surfacePressure(of: measurement) ?? surfacePressure
        let reported = measurement.submersionState ?? .unknown
        let time = measurement.time
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

    /// A depth that is believed: the state follows it, or the device's own state where that is deeper.
    private mutating func takeAccepted(
        _ depth: Double, reported: DepthState, ladder: DepthLadder, at time: DeviceTime, settings: SubmersionSettings,
        into events: inout [DerivedEvent]
    ) -> DepthEvidence {
        contact.measure(depth: depth, at: time, settings: settings)
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

    /// A device's own state without a depth: it counts where it is at least as deep as ours. Anything shallower means
    /// nothing and does not keep an older depth alive either.
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

    /// A claim by a sensor in doubt, `unknown` where it claims nothing: it counts where it is at least as deep as the last
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
