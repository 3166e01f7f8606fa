package import TelemetryModel

/// The room of devices that are not in the registry, and of messages that wait.
extension Pipeline {
    /// The devices on disk that have to be restored before a message of `device` is processed: the device itself, and one that is
    /// dropped to make room for it.
    ///
    /// It changes nothing; it is mutating because a class that holds a pipeline would otherwise copy it for each call.
    package mutating func devicesToRestore(for device: DeviceID, at now: GatewayTime) -> [DeviceID] {
        if absent.isEmpty { return [] }
        if absent[device] != nil { return [device] }
        guard slots[device] == nil, !hasRoom(for: device), now.monotonic >= roomNotBefore else { return [] }
        return expendable(at: now).map { absent[$0] == nil ? [] : [$0] } ?? []
    }

    private func hasRoom(for device: DeviceID) -> Bool {
        policy.devices[device] != nil || unregistered.count < settings.unregisteredDevices
    }

    /// Whether a device without state may have one. The number of devices that are not in the registry is limited: the device
    /// that was silent longest and is not under water is dropped, if it was silent long enough.
    mutating func makesRoom(for known: KnownMessage, at now: GatewayTime) -> Bool {
        if hasRoom(for: known.device) { return true }
        if now.monotonic >= roomNotBefore {
            if let device = expendable(at: now), slots[device] != nil {
                revokeState(of: device, at: now)
                return true
            }
            roomNotBefore = (silences.min()?.since ?? now.monotonic) + settings.idleStateSeconds
        }
        guard known.stream.map(context.owns) ?? true else { return false }
        context.counters.received += 1
        context.counters.receivedBytes.addSaturated(known.message.payload.count)
        context.counters[known.stream].rejected[.deviceLimit, default: 0] += 1
        if let count = refusals.admit(.deviceLimit, at: now.monotonic, perSecond: settings.rejectedPerSecond) {
            let rejection = Rejection(
                .deviceLimit,
                "\(settings.unregisteredDevices) devices that are not in the registry have state, which is the limit")
            context.messages.append(
                context.encoder.encode(
                    rejection, topic: known.message.topic, gateway: settings.gateway, count: count, received: now.unix))
        }
        return false
    }

    private struct Silence: Comparable {
        var since: Double
        var device: DeviceID

        static func < (left: Silence, right: Silence) -> Bool { (left.since, left.device) < (right.since, right.device) }
    }

    /// The devices that could be dropped to make room for another, each with when it was last active.
    private var silences: [Silence] {
        unregistered.compactMap { device in
            if let slot = slots[device] { return slot.isExpendable ? Silence(since: slot.lastActive, device: device) : nil }
            return absent[device].flatMap { $0.isExpendable ? Silence(since: $0.lastActive, device: device) : nil }
        }
    }

    private func expendable(at now: GatewayTime) -> DeviceID? {
        silences.min().flatMap { $0.since <= now.monotonic - settings.idleStateSeconds ? $0.device : nil }
    }

    /// Keeps what is decoded of messages that wait while these take at most half of the room: it takes no more than they do.
    mutating func limitDecoded() {
        guard context.keepsDecoded else { return context.keepsDecoded = waitingBytes < settings.waitingBytes / 4 }
        guard waitingBytes > settings.waitingBytes / 2 else { return }
        context.keepsDecoded = false
        for slot in slots.values where !slot.state.intake.waiting.isEmpty { slot.state.intake.waiting.dropDecoded() }
    }

    /// Ends waits while more bytes wait than the lane may hold, of the device of which most wait: the oldest first, those for depth last.
    ///
    /// The oldest of all would be those of other devices where one device fills the room with new ones.
    mutating func endWaitsForRoom(at now: GatewayTime) {
        guard waitingBytes > settings.waitingBytes else { return }
        // Ends waits until somewhat less than the limit waits, so that the device is not searched for with every message.
        let target = settings.waitingBytes / 8 * 7
        while waitingBytes > target {
            let most = slots.values.max {
                ($0.state.intake.waiting.bytes, $1.device) < ($1.state.intake.waiting.bytes, $0.device)
            }
            guard let most, !most.state.intake.waiting.isEmpty else { break }
            context.counters.endedForRoom += 1
            turn(most, at: now) { turn in
                turn.intake { intake, rules, actions in
                    if intake.endOldestWait(includesSubmersion: false, rules, into: &actions) { return }
                    _ = intake.endOldestWait(includesSubmersion: true, rules, into: &actions)
                }
            }
        }
    }
}
