package import TelemetryModel

/// What outlives a pipeline: its devices' states, taken out at checkpoints and put back after a restart.
extension Pipeline {
    /// A device's state as it was at a checkpoint.
    package struct Changed: Sendable {
        /// Whose it is.
        package let device: DeviceID
        /// The state; nil when nothing of the device is kept any more.
        package let state: DeviceState?
    }

    /// The states that have changed since the last call.
    package mutating func takeChanged() -> [Changed] {
        defer {
            unwritten.formUnion(changed)
            changed.removeAll(keepingCapacity: true)
        }
        return changed.map { Changed(device: $0, state: devices[$0]) }
    }

    /// Takes note that the states taken out are written down.
    package mutating func noteWritten() { unwritten.removeAll(keepingCapacity: true) }

    /// Takes note that states taken out could not be written down.
    package mutating func putBack(_ devices: some Sequence<DeviceID>) {
        changed.formUnion(devices)
        unwritten.removeAll(keepingCapacity: true)
    }

    /// Whether the state of `device` is on disk only, so that it has to be restored before anything is done with the device.
    package func isAbsent(_ device: DeviceID) -> Bool { absent.contains(device) }

    /// The devices whose state is on disk only.
    package var absentDevices: Set<DeviceID> { absent }

    /// Has a device begin anew whose state on disk is no more.
    package mutating func forget(_ device: DeviceID) { absent.remove(device) }

    /// The devices on disk only that `policy` concerns in another way than the one in force.
    package func absentDevices(changedBy policy: AccessPolicy) -> [DeviceID] {
        absent.filter { self.policy.policy(for: $0) != policy.policy(for: $0) }
    }

    /// Puts back a state that was written down; what the depth was is not confirmed by it. A device that is no longer known is
    /// revoked instead, and what is published of that comes back.
    package mutating func restore(_ state: DeviceState, of device: DeviceID, at now: GatewayTime) -> [OutboundMessage] {
        absent.remove(device)
        devices[device] = state
        lastHeard[device] = now.monotonic
        guard let policy = policy.policy(for: device) else { return apply(nil, to: device, before: nil, at: now) }
        return step(device, at: now) { step in
            step.policy = policy
            step.reconsider()
        }
    }

    /// Takes note of every state put back by a start: what was known of a depth then is to be confirmed by data.
    package mutating func doubtRestored() {
        for device in devices.keys where devices[device]?.derivations.submersion.state != .notSubmerged {
            guard devices[device]?.histories[.submersion] != nil else { continue }
            devices[device]?.isDepthUnconfirmed = true
        }
    }

    /// Lets go of every state that is written down, waits for nothing and was not heard since `monotonic`; returns how many.
    package mutating func evict(notHeardSince monotonic: Double) -> Int {
        let idle = devices.keys.filter { device in
            deadlines[device] == nil && !changed.contains(device) && !unwritten.contains(device)
                && (lastHeard[device] ?? -.infinity) < monotonic
        }
        for device in idle {
            devices[device] = nil
            lastHeard[device] = nil
            absent.insert(device)
        }
        return idle.count
    }

    /// Gives everything that waits for a missing message `seconds` more: for so long nothing could be read.
    package mutating func postponeWaits(by seconds: Double, at now: GatewayTime) {
        for device in devices.keys where devices[device]?.earliestHeldSample != nil {
            _ = step(device, at: now) { $0.state.postponeWaits(by: seconds) }
        }
    }

    /// Everything the broker is to keep, once more: it has lost it.
    package mutating func restoreRetained(at now: GatewayTime) -> [OutboundMessage] {
        devices.keys.sorted().flatMap { device in step(device, at: now) { $0.restoreRetained() } }
    }
}

extension Pipeline {
    /// The `committed` messages of a device with `state`; none unless `gateway.publishCommitted` is set.
    package func committedMessages(_ state: DeviceState, of device: DeviceID) -> [OutboundMessage] {
        guard settings.publishesCommitted, let boot = state.boots.current else { return [] }
        return state.sequences.compactMap { carrier, tracker in
            guard let stream = carrier.stream, streams.contains(stream), let sequence = tracker.committed else { return nil }
            return encoder.encodeCommitted(stream, boot: boot, sequence: sequence, of: device)
        }
    }
}
