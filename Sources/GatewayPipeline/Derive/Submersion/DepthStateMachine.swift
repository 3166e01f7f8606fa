package import TelemetryModel

/// The depth state of one device, and its quality.
///
/// A state gets deeper at once, by a measurement, the device's own depth state or an event. It gets shallower only on an accepted
/// depth (`DepthTrust`) past the hysteresis, or on a plausible event that reports leaving the water. Contradictory data leave the
/// state as it is, or make it deeper, with quality `fault`.
///
/// Silence is timed while under water, and at the surface too while the sensor is in doubt. Only data with a depth counts against
/// silence: a depth, or a device's own state at least as deep as the derived one. After silence the state is `unknown`, but the
/// state before is kept and the hysteresis continues from it.
package struct DepthStateMachine: Codable, Sendable, Equatable {
    /// The state now.
    package private(set) var state = DepthState.unknown
    /// The quality of the state; nil until one is known.
    package private(set) var quality: Quality?
    /// The counts of faults and disagreements.
    package internal(set) var counters = SubmersionCounters()

    /// The last state that was not `unknown`.
    private(set) var held = DepthState.unknown
    var contact = WaterContact()
    var trust = DepthTrust()
    var surfacePressure: Double?
    /// When data with a depth were received last.
    var lastSampleAt: DeviceTime? {
        didSet { doubtedAt = nil }
    }
    /// Since when silence counts at the surface, as what the device sends is not used; nil where it does not.
    private var doubtedAt: DeviceTime?
    /// When the state was last published.
    private var publishedAt: DeviceTime?

    /// The keys that states have been stored under from the first version on.
    private enum CodingKeys: String, CodingKey {
        case state, quality, counters, held, contact, trust, surfacePressure, doubtedAt
        case lastSampleAt = "heardAt"
        case publishedAt = "toldAt"
    }

    /// Begins anew, unknown, after one of which `state` was known last.
    mutating func resume(after state: DepthState) {
        held = state
        quality = .stale
    }

    /// Whether the device is in the water, or was with the last data.
    package var isSubmerged: Bool { contact.isSubmerged == true }

    /// When silence makes the state `unknown`; nil where silence is normal.
    package func due(settings: SubmersionSettings) -> DeviceTime? {
        guard isTimed, let since = doubtedAt ?? lastSampleAt else { return nil }
        return since + (settings.staleSeconds + settings.lagAllowanceSeconds)
    }

    /// Makes the state `unknown` if silence has lasted until `now`.
    package mutating func fire(
        until now: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        guard let due = due(settings: settings), due <= now else { return }
        contact.pause()
        publish(.unknown, .stale, cause: .silence, at: due, settings: settings, into: &events)
    }

    /// Has silence count from `time` on at the surface: what the device sends is not used, and may be of a dive.
    mutating func doubtSurface(at time: DeviceTime) {
        if state == .notSubmerged, doubtedAt == nil { doubtedAt = time }
    }

    /// Makes the state `unknown`, for a reason outside the data.
    ///
    /// A restart or a reboot changes nothing for a device that was known to be out of the water. Loss of access makes that
    /// unknown too, as events may be missed.
    package mutating func interrupt(
        cause: DepthCause, at time: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        // Without a published state there is none to withdraw: the device may have no depth sensor at all.
        if quality == nil { return }
        if cause != .access, state == .notSubmerged, quality == .valid { return }
        if cause == .access { contact = WaterContact() }
        contact.pause()
        publish(.unknown, .stale, cause: cause, at: time, settings: settings, into: &events)
    }

    /// Publishes the state again after a restart, when `unknown` was published; nothing if the state is unknown.
    package mutating func confirm(at time: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]) {
        guard state != .unknown, let quality else { return }
        publishedAt = time
        let change = DepthStateChange(
            state: state, previous: .unknown, cause: .restart, maximumDepth: settings.maximumDepth,
            surfacePressure: surfacePressure)
        events.append(
            DerivedEvent(time: time, quality: quality, validUntil: due(settings: settings), body: change))
    }

    /// Publishes a state, unless state and quality are unchanged and no refresh is due.
    mutating func publish(
        _ next: DepthState, _ nextQuality: Quality, cause: DepthCause, depth: Double? = nil, at time: DeviceTime,
        settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        // What is not known at the surface is not known at the surface again.
        let previous = next == .unknown && state == .unknown && held == .notSubmerged ? held : state
        let isNew = next != state || nextQuality != quality || isRefreshDue(at: time, settings: settings)
        state = next
        quality = nextQuality
        if next == .unknown { doubtedAt = nil } else { held = next }
        guard isNew else { return }
        publishedAt = time
        let change = DepthStateChange(
            state: next, previous: previous, cause: cause, depth: next == .sensorDepthError ? nil : depth,
            maximumDepth: settings.maximumDepth, surfacePressure: surfacePressure)
        events.append(
            DerivedEvent(
                time: time, quality: nextQuality, validUntil: due(settings: settings), body: change))
    }

    /// Whether a state in which silence counts is to be published again.
    private func isRefreshDue(at time: DeviceTime, settings: SubmersionSettings) -> Bool {
        guard settings.refreshSeconds > 0, isTimed, let publishedAt else { return false }
        // Intervals are counted on the device's clock, so that neither the instants nor the ids depend on when it began.
        return interval(time, settings) > interval(publishedAt, settings)
    }

    private func interval(_ time: DeviceTime, _ settings: SubmersionSettings) -> Double {
        (time.seconds / settings.refreshSeconds).rounded(.down)
    }

    /// Whether silence counts.
    var isTimed: Bool { state > .notSubmerged || (state == .notSubmerged && (quality == .fault || doubtedAt != nil)) }
}

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
