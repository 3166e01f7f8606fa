package import TelemetryModel

extension SubmersionDerivation {
    /// The samples.
    package static func input(of frame: NormalizedFrame, settings: SubmersionSettings) -> SubmersionSamples? {
        guard case .submersion(let samples) = frame.body else { return nil }
        return samples
    }

    /// Processes frames, loss of access, reboots, and frames that could not be read.
    package mutating func take(
        _ occurrence: Occurrence, settings: SubmersionSettings, into output: inout DerivationOutput
    ) {
        // Not all of them: those of errors are a dictionary.
        let (disagreements, faults) = (counters.disagreements, counters.faults)
        let temperaturesOutOfWater = counters.temperaturesOutOfWater
        switch occurrence {
        case .frame(let frame):
            if let samples = Self.input(of: frame, settings: settings) {
                consumeConfirming(samples, isLast: frame.isLast, settings: settings, into: &output.events)
            }
            noteImmersion(frame)
        case .interruption(let interruption, let time):
            let cause: DepthCause =
                switch interruption {
                case .access: .access
                case .reboot, .newRun: .reboot
                }
            interrupt(cause: cause, at: time, settings: settings, into: &output.events)
        case .doubt(_, let time) where state == .notSubmerged: doubtSurface(at: time)
        case .doubt(let doubt, let time):
            guard isSubmerged, doubt == .value else { break }
            // The state stays, with quality `fault`.
            consumeConfirming(
                SubmersionSamples(measurements: [SubmersionMeasurement(time: time, depth: .nan)]), settings: settings,
                into: &output.events)
        case .activity, .presence, .event, .history: break
        }
        output.count(Self.disagreements, counters.disagreements - disagreements)
        output.count(Self.faults, counters.faults - faults)
        output.count(
            Self.temperaturesOutOfWater, counters.temperaturesOutOfWater - temperaturesOutOfWater)
    }

    /// The first data after a restart of the gateway confirm the state, unless they change it. Not data that the broker had queued, or
    /// behind which others wait: a gateway before this one may have published states of later data.
    private mutating func consumeConfirming(
        _ samples: SubmersionSamples, isLast: Bool = true, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        let firstNew = events.endIndex
        consume(samples, settings: settings, into: &events)
        for index in events.indices[firstNew...] where events[index].body is Dive { events[index].firstSequence = immersedSince }
        guard isUnconfirmed == true, isLast, settings.isCurrent,
            let last = samples.measurements.last?.time ?? samples.events.last?.time
        else { return }
        isUnconfirmed = nil
        if !events[firstNew...].contains(where: { $0.body is DepthStateChange }) {
            confirm(at: last, settings: settings, into: &events)
        }
    }

    /// Records the frame in which the device entered the water: a dive is published long after the history has dropped that
    /// frame.
    private mutating func noteImmersion(_ frame: NormalizedFrame) {
        if !isUnderWay {
            immersedSince = nil
        } else if immersedSince == nil {
            immersedSince = frame.header.sequence
        }
    }

    /// While submerged.
    package var expectsData: Bool { isSubmerged }

    /// Only out of the water.
    package var isExpendable: Bool { state == .notSubmerged }

    /// A restored depth must be confirmed by data where `unknown` is published of it.
    package mutating func markRestored() {
        if lastKnownState > .notSubmerged { isUnconfirmed = true }
    }

    /// `unknown` where the device was last known under water, or where what was known is lost. A device that was out of the water, or
    /// never had a state, is on the shelf.
    package static func announcement(
        of state: Self?, settings: SubmersionSettings, changesOwner: Bool
    ) -> (any DerivedBody)? {
        if let state, state.lastKnownState <= .notSubmerged { return nil }
        return DepthStateChange(
            state: .unknown, previous: state?.lastKnownState ?? .unknown, cause: changesOwner ? .handover : .restart,
            maximumDepth: settings.maximumDepth)
    }
}
