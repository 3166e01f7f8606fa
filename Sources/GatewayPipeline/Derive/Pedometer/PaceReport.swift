import TelemetryModel

/// What was published of a pace last, and what is not certain.
struct PaceReport: Sendable, Equatable, Codable {
    var state = Pace.State.unknown
    var cause = Pace.Cause.steps
    /// The instant of the last message; nil before the first.
    var publishedAt: Double?
    /// The last pause or resumption that was published.
    var announcedUntil = -Double.greatestFiniteMagnitude
    /// Whether data have stopped coming.
    var isSilent = false
    /// Whether the state was restored and is not confirmed by data yet.
    var isUnconfirmed = false
}

/// Messages.
extension PedometerDerivation {
    /// Publishes each pause and resumption that is new, a state that has changed for another reason, and now and then an
    /// unchanged one.
    mutating func announce(at time: Double, _ settings: PedometerSettings, into events: inout [DerivedEvent]) {
        guard let timeline else { return }
        let published = events.count
        for mark in timeline.effective where mark.time > report.announcedUntil {
            report.announcedUntil = mark.time
            if !mark.isMoving { speed.clear() }
            let state: Pace.State = mark.isMoving ? .moving : .paused
            if state != report.state || report.publishedAt == nil {
                publish(at: mark.time, state: state, cause: mark.cause, settings, into: &events)
            }
        }
        if state != report.state || confirms(settings) {
            let last = timeline.effective.last
            let first = report.publishedAt == nil ? report.cause : .steps
            publish(
                at: time, cause: last?.isMoving == timeline.isMoving ? last?.cause ?? first : first, settings, into: &events)
        } else if events.count == published, report.publishedAt.map({ time - $0 >= settings.refreshSeconds }) ?? true {
            publish(at: time, cause: report.cause, settings, into: &events)
        }
    }

    /// Whether the next message confirms a restored state. Not of data that the broker had queued: a gateway before this one may have
    /// published paces of later data.
    private func confirms(_ settings: PedometerSettings) -> Bool { report.isUnconfirmed && settings.isCurrent }

    /// The state after all that is known.
    private var state: Pace.State {
        guard let timeline, !report.isSilent else { return .unknown }
        return timeline.isMoving ? .moving : .paused
    }

    /// Publishes the present state.
    mutating func publish(
        at time: Double, cause: Pace.Cause, _ settings: PedometerSettings, into events: inout [DerivedEvent]
    ) {
        publish(at: time, state: state, cause: cause, settings, into: &events)
    }

    private mutating func publish(
        at time: Double, state: Pace.State, cause: Pace.Cause, _ settings: PedometerSettings, into events: inout [DerivedEvent]
    ) {
        // Every device has workouts, but not every one counts steps.
        guard newest != nil else {
            report.cause = cause
            return
        }
        var totals = totals
        totals.elapsedTime = max(0, time - countStart)
        totals.movingTime = movingTime(at: time)
        let isMoving = state == .moving
        let confirms = confirms(settings)
        // Only a movement is unknown after a restart. Another state was published of queued data since: it does not begin again.
        let pace = Pace(
            state: state, previous: confirms && report.state == .moving ? .unknown : report.state, cause: cause,
            pace: isMoving ? speed.pace : nil, cadence: isMoving ? speed.cadence : nil,
            devicePace: isMoving ? speed.devicePace : nil, totals: totals)
        report.state = state
        report.cause = cause
        report.publishedAt = max(time, report.publishedAt ?? time)
        if confirms { report.isUnconfirmed = false }
        events.append(
            DerivedEvent(
                time: DeviceTime(time), quality: state == .unknown ? .stale : .valid,
                validUntil: isMoving ? DeviceTime(time) + settings.silenceSeconds : nil, body: pace))
    }

    private func movingTime(at time: Double) -> Double {
        guard let timeline else { return 0 }
        return endedSeconds + timeline.movingTime(from: segment?.start ?? timeline.settledAt, to: time)
    }

    /// A restored movement must be confirmed by data.
    package mutating func markRestored() {
        if report.state == .moving { report.isUnconfirmed = true }
    }

    /// `unknown`, where somebody was moving.
    package static func announcement(
        of state: Self?, settings: PedometerSettings, changesOwner: Bool
    ) -> (any DerivedBody)? {
        guard let state, state.report.state == .moving else { return nil }
        var totals = state.totals
        let time = state.report.publishedAt ?? state.countStart
        totals.elapsedTime = max(0, time - state.countStart)
        totals.movingTime = state.movingTime(at: time)
        return Pace(state: .unknown, previous: .moving, cause: .restart, totals: totals)
    }

    /// Hills are known over boots, and the device's counter may go on: what it grows by is counted then.
    package func continued() -> Self? {
        let counter = counter?.continued()
        guard !hills.isEmpty || counter != nil else { return nil }
        var continued = Self()
        continued.hills = hills
        continued.counter = counter
        return continued
    }

    /// Counts go on, and hills are known over boots.
    package func resumed(after other: Self) -> Self? {
        var resumed = self
        resumed.hills = other.hills
        resumed.counter = counter?.resumed(after: other.counter)
        return resumed
    }
}
