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
        "Depth state with hysteresis, water temperature and dives.")

    static let disagreements: StaticString = "depthDisagreements"
    static let faults: StaticString = "depthFaults"
    static let temperaturesOutOfWater: StaticString = "temperaturesOutOfWater"

    private var depth = DepthStateMachine()
    private var temperature = WaterTemperatureTracker()
    private var dive = DiveTracker()
    /// The `seq` of the frame in which the device entered the water, until a dive has ended.
    var immersedSince: UInt64?
    /// Whether the state was restored and is not confirmed by data yet; nil for no.
    var isUnconfirmed: Bool?
    /// The greatest depth in m that the device itself has stated; nil where it has not.
    private var statedMaximumDepth: Double?
    /// The errors since the last measurement; nil where there are none.
    private var errors: SubmersionErrorReport?

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
            depth.fire(until: due, settings: settings, into: &events)
            dive.fire(until: due, settings: settings, into: &events)
        }
    }

    /// Makes the depth state `unknown` for a reason outside the data (`access`, `restart`, `reboot`); loss of access also
    /// discards the open dive.
    ///
    /// Nothing is published if the state is already `unknown`, nor on a restart out of the water. The caller fires the timers
    /// first.
    package mutating func interrupt(
        cause: DepthCause, at time: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        if cause == .access { dive.abandon() }
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
        case .measurement(let measurement):
            endErrors(at: measurement.time, into: &events)
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

    /// Publishes an error, the same one again only after a measurement.
    private mutating func report(_ error: SubmersionError, into events: inout [DerivedEvent]) {
        let isNew = errors?.code != error.code
        errors = SubmersionErrorReport(
            code: error.code, count: isNew ? 1 : (errors?.count ?? 0).addingSaturated(1),
            since: isNew ? error.time : errors?.since)
        if isNew, let errors { events.append(DerivedEvent(time: error.time, body: errors)) }
    }

    private mutating func endErrors(at time: DeviceTime, into events: inout [DerivedEvent]) {
        guard errors != nil else { return }
        errors = nil
        events.append(DerivedEvent(time: time, body: SubmersionErrorReport(code: nil, count: 0, since: nil)))
    }
}
