package import TelemetryModel

/// Alarms beside the data: what no frame has led to, acknowledgements, and rules that are not in force any more.
extension DeviceTurn {
    private var alarmRules: AlarmSettings { settings.derive[AlarmDerivation.self] }

    private var alarmIndex: Int { Derivations.index(of: AlarmDerivation.self) }

    /// The device's time by estimate; the gateway's before its first frame.
    private var estimatedTime: DeviceTime { slot.state.intake.clock.estimate(at: now) ?? DeviceTime(now.unix.seconds) }

    // MARK: Announcements

    /// Passes an event without device time to the derivations that sum its kind and follow such events; `publish` gets what they lead to, with
    /// the version of the derivation.
    func announce(_ event: DerivedEvent, of stream: StreamName, publish: (DerivedEvent, Int) -> Void) {
        for index in context.settings.derive.summers(of: event.body) {
            let configured = context.settings.derive.configured[index]
            let occurrence = Occurrence.announcement(event, of: stream, at: estimatedTime)
            for event in step(occurrence, by: index, as: configured) { publish(event, configured.declaration.version) }
        }
    }

    /// Publishes an event that no frame has led to, at the present. Its other instants are of the device's clock.
    func publishUnsourced(_ event: DerivedEvent, version: Int) {
        let offset = slot.state.intake.clock.latestOffset ?? 0
        var event = event
        event.time = DeviceTime(now.unix.seconds - offset)
        send(
            DerivedMessage(device: device, event: event, source: nil, version: version, offset: offset, received: now.unix))
    }

    /// Keeps the instant of a change as it is published: the device's clock may be corrected while the alarm lasts.
    func keepInstant(of alarm: Alarm, offset: Double) {
        slot.state.boot.derivations.change(AlarmDerivation.self) { $0.leaveClockOfChange(of: alarm, offset: offset) }
    }

    // MARK: Acknowledgements

    /// Acknowledges an alarm that is raised; returns it as it is then. Nil where this pipeline has none with that level, or it is not raised.
    func acknowledge(_ acknowledgement: AlarmAcknowledgement) -> Alarm? {
        guard raised(acknowledgement.level) != nil else { return nil }
        let configured = context.settings.derive.configured[alarmIndex]
        for event in step(.acknowledgement(acknowledgement, at: estimatedTime), by: alarmIndex, as: configured) {
            publishUnsourced(event, version: configured.declaration.version)
        }
        return raised(acknowledgement.level)
    }

    private func raised(_ level: String) -> Alarm? {
        slot.state.boot.derivations[AlarmDerivation.self]?.alarms.first { $0.level == level && $0.state != .cleared }
    }

    // MARK: Rules

    /// Whether a path after `out/` is an access decision, or an alarm about access alone.
    func isOnAccess(_ kind: String) -> Bool {
        guard let rule = alarmRules.rule(of: kind) else { return AccessDecision.covers(kind) }
        return rule.conditions.allSatisfy { AccessDecision.covers($0.kind) }
    }

    /// The alarms for whose paths after `out/` a condition is true, without any other state.
    func alarms(where condition: (String) -> Bool) -> DerivationSet {
        var set = slot.state.boot.derivations
        set.removeStates { $0 !== AlarmDerivation.declaration }
        set.change(AlarmDerivation.self) { $0.keep(where: condition) }
        return set
    }

    /// Ends the alarms of rules on one of `kinds`; returns the paths of all that there may have been.
    func eraseAlarms(about kinds: Set<String>) -> Set<String> {
        let paths = Set(alarmPaths.filter { isAlarm($0, about: kinds) })
        endAlarms { paths.contains($0) }
        return paths.union(alarmRules.rules.filter { $0.isAbout(kinds) }.flatMap(alarmRules.levels).map(Alarm.path))
    }

    /// Whether there is an alarm of a rule on a kind.
    func isAlarmed(about kind: String) -> Bool { alarmPaths.contains { isAlarm($0, about: [kind]) } }

    /// Ends the alarms of rules that are not in force any more, not for the device, or with other conditions. Those that are raised are
    /// published as cleared first, for those who have received them.
    func endAlarmsWithoutRule() {
        let rules = alarmRules
        let version = context.settings.derive.configured[alarmIndex].declaration.version
        let isEnabled = context.settings.derive.isEnabled(AlarmDerivation.self)
        var outdated: Set<String> = []
        for (level, alarm) in slot.state.boot.derivations[AlarmDerivation.self]?.outdated(rules, of: device) ?? [] {
            outdated.insert(Alarm.path(of: level))
            guard isEnabled, var alarm, alarm.state != .cleared else { continue }
            (alarm.state, alarm.clearedAt) = (.cleared, .wall(now.unix))
            publishUnsourced(DerivedEvent(time: estimatedTime, body: alarm), version: version)
        }
        endAlarms { !rules.covers($0, of: device) || outdated.contains($0) }
    }

    private var alarmPaths: [String] { slot.state.retained.kinds.filter(Alarm.covers) }

    private func isAlarm(_ path: String, about kinds: Set<String>) -> Bool { alarmRules.rule(of: path)?.isAbout(kinds) ?? false }

    private func endAlarms(where condition: (String) -> Bool) {
        clearRetained { Alarm.covers($0) && condition($0) }
        slot.state.boot.derivations.change(AlarmDerivation.self) { $0.keep { !condition($0) } }
        slot.state.displaced?.derivations.change(AlarmDerivation.self) { $0.keep { !condition($0) } }
    }
}

extension Pipeline {
    /// Acknowledges an alarm of a device in memory: the alarm as it is then, and what is published of it. Nil where none with that level is raised
    /// here.
    package mutating func acknowledge(
        _ acknowledgement: AlarmAcknowledgement, of device: DeviceID, at now: GatewayTime
    ) -> (alarm: Alarm, messages: [OutboundMessage])? {
        guard slots[device] != nil else { return nil }
        var alarm: Alarm?
        turn(device, at: now) { alarm = $0.acknowledge(acknowledgement) }
        return alarm.map { ($0, context.takeMessages()) }
    }
}
