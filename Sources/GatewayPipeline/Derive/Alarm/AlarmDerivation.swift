package import TelemetryModel

/// Alarms by the rules of the configuration: raised, acknowledged and cleared.
///
/// Its input are the derived messages of the kinds that the rules name. It runs in every lane, and in each it has the alarms on the kinds that
/// are derived there. What is kept of a device are alarms that are not idle.
package struct AlarmDerivation: Derivation {
    /// It has no input of frames.
    package typealias Input = Never

    /// `alarms`.
    package static let declaration = DerivationDeclaration(
        "alarms", section: "alarms", version: 1, streams: [], kinds: [Alarm.self], homeStreams: [],
        "Alarms by rules over the other kinds: raised, acknowledged and cleared.")

    /// The alarms in the order of their levels.
    private var tracks: [AlarmTrack] = []

    /// No alarm.
    package init() {}

    /// The alarms, as they were published last.
    package var alarms: [Alarm] { tracks.compactMap(\.alarm) }

    /// The kinds that the rules name.
    package static func sums(settings: AlarmSettings) -> [any DerivedBody.Type] { settings.table.kinds }

    /// Whether something of a message has to be kept.
    package static func begins(with occurrence: Occurrence, settings: AlarmSettings) -> Bool {
        switch occurrence {
        case .event(let event, of: _), .announcement(let event, of: _, at: _):
            settings.table.uses(of: event.body).contains { use in
                settings.applies(settings.table.rules[use.rule]) && settings.table.isNoted(event, use)
            }
        default: false
        }
    }

    /// Compares a message with the rules on its kind, or acknowledges an alarm.
    package mutating func take(_ occurrence: Occurrence, settings: AlarmSettings, into output: inout DerivationOutput) {
        switch occurrence {
        case .event(let event, of: let stream):
            take(event, of: stream, at: event.time.seconds, settings, into: &output.events)
        case .announcement(let event, of: let stream, at: let time):
            let first = output.events.endIndex
            take(event, of: stream, at: time.seconds, isAnnounced: true, settings, into: &output.events)
            // The device's time is an estimate here: the instant of what has changed is on the wall clock.
            for index in output.events.indices[first...] {
                guard var alarm = output.events[index].body as? Alarm else { continue }
                leaveClockOfChange(of: alarm, offset: event.time - time)
                // Not the alarm as it is now: what holds for its instant alone may have cleared it already.
                alarm.leaveClock(offset: event.time - time)
                output.events[index].body = alarm
            }
        case .acknowledgement(let acknowledgement, at: let time):
            guard let index = place(of: acknowledgement.level) else { return }
            tracks[index].acknowledge(
                by: acknowledgement.person, at: acknowledgement.at, time: time.seconds, into: &output.events)
        case .frame, .activity, .presence, .interruption, .doubt, .history: break
        }
    }

    /// Puts the instants of the changes of an alarm on the wall clock, which is `offset` seconds after the device's.
    mutating func leaveClockOfChange(of alarm: Alarm, offset: Double) {
        if let place = place(of: alarm.level) { tracks[place].leaveClockOfChange(offset: offset) }
    }

    private mutating func take(
        _ event: DerivedEvent, of stream: StreamName, at time: Double, isAnnounced: Bool = false, _ settings: AlarmSettings,
        into events: inout [DerivedEvent]
    ) {
        let table = settings.table
        for use in table.uses(of: event.body) where settings.applies(table.rules[use.rule]) {
            let part = table.isParted(use.rule) ? event.body.part(of: stream) : nil
            let level = AlarmTrack.level(table.rules[use.rule].name, part)
            let place = placeOrEnd(of: level)
            let isThere = place < tracks.count && tracks[place].level == level
            guard isThere || table.isNoted(event, use), var report = use.report(event, of: stream, at: time) else { continue }
            // What the gateway does not know because it stopped is not news about the device: the same frames give the same alarms.
            if isAnnounced {
                report.isAnnounced = true
                report.findings.removeAll { $0.truth == nil }
                guard !report.findings.isEmpty else { continue }
            }
            if !isThere {
                let track = AlarmTrack(table.rules[use.rule], basis: table.basis(use.rule), part: part, stream: stream)
                tracks.insert(track, at: place)
            }
            tracks[place].take(report, settings.steps(of: use.rule), into: &events)
            if tracks[place].isIdle, !table.isFollowed(use.rule) { tracks.remove(at: place) }
        }
    }

    /// The place of the alarm with a level; nil where there is none.
    private func place(of level: String) -> Int? {
        let place = placeOrEnd(of: level)
        return place < tracks.count && tracks[place].level == level ? place : nil
    }

    /// The place of the first alarm whose level is not before `level`.
    private func placeOrEnd(of level: String) -> Int {
        // Not `partitioningIndex`: its closure would get a copy of each alarm.
        var (low, high) = (0, tracks.count)
        while low < high {
            let middle = (low + high) / 2
            if tracks[middle].level < level { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Time

    /// When the earliest alarm changes.
    package func due(settings: AlarmSettings) -> DeviceTime? {
        var earliest = Double.infinity
        for track in tracks {
            if let steps = settings.steps(ofRule: track.rule) { earliest = min(earliest, track.due(steps)) }
        }
        return earliest.isFinite ? DeviceTime(earliest) : nil
    }

    /// Fires what is due, in order.
    package mutating func fire(until now: DeviceTime, settings: AlarmSettings, into events: inout [DerivedEvent]) {
        let first = events.endIndex
        for index in tracks.indices {
            if let steps = settings.steps(ofRule: tracks[index].rule) {
                tracks[index].fire(until: now.seconds, steps, into: &events)
            }
        }
        events[first...].sort { $0.time < $1.time }
        tracks.removeAll { track in
            track.isIdle && settings.table.place(of: track.rule).map { !settings.table.isFollowed($0) } ?? false
        }
    }

    // MARK: Boots and rules

    /// The alarms: they go on in the next boot.
    package func continued() -> Self? { tracks.isEmpty ? nil : self }

    /// Moves every instant.
    package mutating func shift(by seconds: Double) {
        for index in tracks.indices { tracks[index].shift(by: seconds) }
    }

    /// Puts what is published on the wall clock.
    package mutating func leaveClock(offset: Double) {
        for index in tracks.indices { tracks[index].leaveClock(offset: offset) }
    }

    /// Goes on after another boot: with its alarms, as what it has cleared is not raised any more.
    package func resumed(after other: Self) -> Self? { other }

    /// The alarms of rules that are not in force any more, not for the device, or with other conditions.
    func outdated(_ settings: AlarmSettings, of device: DeviceID) -> [(level: String, alarm: Alarm?)] {
        tracks.filter { track in
            guard let place = settings.table.place(of: track.rule) else { return true }
            return !settings.table.rules[place].applies(to: device) || track.basis != settings.table.basis(place)
        }.map { ($0.level, $0.alarm) }
    }

    /// Drops the alarms for whose paths after `out/` a condition is false.
    mutating func keep(where condition: (String) -> Bool) { tracks.removeAll { !condition(Alarm.path(of: $0.level)) } }
}

/// That somebody has seen an alarm.
package struct AlarmAcknowledgement: Sendable, Equatable {
    /// What follows `alarm/` in the alarm's topic.
    package var level: String
    /// Who it was, in the words of who asks.
    package var person: String
    /// When it was.
    package var at: UnixTime
}

extension AlarmSettings {
    /// What the steps of a rule at a place need.
    fileprivate func steps(of place: Int) -> AlarmTrack.Rules {
        AlarmTrack.Rules(
            rule: table.rules[place], isSpread: table.isSpread(place), keepSeconds: keepSeconds, lagSeconds: lagSeconds)
    }

    /// What the steps of a rule need; nil where it is not in force.
    fileprivate func steps(ofRule name: String) -> AlarmTrack.Rules? { table.place(of: name).map { steps(of: $0) } }
}

extension AlarmTable {
    /// Whether a message has to be kept for a rule of which nothing is kept: it may make it true.
    fileprivate func isNoted(_ event: DerivedEvent, _ use: Use) -> Bool {
        if isFollowed(use.rule) { return use.conditions.contains { $0.check.covers(event.body) } }
        let isAny = rules[use.rule].join == .any
        return isAny
            ? use.conditions.contains { $0.check.covers(event.body) && $0.check.result(event).truth == true }
            : use.conditions.allSatisfy { $0.check.covers(event.body) && $0.check.result(event).truth == true }
    }
}

extension AlarmTable.Check {
    /// Whether the condition is on the path of a message of its kind.
    fileprivate func covers(_ body: any DerivedBody) -> Bool { path == nil || path == body.path }
}

extension AlarmTable.Use {
    /// What a message says of the conditions; nil where it is about none of them.
    fileprivate func report(_ event: DerivedEvent, of stream: StreamName, at time: Double) -> AlarmTrack.Report? {
        // What is published because nothing comes, or as the gateway starts, ends no silence.
        let news = conditions.filter { $0.check.covers(event.body) && ($0.check.field != nil || event.quality != .stale) }
        let findings = news.map { place, check in
            let (truth, value) = check.result(event)
            return AlarmTrack.Finding(place: place, truth: truth, value: value)
        }
        guard !findings.isEmpty else { return nil }
        return AlarmTrack.Report(
            time: time, kind: event.body.path, source: AlarmTrack.Source(stream: stream, sequence: event.frames.range),
            findings: findings,
            expires: event.validUntil.map { time + ($0 - event.time) },
            isMomentary: !event.body.isRetained)
    }
}
