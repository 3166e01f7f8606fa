package import GatewayPipeline
package import TelemetryModel

/// The devices that are announced to Home Assistant, and what of that is still to be published; a pure value.
package struct AnnouncedDevices: Sendable {
    /// What is to be published of one device.
    package struct Change: Sendable, Equatable {
        /// The device.
        package var device: DeviceID
        /// How it is announced; nil when it is removed.
        package var announced: DiscoveryEncoder.Device?

        /// A change.
        package init(device: DeviceID, announced: DiscoveryEncoder.Device?) {
            self.device = device
            self.announced = announced
        }
    }

    private var policy: AccessPolicy
    private var devices: [DeviceID: DiscoveryEncoder.Device] = [:]
    private var changed: Set<DeviceID> = []
    private let announces: @Sendable (String, DeviceID) -> Bool

    /// The devices that the previous run has announced. Those that `policy` does not allow any more are removed, and so are kinds of
    /// derivations that do not run any more. `announces` says whether messages with a path announce an entity of a device.
    package init(
        _ announced: [DeviceID: DiscoveryEncoder.Device] = [:], policy: AccessPolicy,
        announces: @escaping @Sendable (String, DeviceID) -> Bool, isSwitchedOff: (String) -> Bool = { _ in false }
    ) {
        self.policy = policy
        self.announces = announces
        devices = announced
        for (device, known) in announced { remove(known.kinds.filter(isSwitchedOff), of: device) }
        removeRevoked()
    }

    /// Processes the reports of a pipeline that derives from `streams`.
    package mutating func note(_ reports: [KindReport], by streams: Set<StreamName>) {
        for report in reports {
            switch report {
            case .derived(let kind, let device, let model): noteKind(kind, of: device, model: model)
            case .forgotten(let device): forget(device, of: streams)
            }
        }
    }

    /// Removes the devices that `policy` does not allow. Reports of such devices are ignored from now on.
    package mutating func replace(policy: AccessPolicy) {
        self.policy = policy
        removeRevoked()
    }

    /// Publishes every device again.
    package mutating func announceAll() { changed.formUnion(devices.keys) }

    /// Whether there is something to publish.
    package var hasChanges: Bool { !changed.isEmpty }

    /// What is to be published, in no order.
    package mutating func takeChanges() -> [Change] {
        exchange(&changed, with: []).map { Change(device: $0, announced: devices[$0]) }
    }

    private mutating func noteKind(_ kind: String, of device: DeviceID, model: String?) {
        guard announces(kind, device), isAllowed(device) else { return }
        var announced = devices[device] ?? DiscoveryEncoder.Device(kinds: [])
        announced.kinds.insert(kind)
        announced.removedKinds.remove(kind)
        announced.model = model ?? announced.model
        guard announced != devices[device] else { return }
        devices[device] = announced
        changed.insert(device)
    }

    /// Removes the kinds that are derived mainly from `streams`, or are about one of them; without another one the device is removed.
    private mutating func forget(_ device: DeviceID, of streams: Set<StreamName>) {
        guard let announced = devices[device] else { return }
        remove(
            announced.kinds.filter { kind in
                let derived = Derivations.declarations.filter { $0.publishes(kind) }.compactMap(\.homeStreams.first)
                // What no derivation publishes is about a stream, or a stream of each lane.
                let own = AlarmCondition.streams(of: kind)
                return derived.isEmpty ? own.isEmpty || !own.isDisjoint(with: streams) : derived.contains(where: streams.contains)
            }, of: device)
    }

    private mutating func remove(_ lost: Set<String>, of device: DeviceID) {
        guard !lost.isEmpty, var announced = devices[device] else { return }
        announced.kinds.subtract(lost)
        announced.removedKinds.formUnion(lost)
        devices[device] = announced.kinds.isEmpty ? nil : announced
        changed.insert(device)
    }

    private mutating func removeRevoked() {
        for device in devices.keys where !isAllowed(device) {
            devices[device] = nil
            changed.insert(device)
        }
    }

    /// Whether the operator lets the device be used: it is known and not denied.
    private func isAllowed(_ device: DeviceID) -> Bool {
        guard let policy = policy.policy(for: device) else { return false }
        return policy.authorization != .denied && policy.authorization != .restricted
    }
}
