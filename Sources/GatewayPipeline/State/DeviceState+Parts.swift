internal import StateCoding
package import TelemetryModel

extension DeviceState {
    /// What has changed since the last call, encoded; with `replacesAll` the whole state.
    mutating func takeChange(of device: DeviceID, replacesAll: Bool, by encoder: StateEncoder) throws -> StateChange {
        if replacesAll { markChanged() }
        var change = StateChange(device: device)
        change.replacesAll = replacesAll
        let (added, removed) = $intake.takeWaiting(all: replacesAll)
        change.waiting = try added.map { .init(number: $0.number, bytes: try encoder.encode($0)) }
        change.removedWaiting = removed
        if $intake.takeChange() { change.parts.append(try StatePart(Part.intake, intake, by: encoder)) }
        if $access.takeChange() { change.parts.append(try StatePart(Part.access, access, by: encoder)) }
        if $budgets.takeChange() { change.parts.append(try StatePart(Part.budgets, budgets, by: encoder)) }
        if $history.takeChange() { change.parts.append(try StatePart(Part.history, history, by: encoder)) }
        try boot.takeChanges(into: &change.parts, removed: &change.removedParts, by: encoder)
        if $displaced.takeChange() {
            if let displaced {
                change.parts.append(try StatePart(Part.displaced, try DisplacedPart(displaced, by: encoder), by: encoder))
            } else {
                change.removedParts.append(Part.displaced)
            }
        }
        try retained.takeChanges(into: &change, Part.retained, by: encoder)
        try latest.takeChanges(into: &change, Part.latest, by: encoder)
        return change
    }

    /// The latest messages that have changed since the last call, encoded. Everything else follows from the journal.
    mutating func takeMessages(of device: DeviceID, by encoder: StateEncoder) throws -> StateChange {
        var change = StateChange(device: device)
        try retained.takeChanges(into: &change, Part.retained, by: encoder)
        try latest.takeChanges(into: &change, Part.latest, by: encoder)
        return change
    }

    /// The whole state, replacing what is stored.
    package func change(of device: DeviceID) throws -> StateChange {
        var copy = self
        return try copy.takeChange(of: device, replacesAll: true, by: StateEncoder())
    }

    /// The state that was stored. A part that cannot be read is appended to `dropped` and left out: it starts empty.
    package init(_ stored: StoredState, dropped: inout [DroppedPart]) {
        self.init()
        if let damage = stored.damage {
            dropped.append(DroppedPart(device: stored.device, part: "state", reason: damage, bytes: stored.damagedRow))
        }
        hasLostOrder = stored.damage != nil
        for (name, part) in stored.parts.sorted(by: { $0.key < $1.key }) {
            do {
                try restore(part, of: stored.device, dropped: &dropped)
            } catch {
                hasLostOrder = hasLostOrder || name == Part.intake
                dropped.append(DroppedPart(device: stored.device, part: name, error, bytes: part.bytes))
            }
        }
        // A boot is entered by a frame, and stored with the order of its frames.
        hasLostOrder = (hasLostOrder || (stored.parts[Part.intake] == nil && boot.id != nil)) && !intake.hasOrder
        let depth = ["state", Part.derive + SubmersionDerivation.declaration.name]
        hasLostDepth = dropped.contains { $0.device == stored.device && depth.contains($0.part) }
        var waiting: [WaitingMessage] = []
        for row in stored.waiting {
            do {
                waiting.append(try StateCoder.decode(WaitingMessage.self, from: row.bytes))
            } catch {
                dropped.append(DroppedPart(device: stored.device, part: "waiting/\(row.number)", error, bytes: row.bytes))
            }
        }
        if !waiting.isEmpty { $intake.restoreWaiting(waiting) }
    }

    private mutating func restore(_ part: StatePart, of device: DeviceID, dropped: inout [DroppedPart]) throws {
        switch part.name {
        case Part.intake: $intake.restore(try part.value())
        case Part.access: $access.restore(try part.value())
        case Part.budgets: $budgets.restore(try part.value())
        case Part.history: $history.restore(try part.value())
        case Part.displaced: $displaced.restore(try part.value(DisplacedPart.self).state(of: device, dropped: &dropped))
        case _ where part.name.hasPrefix(Part.retained):
            retained.restore(try part.value(), of: String(part.name.dropFirst(Part.retained.count)))
        case _ where part.name.hasPrefix(Part.latest):
            latest.restore(try part.value(), of: String(part.name.dropFirst(Part.latest.count)))
        default: try boot.restore(part)
        }
    }

    /// Whether this build reads a part of that name and version.
    package static func reads(part name: String, version: Int) -> Bool {
        switch name {
        case Part.intake: version == DeviceIntake.version
        case Part.access: version == AccessState.version
        case Part.budgets: version == DeviceBudgets.version
        case Part.history: version == HistoryTrack.version
        case Part.frames: version == BootFrames.version
        case Part.fusion: version == BootFusions.version
        case Part.displaced: version == DisplacedPart.version
        case _ where name.hasPrefix(Part.retained) || name.hasPrefix(Part.latest): version == RetainedValue.version
        default: Derivations.declarations.contains { Part.derive + $0.name == name && $0.version == version }
        }
    }

    /// The names of the parts.
    enum Part {
        static let intake = "intake"
        static let access = "access"
        static let budgets = "budgets"
        static let history = "history"
        static let frames = "frames"
        static let fusion = "fusion"
        static let displaced = "displaced"
        static let retained = "retained/"
        static let latest = "latest/"
        static let derive = "derive/"
    }
}

extension RetainedMessages {
    /// Appends the messages that have changed as parts, and the names of those that were removed.
    fileprivate mutating func takeChanges(
        into change: inout StateChange, _ prefix: String, by encoder: StateEncoder
    ) throws {
        for kind in takeChanges() {
            if let value = self[kind: kind] {
                change.parts.append(try StatePart(prefix + kind, value, by: encoder))
            } else {
                change.removedParts.append(prefix + kind)
            }
        }
    }
}

extension Tracked<DeviceIntake> {
    /// The messages that began to wait since the last call, or all of them, and the numbers of those that no longer wait.
    fileprivate mutating func takeWaiting(all: Bool) -> (added: [WaitingMessage], removed: [UInt64]) {
        guard wrappedValue.waiting.isUnstored || all else { return ([], []) }
        return wrappedValue.waiting.takeStored(all: all)
    }

    /// Restores the stored messages.
    fileprivate mutating func restoreWaiting(_ messages: [WaitingMessage]) {
        var intake = wrappedValue
        intake.waiting.restore(messages)
        restore(intake)
    }
}

extension BootState {
    /// Appends the parts that have changed, and the names of those that became empty.
    fileprivate mutating func takeChanges(
        into parts: inout [StatePart], removed: inout [String], by encoder: StateEncoder
    ) throws {
        if $frames.takeChange() { parts.append(try StatePart(DeviceState.Part.frames, frames, by: encoder)) }
        if $fusions.takeChange() {
            if fusions.streams.isEmpty {
                removed.append(DeviceState.Part.fusion)
            } else {
                parts.append(try StatePart(DeviceState.Part.fusion, fusions, by: encoder))
            }
        }
        try derivations.takeChanges(into: &parts, removed: &removed, by: encoder)
    }

    fileprivate mutating func restore(_ part: StatePart) throws {
        switch part.name {
        case DeviceState.Part.frames: $frames.restore(try part.value())
        case DeviceState.Part.fusion: $fusions.restore(try part.value())
        default: try derivations.restore(part)
        }
    }
}

/// The boot before the current one as one part.
private struct DisplacedPart: StoredPart {
    static let version = 1

    var parts: [StatePart] = []

    init(_ boot: BootState, by encoder: StateEncoder) throws {
        var boot = boot
        boot.markChanged()
        var removed: [String] = []
        try boot.takeChanges(into: &parts, removed: &removed, by: encoder)
    }

    func state(of device: DeviceID, dropped: inout [DroppedPart]) -> BootState {
        var boot = BootState()
        for part in parts {
            do {
                try boot.restore(part)
            } catch {
                dropped.append(DroppedPart(device: device, part: "displaced/\(part.name)", error, bytes: part.bytes))
            }
        }
        return boot
    }
}
