package import TelemetryModel

/// Derives dives from the depths of one device.
///
/// A stay under water becomes a dive at `diveStartMeters`; shallower stays are discarded as soon as they end. A stay is over when
/// an event reports the surface, or after `diveEndSeconds` at the surface; a shorter surfacing belongs to the stay. A free dive is one
/// stay. A scuba dive is held until `scubaEndSeconds` at the surface have passed: a stay that begins before continues it. No timer
/// runs under water: a dive without data there stays open until depth is measured again. Depths that are not accepted are ignored;
/// the average bridges such gaps, and those of smart recording, by linear interpolation.
package struct DiveTracker: Codable, Sendable, Equatable {
    /// The last sample, with the depth unless it was withheld.
    fileprivate struct LastSample: Codable, Sendable, Equatable {
        var time: DeviceTime
        var depth: Double?
    }

    /// A dive at the surface that the next stay may continue.
    fileprivate struct HeldDive: Codable, Sendable, Equatable {
        var stay: Immersion
        /// When the stay was over.
        var endedAt: DeviceTime
        /// The `seq` of the frames that it was derived from, where they had any.
        var firstSequence, lastSequence: UInt64?
    }

    private var last: LastSample?
    private var immersion: Immersion?
    /// The `seq` of the frame with which the stay surfaced; nil where it has not, or is not known yet.
    private var surfacedSequence: UInt64?
    private var held: HeldDive?
    private var previousEnd: DeviceTime?
    /// Whether the last stay that showed it was a free dive; nil before.
    private var isFreeDiving: Bool?

    /// Whether a stay under water is open, or has just ended and may be published as a dive.
    package var isUnderWay: Bool {
        // Compared with nil, the whole stay is copied.
        if case .some = immersion { true } else { false }
    }

    /// Whether a dive waits at the surface to be continued or published.
    package var isHeld: Bool {
        if case .some = held { true } else { false }
    }

    /// Processes an accepted depth in m; finite, 0 or more.
    package mutating func measure(_ depth: Double, at time: DeviceTime, settings: SubmersionSettings) {
        let now = DepthPoint(time: time, depth: depth)
        let isUnder = depth >= settings.enterWaterMeters
        let crossing = crossing(to: now, settings: settings)
        var from = crossing
        if isUnder, !isUnderWay {
            immersion = Immersion(start: crossing.time)
        } else if let last, let depth = last.depth {
            from = DepthPoint(time: last.time, depth: depth)
        }
        last = LastSample(time: time, depth: depth)
        if isUnder {
            immersion?.submergeAgain()
            immersion?.travel(from: from, to: now, settings: settings)
        } else if immersion?.rise(from: from, through: crossing, to: now, settings: settings) == false {
            immersion = nil
        }
    }

    /// Processes a time at which the device was deep and depth was withheld.
    package mutating func withhold(at time: DeviceTime) {
        if !isUnderWay { immersion = Immersion(start: time) }
        immersion?.submergeAgain()
        immersion?.withhold(at: time)
        last = LastSample(time: time, depth: nil)
    }

    /// Processes a water temperature in degrees Celsius; NaN is ignored.
    package mutating func measure(temperature: Double) {
        guard temperature.isFinite else { return }
        immersion?.measure(temperature: temperature)
    }

    /// Processes the event that the device has left the water.
    package mutating func leaveWater(
        at time: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        if let depth = last?.depth, let before = last?.time, immersion?.exit == nil {
            let crossing = DepthPoint(time: time, depth: min(depth, settings.enterWaterMeters))
            immersion?.travel(from: DepthPoint(time: before, depth: depth), to: crossing, settings: settings)
        }
        if immersion?.exit == nil { immersion?.surface(at: time) }
        // The event is what ends it.
        surfacedSequence = nil
        finish(at: time, settings, into: &events)
        last = LastSample(time: time, depth: 0)
    }

    /// Ends a stay that has surfaced, however short a time ago: nothing can continue it.
    mutating func endSurfaced(settings: SubmersionSettings, into events: inout [DerivedEvent]) {
        if let exit = immersion?.exit { finish(at: exit.time, settings, into: &events) }
    }

    /// Publishes the dive that is held. A stay that goes on is discarded: its course can no longer be known.
    mutating func abandon(into events: inout [DerivedEvent]) {
        publishHeld(into: &events)
        immersion = nil
        last = nil
    }

    /// Records which frames the stay, or a dive that is held since the call before, was derived from: its first is `first`, or else `latest`,
    /// its last the one with which it surfaced. A frame between that and the end of the stay may come before or after the timer fires.
    mutating func noteFrames(first: UInt64?, latest: UInt64?) {
        if case .some = immersion?.exit { surfacedSequence = surfacedSequence ?? latest } else { surfacedSequence = nil }
        guard isHeld, held?.firstSequence == nil || held?.lastSequence == nil, let last = held?.lastSequence ?? latest else {
            return
        }
        if held?.firstSequence == nil { held?.firstSequence = min(first ?? last, last) }
        held?.lastSequence = last
    }

    /// When the surfacing has lasted long enough to end the stay, or the dive that is held; nil under water and between dives.
    package func due(settings: SubmersionSettings) -> DeviceTime? {
        stayDue(settings).least(heldDue(settings))
    }

    private func stayDue(_ settings: SubmersionSettings) -> DeviceTime? {
        immersion?.exit.map { $0.time + (settings.diveEndSeconds + settings.lagAllowanceSeconds) }
    }

    private func heldDue(_ settings: SubmersionSettings) -> DeviceTime? {
        // A dive that has begun since is decided together with the one that is held.
        guard let exit = held?.stay.exit, immersion?.isDive != true else { return nil }
        return exit.time + (max(settings.scubaEndSeconds, settings.diveEndSeconds) + settings.lagAllowanceSeconds)
    }

    /// Ends the stay, or the dive that is held, if the surfacing has lasted until `now`.
    package mutating func fire(
        until now: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        if let due = stayDue(settings), due <= now { finish(at: due, settings, into: &events) }
        if let due = heldDue(settings), due <= now { publishHeld(into: &events) }
    }

    /// Ends the stay: it continues the dive that is held, is held itself, or is published.
    private mutating func finish(
        at time: DeviceTime, _ settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        guard let stay = immersion, let exit = stay.exit else { return }
        immersion = nil
        guard stay.isDive else { return }
        let isFree = isFreeDive(stay, settings)
        if !isFree, var dive = held, let before = dive.stay.exit, stay.start - before.time < settings.scubaEndSeconds {
            dive.stay.join(stay)
            (dive.endedAt, dive.lastSequence) = (time, surfacedSequence)
            held = dive
            return
        }
        publishHeld(into: &events)
        if isFree { return publish(stay, at: time, into: &events) }
        held = HeldDive(stay: stay, endedAt: max(time, exit.time), lastSequence: surfacedSequence)
    }

    /// Whether a stay is a dive by itself.
    private mutating func isFreeDive(_ stay: Immersion, _ settings: SubmersionSettings) -> Bool {
        switch settings.diving {
        case .scuba: return false
        case .freediving: return true
        case .automatic:
            let longest = settings.longestFreeDiveSeconds
            if stay.timeUnderWater > longest {
                isFreeDiving = false
            } else if stay.ascentRate >= settings.freeAscentRate {
                // At the end of a long dive a short stay belongs to it, however fast.
                isFreeDiving = (held?.stay.timeUnderWater ?? 0) <= longest
            }
            return isFreeDiving == true
        }
    }

    private mutating func publishHeld(into events: inout [DerivedEvent]) {
        guard let dive = held else { return }
        held = nil
        publish(dive.stay, at: dive.endedAt, into: &events)
        if let first = dive.firstSequence, let last = dive.lastSequence, first <= last, !events.isEmpty {
            events[events.count - 1].frames = .named(first...last)
        }
    }

    private mutating func publish(_ stay: Immersion?, at time: DeviceTime, into events: inout [DerivedEvent]) {
        guard let dive = stay?.dive(after: previousEnd) else { return }
        previousEnd = dive.end
        events.append(DerivedEvent(time: time, span: dive.start...dive.end, body: dive))
    }

    /// Where the line from the last depth to `now` crosses the entry depth; at `now` if it does not, or if the gap is too long to
    /// be interpolated.
    private func crossing(to now: DepthPoint, settings: SubmersionSettings) -> DepthPoint {
        let entry = settings.enterWaterMeters
        guard let last, let depth = last.depth, now.time - last.time <= settings.staleSeconds,
            (depth < entry) != (now.depth < entry)
        else { return now }
        let fraction = (entry - depth) / (now.depth - depth)
        return DepthPoint(time: last.time + (now.time - last.time) * fraction, depth: entry)
    }
}
