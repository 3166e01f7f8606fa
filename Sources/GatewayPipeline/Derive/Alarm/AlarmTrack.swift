import TelemetryModel

/// One alarm of a device: what is known of its conditions, and the alarm as it was published last.
///
/// Instants are device times in s. Each step fires what was due before it, so the result does not depend on how time is cut into steps.
struct AlarmTrack: Codable, Sendable, Equatable {
    /// What of a rule the steps need.
    struct Rules {
        let rule: AlarmRule
        /// Whether the conditions are on several kinds.
        let isSpread: Bool
        let keepSeconds: Double
        /// How late frames may be, in s.
        let lagSeconds: Double

        /// How much later than its instant anything fires that no message causes, in s: a frame with an earlier sample may come after it, and
        /// messages on other kinds.
        var delay: Double { (isSpread ? 5 : 2) + lagSeconds }
    }

    /// A stream and its frames; nil where they had no numbers, or were of a boot that has ended.
    struct Source: Codable, Sendable, Equatable {
        let stream: StreamName
        var sequence: ClosedRange<UInt64>?
    }

    /// What a message says of a condition.
    struct Finding: Codable, Sendable, Equatable {
        /// The condition's place in the rule.
        let place: Int
        let truth: Bool?
        let value: Alarm.Value?
    }

    /// What a message says of the conditions on its kind.
    struct Report: Codable, Sendable, Equatable {
        var time: Double
        /// The path of the message after `out/`.
        let kind: String
        /// What it is derived from.
        var source: Source
        var findings: [Finding]
        /// Until when it holds; nil for until the next.
        var expires: Double?
        /// Whether it holds for its instant alone.
        var isMomentary = false
        /// Whether no frame has led to it.
        var isAnnounced = false
    }

    private struct Condition: Codable, Sendable, Equatable {
        var truth: Bool?
        /// Whether a message has said something of it; nil for no.
        var isReported: Bool?
        /// When the absence of messages changes it; nil for never.
        var turn: Double?
        /// What silence lasts since; nil where the condition is not on silence.
        var source: Source?
    }

    /// A change that comes about at an instant.
    private struct Change: Codable, Sendable, Equatable {
        var time: Double
        /// What it began with; nil where that has none.
        var source: Source?
    }

    private struct Cause: Codable, Sendable, Equatable {
        var kind: String
        var field: String?
        var value: Alarm.Value?
    }

    /// What is due at an instant; of several the first one here.
    private enum Due {
        case report, condition, turn, release, count, end, calm
    }

    /// How often an alarm may change in `flapSeconds` before it stays raised until it is calm.
    private static let mostChanges = 5
    private static let flapSeconds = 60.0
    /// The most reports that wait for others.
    private static let mostReports = 64

    /// The name of the rule.
    let rule: String
    /// What follows the name in the topic.
    let part: String?
    /// The conditions of the rule that `conditions` are about, as a hash.
    let basis: UInt64
    /// What the change began with that was published last. What comes between changes nothing: how often a state is published again, or
    /// an alarm changes that changes too often, depends on when the gateway was started.
    private var source: Source
    /// The alarm as it was published last; nil before it is raised, and once its topic is cleared.
    private(set) var alarm: Alarm?
    private var conditions: [Condition]
    /// The reports that wait for others.
    private var reports: [Report] = []
    /// What made the rule true.
    private var cause: Cause?
    /// Whether the rule was true for long enough, and not false for long enough since.
    private var isActive = false
    /// When it has been true, or false, for long enough; nil while nothing is to change.
    private var turn: Change?
    /// The instants of the last changes of `isActive`.
    private var changes: [Double] = []
    /// When an alarm that changes too often is cleared; infinite while nothing is known.
    private var release: Change?
    /// When a count is published that has grown.
    private var countDue: Double?
    private var publishedAt = 0.0
    /// When the topic of a cleared alarm is emptied.
    private var end: Double?

    /// An alarm of which nothing is known.
    init(_ rule: AlarmRule, basis: UInt64, part: String?, stream: StreamName) {
        self.rule = rule.name
        self.part = part
        self.basis = basis
        source = Source(stream: stream)
        conditions = Array(repeating: Condition(), count: rule.conditions.count)
    }

    /// What follows `alarm/` in its topic.
    var level: String { Self.level(rule, part) }

    /// What follows `alarm/` in the topic of a rule's alarm.
    static func level(_ rule: String, _ part: String?) -> String { part.map { "\(rule)/\($0)" } ?? rule }

    /// Whether nothing of it has to be kept where its rule is not true.
    var isIdle: Bool { isCalm && reports.isEmpty && changes.isEmpty }

    /// Whether nothing is raised, about to be, or retained.
    private var isCalm: Bool { alarm == nil && turn == nil && !isActive }

    // MARK: Steps

    /// Takes a report, after what was due before it.
    mutating func take(_ report: Report, _ rules: Rules, into events: inout [DerivedEvent]) {
        guard rules.isSpread else {
            // The time of an announcement is an estimate: what was due before it fires when its time has come.
            if !report.isAnnounced { advance(to: report.time.nextDown, lag: 0, rules, into: &events) }
            return apply(report, rules, into: &events)
        }
        if reports.count == Self.mostReports { advance(to: reports[0].time, lag: 0, rules, into: &events) }
        let place = reports.lastIndex { ($0.time, $0.kind) <= (report.time, report.kind) }.map { $0 + 1 } ?? 0
        reports.insert(report, at: place)
    }

    private mutating func apply(_ report: Report, _ rules: Rules, into events: inout [DerivedEvent]) {
        for finding in report.findings {
            if case .silent(let seconds) = rules.rule.conditions[finding.place].test {
                conditions[finding.place].turn = report.time + seconds
                conditions[finding.place].source = report.source
            } else {
                conditions[finding.place].turn = report.expires
            }
            conditions[finding.place].truth = finding.truth
            conditions[finding.place].isReported = true
        }
        let truth = truth(rules.rule)
        if truth == true, !isActive, turn == nil, let finding = report.findings.first(where: { $0.truth == true }) {
            cause = Cause(
                kind: report.kind, field: rules.rule.conditions[finding.place].field, value: finding.value)
        }
        follow(truth, at: report.time, of: report.source, rules, into: &events)
        guard report.isMomentary else { return }
        for finding in report.findings where finding.truth == true { conditions[finding.place].truth = false }
        follow(self.truth(rules.rule), at: report.time, of: report.source, rules, into: &events)
    }

    private func truth(_ rule: AlarmRule) -> Bool? {
        let truths = conditions.lazy.map(\.truth)
        switch rule.join {
        case .all: return truths.contains(false) ? false : truths.contains(nil) ? nil : true
        case .any:
            // A kind that the device has never had does not keep the alarm raised.
            return truths.contains(true) ? true : conditions.contains { $0.isReported == true && $0.truth == nil } ? nil : false
        }
    }

    /// Follows the rule. While nothing is known, what is raised stays raised, and what is about to be raised goes on to be.
    private mutating func follow(
        _ truth: Bool?, at time: Double, of source: Source?, _ rules: Rules, into events: inout [DerivedEvent]
    ) {
        switch (truth, isActive) {
        case (true, true), (nil, true): turn = nil
        case (false, false):
            turn = nil
            if release?.time == .infinity { release = Change(time: time + Self.flapSeconds, source: source) }
        case (true, false), (false, true):
            guard turn == nil else { break }
            turn = Change(time: time + (isActive ? rules.rule.clearSeconds : rules.rule.afterSeconds), source: source)
        case (nil, false): release?.time = .infinity
        }
        if turn?.time == time { change(at: time, rules, into: &events) }
    }

    // MARK: Time

    /// When the next thing is due; infinite for never.
    func due(_ rules: Rules) -> Double { next().time + rules.delay }

    private func next() -> (time: Double, what: Due) {
        var next = (time: Double.infinity, what: Due.end)
        func consider(_ time: Double?, _ what: Due) {
            if let time, time < next.time { next = (time, what) }
        }
        consider(reports.first?.time, .report)
        consider(conditions.lazy.compactMap(\.turn).min(), .condition)
        consider(turn?.time, .turn)
        consider(release?.time, .release)
        consider(countDue, .count)
        consider(end, .end)
        // An alarm that is no longer retained may still be one that changes too often.
        if isCalm { consider(changes.last.map { $0 + Self.flapSeconds }, .calm) }
        return next
    }

    /// Fires what is due at or before `now`.
    mutating func fire(until now: Double, _ rules: Rules, into events: inout [DerivedEvent]) {
        advance(to: now, lag: rules.delay, rules, into: &events)
    }

    /// Fires what was due `lag` seconds before `now`.
    private mutating func advance(to now: Double, lag: Double, _ rules: Rules, into events: inout [DerivedEvent]) {
        while true {
            let (time, what) = next()
            guard time.isFinite, time + lag <= now else { return }
            switch what {
            case .report: apply(reports.removeFirst(), rules, into: &events)
            case .condition: turnConditions(at: time, rules, into: &events)
            case .turn: change(at: time, rules, into: &events)
            case .release: clear(at: time, of: release?.source, rules, into: &events)
            case .count: publish(at: time, into: &events)
            case .end:
                events.append(event(at: time, AlarmEnd(level: level)))
                (alarm, end) = (nil, nil)
            case .calm: changes = []
            }
        }
    }

    /// The absence of messages has changed a condition: silence has lasted for long enough, or a value has expired.
    private mutating func turnConditions(at time: Double, _ rules: Rules, into events: inout [DerivedEvent]) {
        var source: Source?
        for place in conditions.indices where conditions[place].turn == time {
            conditions[place].turn = nil
            guard case .silent = rules.rule.conditions[place].test else {
                conditions[place].truth = nil
                continue
            }
            conditions[place].truth = true
            source = conditions[place].source
            if !isActive, turn == nil { cause = Cause(kind: rules.rule.conditions[place].kind) }
        }
        follow(truth(rules.rule), at: time, of: source, rules, into: &events)
    }

    /// The rule was true, or false, for long enough.
    private mutating func change(at time: Double, _ rules: Rules, into events: inout [DerivedEvent]) {
        let source = turn?.source
        turn = nil
        isActive.toggle()
        changes.removeAll { $0 <= time - Self.flapSeconds }
        changes.append(time)
        if changes.count > Self.mostChanges + 1 { changes.removeFirst() }
        if isActive {
            raise(at: time, of: source, rules.rule, into: &events)
        } else if changes.count > Self.mostChanges {
            release = Change(time: time + Self.flapSeconds, source: source)
        } else {
            clear(at: time, of: source, rules, into: &events)
        }
    }

    private mutating func raise(at time: Double, of source: Source?, _ rule: AlarmRule, into events: inout [DerivedEvent]) {
        if release != nil {
            release = nil
            alarm?.count.addSaturated(1)
            countDue = countDue ?? max(time, publishedAt + Self.flapSeconds)
            return
        }
        let before = alarm
        var raised = Alarm(
            name: rule.name, part: part, severity: rule.severity, since: .device(DeviceTime(time)), value: cause?.value,
            sourceKind: cause?.kind ?? "", field: cause?.field)
        if let before, changes.count > 1 { raised.count = before.count.addingSaturated(1) }
        alarm = raised
        end = nil
        publish(at: time, of: source, into: &events)
    }

    private mutating func clear(at time: Double, of source: Source?, _ rules: Rules, into events: inout [DerivedEvent]) {
        release = nil
        guard alarm != nil else { return }
        alarm?.state = .cleared
        alarm?.clearedAt = .device(DeviceTime(time))
        end = time + rules.keepSeconds
        publish(at: time, of: source, into: &events)
    }

    /// Acknowledges the alarm where it is raised. One that is acknowledged stays as it is.
    mutating func acknowledge(by person: String, at now: UnixTime, time: Double, into events: inout [DerivedEvent]) {
        guard alarm?.state == .raised else { return }
        alarm?.state = .acknowledged
        alarm?.acknowledgedBy = person
        alarm?.acknowledgedAt = now
        publish(at: time, into: &events)
    }

    /// Publishes the alarm; `source` is that of a change, and nil where it has none of its own.
    private mutating func publish(at time: Double, of source: Source? = nil, into events: inout [DerivedEvent]) {
        self.source = source ?? self.source
        countDue = nil
        publishedAt = time
        if let alarm { events.append(event(at: time, alarm)) }
    }

    private func event(at time: Double, _ body: any DerivedBody) -> DerivedEvent {
        var event = DerivedEvent(time: DeviceTime(time), body: body)
        event.stream = source.stream
        event.frames = .named(source.sequence)
        return event
    }

    // MARK: Clocks

    /// Moves every instant by `seconds`.
    mutating func shift(by seconds: Double) {
        alarm?.since.shift(by: seconds)
        alarm?.clearedAt?.shift(by: seconds)
        for place in conditions.indices { conditions[place].turn? += seconds }
        for place in changes.indices { changes[place] += seconds }
        for place in reports.indices {
            reports[place].time += seconds
            reports[place].expires? += seconds
        }
        turn?.time += seconds
        release?.time += seconds
        countDue? += seconds
        publishedAt += seconds
        end? += seconds
    }

    /// Puts the instants of the alarm on the wall clock, which is `offset` seconds after the device's: that begins anew, and so do the numbers
    /// of its frames.
    mutating func leaveClock(offset: Double) {
        alarm?.leaveClock(offset: offset)
        source.sequence = nil
        turn?.source?.sequence = nil
        release?.source?.sequence = nil
        for place in conditions.indices { conditions[place].source?.sequence = nil }
        for place in reports.indices { reports[place].source.sequence = nil }
    }

    /// Puts the instants of the alarm that are not there yet on the wall clock.
    mutating func leaveClockOfChange(offset: Double) { alarm?.leaveClock(offset: offset) }
}

extension Alarm {
    /// Puts the instants on the wall clock, which is `offset` seconds after the device's.
    mutating func leaveClock(offset: Double) {
        since.leaveClock(offset: offset)
        clearedAt?.leaveClock(offset: offset)
    }
}

extension Alarm.Instant {
    fileprivate mutating func leaveClock(offset: Double) {
        guard case .device(let time) = self else { return }
        // As it is published: the sum of two other numbers would differ in the last digit.
        self = .wall(UnixTime(((time.seconds + offset) * 1e6).rounded() / 1e6))
    }

    fileprivate mutating func shift(by seconds: Double) {
        if case .device(let time) = self { self = .device(time + seconds) }
    }
}
