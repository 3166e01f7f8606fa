package import TelemetryModel

/// Derives dives from the depths of one device.
///
/// A stay under water becomes a dive at `diveStartMeters`; shallower stays are discarded as soon as they end. A dive is over when
/// an event reports the surface, or after `diveEndSeconds` at the surface; a shorter surfacing belongs to the dive. No timer runs
/// under water: a dive without data there stays open until depth is measured again. Depths that are not accepted are ignored; the
/// average bridges such gaps, and those of smart recording, by linear interpolation.
package struct DiveTracker: Codable, Sendable, Equatable {
    /// The last sample, with the depth unless it was withheld.
    fileprivate struct LastSample: Codable, Sendable, Equatable {
        var time: DeviceTime
        var depth: Double?
    }

    private var last: LastSample?
    private var immersion: Immersion?
    private var previousEnd: DeviceTime?

    /// No dive yet.
    package init() {}

    /// Whether a stay under water is open, or has just ended and may be published as a dive.
    package var isUnderWay: Bool {
        // Compared with nil, the whole stay is copied.
        if case .some = immersion { true } else { false }
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
        finish(at: time, into: &events)
        last = LastSample(time: time, depth: 0)
    }

    /// Discards the open dive, as its course can no longer be known.
    package mutating func abandon() {
        immersion = nil
        last = nil
    }

    /// When the surfacing has lasted long enough to end the dive; nil under water and between dives.
    package func due(settings: SubmersionSettings) -> DeviceTime? {
        immersion?.exit.map { $0.time + (settings.diveEndSeconds + settings.lagAllowanceSeconds) }
    }

    /// Ends the dive if the surfacing has lasted until `now`.
    package mutating func fire(
        until now: DeviceTime, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        guard let due = due(settings: settings), due <= now else { return }
        finish(at: due, into: &events)
    }

    private mutating func finish(at time: DeviceTime, into events: inout [DerivedEvent]) {
        defer { immersion = nil }
        guard let dive = immersion?.dive(after: previousEnd) else { return }
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
