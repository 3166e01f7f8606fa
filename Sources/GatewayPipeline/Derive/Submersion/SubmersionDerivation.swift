package import TelemetryModel

/// Depth state, water temperature and dives of one device, from its submersion stream.
///
/// An aid, not a life-support alarm: it guarantees that a wrong input never makes the state shallower.
package struct SubmersionDerivation: Derivation {
    /// `depth`.
    package static let declaration = DerivationDeclaration(
        "depth", version: 1, streams: [.submersion],
        kinds: [DepthStateChange.self, WaterTemperature.self, Dive.self, SubmersionErrorReport.self],
        counters: [Self.disagreements, Self.faults, Self.temperaturesOutOfWater],
        endsWithRecording: true, "Depth state with hysteresis, water temperature and dives.")

    static let disagreements: StaticString = "depthDisagreements"
    static let faults: StaticString = "depthFaults"
    static let temperaturesOutOfWater: StaticString = "temperaturesOutOfWater"

    private var depth = DepthStateMachine()
    private var temperature = WaterTemperatureTracker()
    private var dive = DiveTracker()
    /// The `seq` of the frame in which the device entered the water, until a dive has ended.
    var immersedSince: UInt64?
    /// The `seq` of the frame that was processed last, and of this one while it is.
    var latestSequence: UInt64?
    /// Whether the state was restored and is not confirmed by data yet; nil for no.
    var isUnconfirmed: Bool?
    /// The greatest depth in m that the device itself has stated; nil where it has not.
    private var statedMaximumDepth: Double?
    /// The errors since the last measurement; nil where there are none.
    private var errors: SubmersionErrorReport?
    /// The pressure of the air; nil where the device measures it itself.
    private var learnedSurface: LearnedSurface?

    /// Nothing known yet.
    package init() {}

    /// The depth state now.
    package var state: DepthState { depth.state }

    /// The last state that was not `unknown`.
    var lastKnownState: DepthState { depth.held }

    /// Whether the device is in the water, or was with the last data.
    package var isSubmerged: Bool { depth.isSubmerged }

    /// Whether the device is in the water, or a dive is still to be published.
    package var isUnderWay: Bool { depth.isSubmerged || dive.isUnderWay }

    /// What was odd so far.
    package var counters: SubmersionCounters { depth.counters }

    /// Processes one frame: its entries by time, each after the timers due until then. Without a maximum depth nothing is
    /// processed.
    package mutating func consume(
        _ input: SubmersionSamples, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        statedMaximumDepth = input.maximumDepth ?? statedMaximumDepth
        var settings = settings
        guard let entitled = settings.maximumDepth else { return }
        // A device's own limit can only reduce the entitlement.
        let maximumDepth = min(entitled, statedMaximumDepth ?? entitled)
        settings.maximumDepth = maximumDepth
        let ladder = DepthLadder(maximumDepth: maximumDepth, settings: settings)
        for entry in SubmersionEntry.merged(input) {
            fire(until: entry.time, settings: settings, into: &events)
            take(entry, ladder: ladder, settings: settings, into: &events)
            dive.noteFrames(first: immersedSince, latest: latestSequence)
        }
    }

    /// The earlier of silence under water and the end of a dive.
    package func due(settings: SubmersionSettings) -> DeviceTime? {
        depth.due(settings: settings).least(dive.due(settings: settings))
    }

    /// Fires both timers, the earlier first.
    package mutating func fire(
        until now: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        while let due = due(settings: settings), due <= now {
            let first = events.endIndex
            depth.fire(until: due, settings: settings, into: &events)
            dive.fire(until: due, settings: settings, into: &events)
            nameFrames(of: &events, from: first)
            dive.noteFrames(first: immersedSince, latest: latestSequence)
        }
    }

    /// Names the frames of dives from the one in which the device entered the water: the history has dropped it by then.
    private func nameFrames(of events: inout [DerivedEvent], from first: Int) {
        guard let immersedSince else { return }
        for index in events.indices[first...] where events[index].body is Dive && events[index].frames == .ofSpan {
            events[index].frames = .from(immersedSince)
        }
    }

    /// Makes the depth state `unknown` for a reason outside the data (`access`, `restart`, `reboot`); loss of access and a reboot also
    /// discard the open dive, and publish one that waits at the surface.
    ///
    /// Nothing is published if the state is already `unknown`, nor on a restart out of the water. The caller fires the timers
    /// first.
    package mutating func interrupt(
        cause: DepthCause, at time: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        if cause == .access || cause == .reboot {
            dive.endSurfaced(settings: settings, into: &events)
            dive.noteFrames(first: immersedSince, latest: latestSequence)
            dive.abandon(into: &events)
        }
        depth.interrupt(cause: cause, at: time, settings: settings, into: &events)
    }

    /// Has a state at the surface become `unknown` where nothing newer comes from `time` on.
    mutating func doubtSurface(at time: DeviceTime) { depth.doubtSurface(at: time) }

    /// Publishes the depth state again after a restart, when `unknown` was published.
    package mutating func confirm(at time: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]) {
        depth.confirm(at: time, settings: settings, into: &events)
    }

    private mutating func take(
        _ entry: SubmersionEntry, ladder: DepthLadder, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        switch entry {
        case .event(let event):
            if depth.consume(event, settings: settings, into: &events) {
                dive.leaveWater(at: event.time, settings: settings, into: &events)
            }
        case .measurement(var measurement):
            learnSurface(&measurement)
            // Only what could not be read is no number, and that may have been another value than a depth.
            if measurement.depth?.isNaN != true { endErrors(at: measurement.time, into: &events) }
            let evidence = depth.consume(measurement, ladder: ladder, settings: settings, into: &events)
            switch evidence {
            case .depth(let meters): dive.measure(meters, at: measurement.time, settings: settings)
            case .withheld: dive.withhold(at: measurement.time)
            case .none: break
            }
        case .temperature(let sample):
            guard depth.state != .notSubmerged else { return depth.counters.countTemperatureOutOfWater() }
            dive.measure(temperature: sample.temperature)
            temperature.consume(sample, settings: settings, into: &events)
        case .error(let error):
            depth.counters.countError(code: error.code)
            report(error, into: &events)
        }
    }

    /// Sets the surface pressure of a measurement that comes without one, where it is to be learned.
    private mutating func learnSurface(_ measurement: inout SubmersionMeasurement) {
        guard measurement.learnsSurface == true, let pressure = measurement.pressure else { return }
        var learned = learnedSurface ?? LearnedSurface()
        measurement.surfacePressure = learned.take(pressure, at: measurement.time, state: depth.state)
        learnedSurface = learned
    }

    /// Publishes an error, the same one again only after a measurement.
    private mutating func report(_ error: SubmersionError, into events: inout [DerivedEvent]) {
        let isNew = errors?.code != error.code
        errors = SubmersionErrorReport(
            code: error.code, count: (errors?.count ?? 0).addingSaturated(1), since: errors?.since ?? error.time)
        if isNew, let errors { events.append(DerivedEvent(time: error.time, body: errors)) }
    }

    private mutating func endErrors(at time: DeviceTime, into events: inout [DerivedEvent]) {
        guard errors != nil else { return }
        errors = nil
        events.append(DerivedEvent(time: time, body: SubmersionErrorReport(code: nil, count: 0, since: nil)))
    }
}

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
                latestSequence = frame.header.sequence
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
            // The state of the next boot does not know of errors.
            if cause == .reboot { endErrors(at: time, into: &output.events) }
        case .doubt(_, let time) where state == .notSubmerged: doubtSurface(at: time)
        case .doubt(let doubt, let time):
            guard isSubmerged, doubt == .value else { break }
            // The state stays, with quality `fault`.
            consumeConfirming(
                SubmersionSamples(measurements: [SubmersionMeasurement(time: time, depth: .nan)]), settings: settings,
                into: &output.events)
        case .activity, .presence, .event, .history, .announcement, .acknowledgement: break
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
        nameFrames(of: &events, from: firstNew)
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

    /// Goes on. Where the device was under water in the boot in between, nothing is known but how deep it may be.
    package func resumed(after other: Self) -> Self? {
        guard other.lastKnownState > .notSubmerged else { return self }
        var resumed = Self()
        resumed.depth.resume(after: max(lastKnownState, other.lastKnownState))
        (resumed.statedMaximumDepth, resumed.learnedSurface) = (statedMaximumDepth, learnedSurface)
        return resumed
    }

    /// While submerged.
    package var expectsData: Bool { isSubmerged }

    /// Only out of the water, and after the dive was published.
    package var isExpendable: Bool { state == .notSubmerged && !dive.isUnderWay && !dive.isHeld }

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
