import TelemetryModel

/// The sessions of a device for one part.
///
/// What was derived in the last half minute is kept by itself, because a change of the workout may arrive after the events that it
/// separates; older events are settled. Memory: 128 events, and five sessions.
struct SessionTrack<Sum: SessionSum>: Codable, Sendable, Equatable {
    /// The sessions by their start; only the last may go on.
    private var sessions: [SessionSpan<Sum>] = []
    /// The events that are not settled, by their instant.
    private var recent: [SessionEntry<Sum>] = []
    /// The newest instant of an event or of a change of the workout, in s.
    private var newest: Double?

    init() {}

    private static var unsettledSeconds: Double { 30 }
    private static var mostEvents: Int { 128 }
    private static var mostSessions: Int { 5 }
    /// How many levels are followed side by side, as depth states and temperatures are.
    private static var levelsAtOnce: Int { 4 }
    /// How long late data revise a session that has ended, in s.
    private static var revisedSeconds: Double { 36 * 3_600 }
    /// The longest session in s.
    private static var longest: Double { 24 * 3_600 }
    /// How much later than its instant a session that goes on is published, in s: frames of other streams may come after.
    private static var delay: Double { 5 }

    private var isOpen: Bool { sessions.last.map { $0.end == nil } ?? false }

    private mutating func note(_ time: Double) { newest = max(newest ?? time, time) }

    // MARK: The workout

    /// Follows a change of the workout.
    mutating func follow(_ change: WorkoutChange, _ settings: SessionSettings) {
        let time = change.time.seconds
        switch change.state {
        case .running: run(at: time, change.activity, isPaused: false)
        case .paused: run(at: time, change.activity, isPaused: true)
        case .ended, .stopped:
            if isOpen, sessions.last?.isImplicit == false { sessions[sessions.count - 1].end(at: time, by: .workout) }
        case .notStarted, .prepared: return
        }
        note(time)
        replan(settings)
    }

    private mutating func run(at time: Double, _ activity: String?, isPaused: Bool) {
        guard let last = sessions.last, isOpen else { return open(at: time, activity, isPaused: isPaused) }
        let index = sessions.count - 1
        if last.isImplicit {
            sessions[index].end(at: time, by: .workout)
            open(at: time, activity, isPaused: isPaused)
        } else if isPaused == last.isRunning {
            sessions[index].turn(at: time)
        } else if !isPaused, time > last.lastTurn {
            sessions[index].end(at: time, by: .restart)
            open(at: time, activity, isPaused: false)
        }
    }

    private mutating func open(at time: Double, _ activity: String?, isPaused: Bool = false, isImplicit: Bool = false) {
        // A change that is older than the session before has come too late.
        guard sessions.last?.end.map({ $0 <= time }) ?? true else { return }
        sessions.append(SessionSpan(start: time, activity: activity, isImplicit: isImplicit, isPaused: isPaused))
        if sessions.count > Self.mostSessions { sessions.removeFirst() }
    }

    // MARK: Events

    /// Adds an event; one that is late revises the session that it belongs to.
    mutating func add(_ entry: SessionEntry<Sum>, _ settings: SessionSettings, into events: inout [DerivedEvent]) {
        guard entry.from.isFinite, entry.to.isFinite else { return }
        if settings.implicit, !isOpen, !entry.isGap { open(at: entry.from, nil, isImplicit: true) }
        insert(entry)
        note(entry.to)
        if let index = sessions.lastIndex(where: { $0.contains(entry) }) {
            if sessions[index].isClosed {
                if let event = sessions[index].close(recent) { events.append(event) }
            } else if sessions[index].end == nil {
                sessions[index].plan(entry.to, every: settings.refreshSeconds)
            }
        }
        settle()
    }

    private mutating func insert(_ entry: SessionEntry<Sum>) {
        for index in recent.indices.suffix(Self.levelsAtOnce).reversed() {
            guard recent[index].extend(by: entry) else { continue }
            if index < recent.count - 1 { place(recent.remove(at: index)) }
            return
        }
        // Doubling would leave most of it unused, for each device.
        if recent.count == recent.capacity { recent.reserveCapacity(recent.count + 8) }
        place(entry)
    }

    private mutating func place(_ entry: SessionEntry<Sum>) {
        recent.insert(entry, at: recent.lastIndex { $0.to <= entry.to }.map { $0 + 1 } ?? 0)
    }

    private mutating func settle() {
        guard let newest else { return }
        while let first = recent.first, recent.count > Self.mostEvents || first.to < newest - Self.unsettledSeconds {
            for index in sessions.indices where sessions[index].contains(first) { sessions[index].settle(first) }
            recent.removeFirst()
        }
        sessions.removeAll { session in session.isClosed && session.end.map { $0 < newest - Self.revisedSeconds } ?? false }
    }

    /// The instant of the first event of a session after `time` that is not settled.
    private func first(in session: SessionSpan<Sum>, after time: Double) -> Double? {
        recent.lazy.filter(session.contains).compactMap { $0.first(after: time) }.min()
    }

    /// Plans a message for what came before its session was known, and for a pause or a resumption.
    private mutating func replan(_ settings: SessionSettings) {
        guard isOpen, let newest, let last = sessions.last else { return }
        sessions[sessions.count - 1].plan(first(in: last, after: last.reportedAt) ?? newest, every: settings.refreshSeconds)
    }

    // MARK: Time

    /// When the next message is due, or a session ends for want of data; infinite for never.
    func due(_ settings: SessionSettings) -> Double {
        var earliest = Double.infinity
        for index in sessions.indices { earliest = min(earliest, due(index, settings)) }
        return earliest
    }

    private func due(_ index: Int, _ settings: SessionSettings) -> Double {
        if let end = sessions[index].end { return sessions[index].isClosed ? .infinity : end + settings.settleSeconds }
        var earliest = sessions[index].start + Self.longest
        if let report = sessions[index].nextReport { earliest = min(earliest, report + Self.delay) }
        if sessions[index].isImplicit, let newest { earliest = min(earliest, newest + settings.silenceSeconds) }
        return earliest
    }

    /// Publishes what is due at or before `now`.
    mutating func fire(until now: Double, _ settings: SessionSettings, into events: inout [DerivedEvent]) {
        while true {
            let due = due(settings)
            guard due.isFinite, due <= now else { return }
            for index in sessions.indices { fire(index, at: due, settings, into: &events) }
        }
    }

    private mutating func fire(
        _ index: Int, at due: Double, _ settings: SessionSettings, into events: inout [DerivedEvent]
    ) {
        let session = sessions[index]
        if let end = session.end {
            guard !session.isClosed, end + settings.settleSeconds <= due else { return }
            if let event = sessions[index].close(recent) { events.append(event) }
        } else if let next = session.nextReport, next + Self.delay <= due {
            if let event = sessions[index].report(recent) { events.append(event) }
            if let later = first(in: session, after: next) { sessions[index].plan(later, every: settings.refreshSeconds) }
        } else if due >= session.start + Self.longest {
            sessions[index].end(at: min(newest ?? session.start, session.start + Self.longest), by: .silence)
        } else if session.isImplicit, let newest, newest + settings.silenceSeconds <= due {
            sessions[index].end(at: newest, by: .silence)
        }
    }

    /// Ends what goes on at the last event, and publishes what has ended: the device's clock stops.
    mutating func endBoot(into events: inout [DerivedEvent]) {
        for index in sessions.indices where !sessions[index].isClosed {
            if sessions[index].end == nil { sessions[index].end(at: newest ?? sessions[index].start, by: .reboot) }
            if let event = sessions[index].close(recent) { events.append(event) }
        }
    }
}
