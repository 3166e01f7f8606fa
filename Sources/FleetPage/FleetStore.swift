import GatewayPipeline
package import JSONText
package import LiveView

/// Everything the page shows: devices and gateways by what was published, within limits.
///
/// A value without clock and I/O: the caller passes each message with its time.
package struct FleetStore: Sendable {
    private let root: String
    private let kinds: DeclaredKinds
    private let limits: FleetLimits
    private var devices: [String: FleetDevice] = [:]
    private var gateways: [String: GatewayState] = [:]
    private var changedDevices: Set<String> = []
    private var removedDevices: Set<String> = []
    private var changedGateways: Set<String> = []
    /// Their names as they are shown.
    private var removedGateways: Set<String> = []
    private var states = Thinning(interval: 0.5)
    private let silentSeconds: Double
    /// The devices that are derived, by the last call of `takeChanges`.
    private var derived = DerivedDevices()
    /// When what the broker has not sent again after a new connection is dropped; nil for nothing to drop.
    private var confirmedBy: Double?

    /// Whether a device was removed to make room for another: not all are shown.
    private var isFull = false

    /// Messages that could not be read.
    package private(set) var unreadable = 0

    /// Creates an empty store for messages of the declared `kinds`. A gateway without a status for `silentSeconds` counts as silent.
    package init(
        root: String = "wearables", kinds: DeclaredKinds = DeclaredKinds(), limits: FleetLimits = FleetLimits(),
        silentSeconds: Double = 60
    ) {
        self.root = root
        self.silentSeconds = silentSeconds
        self.limits = limits
        self.kinds = kinds
    }

    /// Processes a message received at `now` (unix seconds); what is no derived message is ignored.
    package mutating func receive(topic: String, payload: [UInt8], at now: Double) {
        guard let topic = DerivedTopic(topic, root: root) else { return }
        switch topic {
        case .device(let id, let kind): receive(kind, of: id, payload, now)
        case .gateway(let name, kind: "status") where payload.isEmpty: removeGateway(name)
        case .gateway(let name, let kind):
            guard ["status", "rejected"].contains(kind), let fields = fields(payload, on: kind, DeclaredKinds([])) else { return }
            if gateways[name] == nil {
                guard gateways.count < limits.gateways else { return }
                gateways[name] = GatewayState(name: name.printable, limits: limits)
            }
            gateways[name]?.take(fields, at: now)
            changedGateways.insert(name)
        }
    }

    /// Removes a gateway whose status was cleared. The last one stays: without any that is known everything would count as current.
    private mutating func removeGateway(_ name: String) {
        guard gateways.count > 1, let gateway = gateways.removeValue(forKey: name) else { return }
        changedGateways.remove(name)
        removedGateways.insert(gateway.name)
    }

    private mutating func receive(_ kind: String, of id: String, _ payload: [UInt8], _ now: Double) {
        guard !payload.isEmpty else {
            guard devices[id] != nil else { return }
            devices[id]?.clear(kind)
            changedDevices.insert(id)
            return
        }
        guard let fields = fields(payload, on: kind, kinds)?.arrived(at: now) else { return }
        if devices[id] == nil {
            if devices.count >= limits.devices { removeOldest(at: now) }
            devices[id] = FleetDevice(id: id.printable, limits: limits)
            devices[id]?.hasGateway = derived.contains(id)
        }
        let declared = kinds[kind]
        devices[id]?.take(fields, as: declared, at: now)
        // What is drawn may change many times a second; the rest of its row with it. A depth has no declared cell, and is shown at once.
        let view = (declared?.kind.sampledKind.flatMap { kinds[$0] } ?? declared)?.kind.view
        let isFast = view.map { $0.showsLatest && $0.cell != nil } ?? false
        if !isFast || states.admits(id, at: now) { changedDevices.insert(id) }
    }

    private mutating func fields(_ payload: [UInt8], on path: String, _ kinds: DeclaredKinds) -> ShownFields? {
        guard payload.count <= limits.payloadBytes, let fields = kinds.fields(payload, on: path) else {
            if !payload.isEmpty { unreadable += 1 }
            return nil
        }
        return fields
    }

    /// Notes that the connection to the broker is lost, or made: then the broker sends all that it keeps, the first of it before this call.
    package mutating func note(isConnected: Bool, at now: Double) {
        if !isConnected { for id in devices.keys { devices[id]?.expectAgain() } }
        confirmedBy = isConnected ? now + LiveDevice.confirmationSeconds : nil
    }

    /// Removes the devices whose last messages are oldest: a lost diver sends none, so those in danger, and those with an alarm, only
    /// where there are no others.
    private mutating func removeOldest(at now: Double) {
        let ranked = devices.map { id, device in
            let isAlarm = device.live.danger(at: now, isLive: device.hasGateway).isAlarm
            return (isAlarm ? 2 : device.live.alarms.hasOpen ? 1 : 0, device.touchedAt, id)
        }.sorted(by: <)
        guard let first = ranked.first?.0 else { return }
        // Every device is looked at, and with too many of them each message may be of one that has no room: so several go at once.
        let most = first == 0 ? max(1, limits.devices / 50) : 1
        for (rank, _, id) in ranked.prefix(most) where rank == first {
            devices[id] = nil
            changedDevices.remove(id)
            states.remove(id)
            removedDevices.insert(id)
        }
        isFull = true
        while removedDevices.count > limits.devices { removedDevices.removeFirst() }
    }

    // MARK: What is sent

    /// The rows and gateways that changed since the last call, as JSON; nil where none did.
    package mutating func takeChanges(at now: Double) -> [UInt8]? {
        if let due = confirmedBy, now >= due {
            confirmedBy = nil
            for id in devices.keys where devices[id]?.dropUnconfirmed() == true { changedDevices.insert(id) }
        }
        changedDevices.formUnion(states.due(at: now))
        let derived = derivedDevices(at: now)
        if derived != self.derived {
            self.derived = derived
            for id in devices.keys where devices[id]?.hasGateway != derived.contains(id) {
                devices[id]?.hasGateway.toggle()
                changedDevices.insert(id)
            }
        }
        let changes = [changedDevices, removedDevices, changedGateways, removedGateways]
        guard !changes.allSatisfy(\.isEmpty) else { return nil }
        defer { (changedDevices, removedDevices, changedGateways, removedGateways) = ([], [], [], []) }
        return JSONWriter.object { json in
            json.seconds("at", now)
            // One of them may have returned, with nothing of before: viewers take what is removed first.
            json.array("devices") { json in for id in changedDevices.sorted() { devices[id]?.encodeRow(into: &json) } }
            json.field("removed", removedDevices.map(\.printable).sorted())
            json.field("isFull", isFull)
            json.field("removedGateways", removedGateways.sorted())
            json.array("gateways") { json in
                for name in changedGateways.sorted() { gateways[name]?.encode(into: &json) }
            }
        }
    }

    /// Every column, row and gateway, as the members of a JSON object.
    package func encodeAll(into json: inout JSONWriter) {
        json.array("columns") { json in
            for column in kinds.columns {
                json.object { json in
                    json.field("name", column.name)
                    json.field("title", column.title)
                    json.field("hint", column.hint)
                    json.field("isNumber", column.isNumber)
                }
            }
        }
        json.array("trends") { json in
            for (kind, field) in kinds.trends {
                json.object { json in
                    json.field("kind", kind)
                    json.field("field", field)
                }
            }
        }
        json.array("devices") { json in for (_, device) in sorted { device.encodeRow(withTrends: true, into: &json) } }
        json.array("gateways") { json in
            for gateway in gateways.values.sorted(by: { $0.name < $1.name }) { gateway.encode(into: &json) }
        }
        json.field("isFull", isFull)
        json.field("unreadable", unreadable)
        json.field("silentSeconds", silentSeconds)
    }

    /// One device with its history, as JSON; nil where it is not known.
    package func device(_ id: String) -> [UInt8]? {
        guard let device = devices[id] else { return nil }
        var json = JSONWriter()
        device.encodeAll(into: &json)
        return json.bytes
    }

    /// Whether a device records its wearer's days and nights; nil where the device is not known.
    func recordsDays(_ id: String) -> Bool? { devices[id]?.recordsDays }

    /// The devices that gateways which work at `now`, unix seconds, derive.
    func derivedDevices(at now: Double) -> DerivedDevices {
        DerivedDevices(of: gateways.values.map(\.pulse), at: now, silentSeconds: silentSeconds)
    }

    /// The names of the gateways, in order.
    var gatewayNames: [String] { gateways.keys.sorted() }

    /// The ids of the devices, in order.
    package var deviceIDs: [String] { sorted.map(\.key) }

    /// The devices by their ids, in order.
    var sorted: [(key: String, value: FleetDevice)] { devices.sorted { $0.key < $1.key } }
}
