import TelemetryModel

/// Whether one subject, headphones or a device, is connected, by its reports, its data and their absence.
///
/// Reports and data arrive on different streams, so either may overtake the other. Each is compared by its own device time. A
/// report older than the last one is ignored, as are a disconnect older than data already received, and data older than a
/// disconnect.
struct ConnectionTrack: Codable, Sendable, Equatable {
    private let subject: ConnectionSubject
    private var isReboot = false
    /// Why the next connection is another run's; nil where it is a reboot's.
    private var run: RunCause?
    private var reportedAt: DeviceTime?
    private var disconnectedAt: DeviceTime?
    /// The state; nil before the first report and the first data.
    private(set) var state: ConnectionState?
    /// When the state began; nil when that was in an earlier boot.
    private(set) var since: DeviceTime?
    /// The last data or other activity.
    private(set) var lastData: DeviceTime?
    /// Silence is counted from here at the earliest; nil for no limit.
    private var countsFrom: DeviceTime?

    /// Nothing known of `subject`.
    init(_ subject: ConnectionSubject) { self.subject = subject }

    /// A new boot: the state so far is kept, its times are not, and the next connection is a `reboot`.
    init(rebooting previous: Self) {
        run = previous.run
        subject = previous.subject
        state = previous.state
        isReboot = state != nil
    }

    /// Records what ends the boot, or with `run` a run of it.
    mutating func end(by run: RunCause?) { self.run = run }

    /// Moves every instant by `seconds`.
    mutating func shift(by seconds: Double) {
        reportedAt = reportedAt.map { $0 + seconds }
        disconnectedAt = disconnectedAt.map { $0 + seconds }
        since = since.map { $0 + seconds }
        lastData = lastData.map { $0 + seconds }
        countsFrom = countsFrom.map { $0 + seconds }
    }

    /// When silence makes the state silent, `limit` seconds after the last data; nil without a limit.
    ///
    /// Silence is counted from the last data, or from the beginning of a connection that has had none, but not from before
    /// `countSilence(from:)`.
    func due(limit: Double?) -> DeviceTime? {
        guard let limit, state == .connected, let since else { return nil }
        return max(lastData ?? since, since, countsFrom ?? since) + limit
    }

    /// Counts silence from `time` on, unless it is counted from a later instant already.
    mutating func countSilence(from time: DeviceTime) { countsFrom = max(countsFrom ?? time, time) }

    /// Becomes silent if that was due at or before `now`.
    mutating func expire(until now: DeviceTime, limit: Double?, into events: inout [DerivedEvent]) {
        guard let due = due(limit: limit), due <= now else { return }
        change(to: .silent, at: due, cause: .silence, span: lastData.map { $0...$0 }, into: &events)
    }

    /// Becomes silent at `time`, where the boot or run ends, if it is connected and silence is followed.
    mutating func fallSilent(at time: DeviceTime, limit: Double?, into events: inout [DerivedEvent]) {
        guard limit != nil, state == .connected else { return }
        change(to: .silent, at: notBefore(time), cause: .silence, span: lastData.map { $0...$0 }, into: &events)
    }

    /// Becomes silent if that was due before `time`: what arrives at the due time is in time.
    private mutating func expire(before time: DeviceTime, limit: Double?, into events: inout [DerivedEvent]) {
        expire(until: DeviceTime(time.seconds.nextDown), limit: limit, into: &events)
    }

    /// Processes a report that the subject is connected.
    mutating func connect(at time: DeviceTime, limit: Double?, into events: inout [DerivedEvent]) {
        guard isLatestReport(time) else { return }
        expire(before: time, limit: limit, into: &events)
        if state == .silent, let since, time < since { return }
        if state != .connected || isReboot { change(to: .connected, at: time, cause: .reported, into: &events) }
    }

    /// Processes a report that the subject is disconnected.
    mutating func disconnect(
        at time: DeviceTime, cause: ConnectionCause = .reported, limit: Double?, into events: inout [DerivedEvent]
    ) {
        guard isLatestReport(time) else { return }
        if let lastData, time < lastData { return }
        expire(before: time, limit: limit, into: &events)
        disconnectedAt = time
        if state != .disconnected { change(to: .disconnected, at: time, cause: cause, into: &events) }
    }

    /// Processes data measured at `time`; false when they are not later than the data before and the last disconnect.
    mutating func resume(at time: DeviceTime, limit: Double?, into events: inout [DerivedEvent]) -> Bool {
        guard isNews(time) else { return false }
        expire(before: time, limit: limit, into: &events)
        lastData = time
        if state != .connected || isReboot { change(to: .connected, at: time, cause: .dataResumed, into: &events) }
        return true
    }

    /// Whether data measured at `time` would be later than the data before and the last disconnect.
    func isNews(_ time: DeviceTime) -> Bool {
        if let lastData, time <= lastData { return false }
        if let disconnectedAt, time <= disconnectedAt { return false }
        return time.seconds.isFinite
    }

    /// `time`, or the last report or data if they are later: the time of an occurrence that ends the state.
    func notBefore(_ time: DeviceTime) -> DeviceTime {
        [time, reportedAt ?? time, lastData ?? time].max() ?? time
    }

    /// Publishes a handover: data now come from another headphone while connected.
    mutating func handOver(
        from previous: SensorLocation, to location: SensorLocation, at time: DeviceTime, into events: inout [DerivedEvent]
    ) {
        append(
            ConnectionChange(
                subject: subject, state: .connected, previous: .connected, cause: .handover, sensorLocation: location,
                previousLocation: previous), at: time, into: &events)
    }

    private mutating func isLatestReport(_ time: DeviceTime) -> Bool {
        if let reportedAt, time < reportedAt { return false }
        reportedAt = time
        return true
    }

    private mutating func change(
        to new: ConnectionState, at time: DeviceTime, cause: ConnectionCause, span: ClosedRange<DeviceTime>? = nil,
        into events: inout [DerivedEvent]
    ) {
        let cause = isReboot && new == .connected ? run?.connectionCause ?? .reboot : cause
        append(
            ConnectionChange(subject: subject, state: new, previous: state, cause: cause), at: time, span: span,
            into: &events)
        if new == .connected { (isReboot, run) = (false, nil) }
        state = new
        since = time
    }

    private func append(
        _ change: ConnectionChange, at time: DeviceTime, span: ClosedRange<DeviceTime>? = nil,
        into events: inout [DerivedEvent]
    ) {
        events.append(
            DerivedEvent(
                time: time, span: span, quality: change.state == .silent ? .stale : .valid, body: change))
    }
}

extension RunCause {
    /// The cause of a connection.
    fileprivate var connectionCause: ConnectionCause {
        switch self {
        case .clockSetBack: .clockSetBack
        case .bootReused: .bootReused
        }
    }
}
