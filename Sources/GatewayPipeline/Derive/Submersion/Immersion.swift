package import TelemetryModel

/// One stay under water, from the crossing of the entry depth on.
package struct Immersion: Codable, Sendable, Equatable {
    /// A crossing on the way up, with the depth integral until then.
    package struct Exit: Codable, Sendable, Equatable {
        /// The crossing.
        package var time: DeviceTime
        /// The integral of depth over time until then, in m s.
        package var area: Double
    }

    /// The crossing on the way down.
    package let start: DeviceTime
    /// Whether it has become a dive.
    package private(set) var isDive = false
    /// The last crossing on the way up; nil while under water.
    package private(set) var exit: Exit?
    private var area = 0.0
    private var deepest = 0.0
    private var isWithheld = false
    private var minimumTemperature: Double?
    private var ascent = AscentWindow()
    /// Nil where the stay began under a version that recorded no profile.
    private var recorder: DiveProfileRecorder?
    /// Seconds at the surface between stays that were joined; nil where none were.
    private var surfaceTime: Double?

    /// Seconds from the start to the last crossing on the way up, of which none were at the surface; 0 while under water.
    package var timeUnderWater: Double { exit.map { max(0, $0.time - start - (surfaceTime ?? 0)) } ?? 0 }

    /// The greatest rate of an ascent so far, in m/s.
    package var ascentRate: Double { ascent.greatest }

    /// A stay from `start`.
    package init(start: DeviceTime) {
        self.start = start
        recorder = DiveProfileRecorder(start: start)
    }

    /// Adds the integral from one depth to the next, both in m, by the trapezoid rule; a clock that steps back adds nothing.
    package mutating func travel(from: DepthPoint, to: DepthPoint, settings: SubmersionSettings) {
        area += (from.depth + to.depth) / 2 * max(to.time - from.time, 0)
        deepest = max(deepest, to.depth)
        recorder?.measure(to.depth, at: to.time)
        if to.depth >= settings.diveStartMeters { isDive = true }
        ascent.add(to, over: settings.ascentWindowSeconds)
    }

    /// Adds the way to a depth at the surface, which the first time passes `crossing`; returns whether the stay is a dive.
    package mutating func rise(
        from: DepthPoint, through crossing: DepthPoint, to: DepthPoint, settings: SubmersionSettings
    ) -> Bool {
        var from = from
        if exit == nil {
            travel(from: from, to: crossing, settings: settings)
            surface(at: crossing.time)
            from = crossing
        }
        travel(from: from, to: to, settings: settings)
        return isDive
    }

    /// Records a time at which depth was withheld: the stay is a dive, and neither its deepest nor its average depth is
    /// published.
    package mutating func withhold(at time: DeviceTime) {
        recorder?.withhold(at: time)
        isDive = true
        isWithheld = true
        ascent.interrupt()
    }

    /// Records a water temperature in degrees Celsius.
    package mutating func measure(temperature: Double) {
        guard exit == nil else { return }
        minimumTemperature = min(minimumTemperature ?? temperature, temperature)
    }

    /// Records that the surface was reached.
    package mutating func surface(at time: DeviceTime) { exit = Exit(time: time, area: area) }

    /// Records that the device submerged again.
    package mutating func submergeAgain() { exit = nil }

    /// Adds the next stay, which has ended: both are one dive.
    package mutating func join(_ next: Self) {
        guard let exit, let nextExit = next.exit else { return }
        surfaceTime = (surfaceTime ?? 0) + max(0, next.start - exit.time) + (next.surfaceTime ?? 0)
        area = exit.area + nextExit.area
        self.exit = Exit(time: max(exit.time, nextExit.time), area: area)
        isDive = isDive || next.isDive
        deepest = max(deepest, next.deepest)
        isWithheld = isWithheld || next.isWithheld
        minimumTemperature = minimumTemperature.least(next.minimumTemperature)
        ascent.join(next.ascent)
        if let recorded = next.recorder { recorder?.join(recorded) }
    }

    /// The dive, if it was one and the surface was reached.
    package func dive(after previousEnd: DeviceTime?) -> Dive? {
        guard isDive, let exit else { return nil }
        let end = max(exit.time, start)
        return Dive(
            start: start, end: end, deepest: isWithheld ? nil : deepest,
            averageDepth: isWithheld ? nil : timeUnderWater > 0 ? exit.area / timeUnderWater : deepest,
            minimumTemperature: minimumTemperature, ascentRate: ascent.greatest,
            surfaceInterval: previousEnd.map { max(start - $0, 0) }, surfaceTime: surfaceTime ?? 0,
            profile: recorder?.profile(until: end))
    }
}
