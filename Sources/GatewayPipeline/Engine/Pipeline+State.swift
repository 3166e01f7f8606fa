package import TelemetryModel

/// The devices' states, taken at checkpoints and restored after a restart.
extension Pipeline {
    /// What has changed since the last call, encoded; to be written as a whole. Throws when a state cannot be encoded.
    package mutating func takeChanges() throws -> [StateChange] {
        var changed = try changes.take(erases: context.erases)
        let erased = context.takeErased()
        for index in changed.indices {
            let device = changed[index].device
            changed[index].history = context.history.takeRows(of: device)
            changed[index].erasesHistory = erased.contains(device)
            changed[index].erasedKinds = context.takeErasedKinds(of: device)
            guard let slot = slots[device] else {
                changed[index].isRemoved = true
                continue
            }
            changed[index].events = slot.takeEvents()
            changed[index].committed = committedMessages(of: slot)
        }
        return changed
    }

    /// Discards the changes, where states are not stored.
    package mutating func discardChanges() { changes.discard() }

    /// Records that the changes taken last are written.
    package mutating func noteWritten() { changes.noteWritten() }

    /// Records that these histories are written.
    package mutating func noteHistoryWritten(_ changes: [StateChange]) {
        for change in changes { context.history.noteWritten(change.history, of: change.device) }
    }

    /// Records that changes that were taken could not be written.
    package mutating func putBack(_ failed: [StateChange]) {
        // The latest first: what was derived before an erasure is not put back.
        for change in failed.reversed() {
            let isErased = context.erased.contains(change.device)
            context.history.putBack(change.history, of: change.device)
            if change.erasesHistory { context.eraseHistory(of: change.device) }
            if !isErased { slots[change.device]?.putBack(change.events) }
            context.eraseMessages(of: change.erasedKinds, of: change.device)
            if let slot = slots[change.device], slot.state != DeviceState() {
                changes.putBack([slot])
            } else {
                changes.noteRemoved(change.device)
            }
        }
        changes.noteWritten()
    }

    /// Whether the state of `device` is on disk only, so that it has to be restored before anything is done with the device.
    package func isAbsent(_ device: DeviceID) -> Bool { absent[device] != nil }

    /// The devices whose state is on disk only.
    package var absentDevices: Set<DeviceID> { Set(absent.keys) }

    /// Removes a device whose state is no longer on disk; it starts without state.
    package mutating func removeAbsent(_ device: DeviceID) { absent[device] = nil }

    /// The devices on disk only for which `changed` differs from the policy in force.
    package func absentDevices(changedBy changed: AccessPolicy) -> [DeviceID] {
        absent.keys.filter { policy(for: $0) != changed.policy(for: $0) }
    }

    /// Restores a stored state; its depth is not confirmed by that. A device that is no longer known is revoked instead, and the
    /// messages of that are returned.
    package mutating func restore(_ state: DeviceState, of device: DeviceID, at now: GatewayTime) -> [OutboundMessage] {
        absent[device] = nil
        let policy = policy(for: device)
        install(state, of: device, policy: policy ?? .everything, at: now)
        slots[device]?.hasLostOrder = state.hasLostOrder
        guard policy != nil else { return revoke(device, at: now) }
        return published { $0.turn(device, at: now) { $0.continueRestored() } }
    }

    /// Marks every restored state: its depth must be confirmed by data.
    package mutating func doubtRestored() {
        for slot in slots.values { slot.state.boot.derivations.markRestored() }
    }

    /// Drops from memory every state that is written, waits for nothing and had no message since `monotonic`; returns how many. Where
    /// messages were written in place of the state, or activity was not written, the next checkpoint writes the state, and a later call
    /// drops it.
    package mutating func evict(notActiveSince monotonic: Double) -> Int {
        let idle = slots.values.filter { slot in
            slot.deadline == nil && [.stored, .lacksActivity].contains(slot.standing) && slot.lastActive < monotonic
        }
        for slot in idle {
            guard slot.journal.firstRow == nil, slot.standing == .stored else {
                changes.note(slot, nil)
                continue
            }
            absent[slot.device] = AbsentDevice(lastActive: slot.lastActive, isExpendable: slot.isExpendable)
            discard(slot.device)
        }
        return idle.count { slots[$0.device] == nil }
    }

    /// Extends every wait for a missing message by `seconds`, during which nothing could be read.
    package mutating func postponeWaits(by seconds: Double, at now: GatewayTime) {
        for slot in slots.values where !slot.state.intake.waiting.isEmpty {
            turn(slot.device, at: now) { $0.slot.state.intake.postponeWaits(by: seconds) }
        }
    }

    /// Every retained message again: the broker has lost them.
    package mutating func restoreRetained(at now: GatewayTime) -> [OutboundMessage] {
        published { pipeline in
            for device in pipeline.slots.keys.sorted() { pipeline.turn(device, at: now) { $0.restoreRetained() } }
        }
    }
}

extension Pipeline {
    /// The `committed` messages of a device: that of the recorded history always, the others where `gateway.publishCommitted` is set.
    package func committedMessages(of device: DeviceID) -> [OutboundMessage] {
        slots[device].map { committedMessages(of: $0) } ?? []
    }

    private func committedMessages(of slot: DeviceSlot) -> [OutboundMessage] {
        var messages: [OutboundMessage] = []
        if let newest = slot.state.history.newest, let message = encoder.encodeCommitted(newest, of: slot.device) {
            messages.append(message)
        }
        guard settings.publishesCommitted, let boot = slot.state.intake.boots.current else { return messages }
        for scope in slot.state.intake.scopes {
            guard let stream = scope.stream, owns(stream), let sequence = slot.state.intake.committed(scope) else { continue }
            messages.append(encoder.encodeCommitted(stream, boot: boot, sequence: sequence, of: slot.device))
        }
        return messages
    }
}
