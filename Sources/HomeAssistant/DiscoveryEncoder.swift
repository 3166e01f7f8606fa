package import GatewayPipeline
import JSONText
package import TelemetryModel

/// The discovery messages of Home Assistant: one retained message for each device, with all of its entities, and one for the gateway.
package struct DiscoveryEncoder: Sendable {
    /// A device as it is announced.
    package struct Device: Sendable, Equatable {
        /// The paths after `out/` of the messages that were derived of it.
        package var kinds: Set<String>
        /// The paths that it had before, whose entities are removed.
        package var removedKinds: Set<String> = []
        /// The model in its status; nil where it names none.
        package var model: String?

        /// A device.
        package init(kinds: Set<String>, removedKinds: Set<String> = [], model: String? = nil) {
            self.kinds = kinds
            self.removedKinds = removedKinds
            self.model = model
        }
    }

    /// How much of a model is passed on: a device can send any text.
    static let modelCharacters = 64

    private let prefix: String
    private let root: String
    private let gateway: Identifier
    private let version: String
    private let expiry: EntityExpiry
    private let alarms: AlarmSettings
    private let lane: @Sendable (StreamName) -> String

    /// An encoder for topics under `prefix`, of a gateway of this name and program version that publishes under `root`; `alarms`
    /// are its rules, and `lane` is the name in its status of the lane of a stream.
    package init(
        prefix: String, root: String, gateway: Identifier, version: String, expiry: EntityExpiry = EntityExpiry(),
        alarms: AlarmSettings = AlarmSettings(), lane: @escaping @Sendable (StreamName) -> String
    ) {
        self.lane = lane
        self.expiry = expiry
        self.alarms = alarms
        self.prefix = prefix
        self.root = root
        self.gateway = gateway
        self.version = version
    }

    /// Whether messages with this path after `out/` of `device` announce an entity.
    package func announces(_ kind: String, of device: DeviceID) -> Bool {
        Components.all.contains { $0.isAnnounced(by: [kind]) } || alarms.depend(on: kind, of: device)
    }

    /// The entities of a device with messages of these kinds.
    private func components(of device: DeviceID, with kinds: Set<String>) -> [Component] {
        Components.all.filter { $0.isAnnounced(by: kinds) } + alarms.levels(of: device, with: kinds).map(Components.alarm)
    }

    /// The lanes that derive the messages with a path after `out/`: of a kind that is derived in several, all.
    private func lanes(of kind: String) -> [String] {
        let ofAlarm = alarms.streams(of: kind)
        return Set((ofAlarm.isEmpty ? AlarmCondition.streams(of: kind) : ofAlarm).map(lane)).sorted()
    }

    /// The topic of a device's message. A device's id starts with `fathom_`, the gateway's with `fathom-`: they never meet.
    package func topic(of device: DeviceID) -> String { topic(id: Self.id(of: device)) }

    /// The topic of the gateway's own message.
    package var gatewayTopic: String { topic(id: gatewayID) }

    /// The payload for a device.
    package func payload(of device: DeviceID, _ announced: Device) -> [UInt8] {
        let shown = components(of: device, with: announced.kinds)
        let ids = Set(shown.map(\.id))
        let removed = components(of: device, with: announced.removedKinds.subtracting(announced.kinds)).filter {
            !ids.contains($0.id)
        }
        let topics = ComponentTopics(
            state: "\(root)/\(device)/out", status: statusTopic,
            hasConnection: announced.kinds.contains(Components.deviceConnection), lanesOfKind: lanes(of:))
        return message(id: Self.id(of: device)) { json in
            json.field("name", device.rawValue)
            if let model = announced.model { json.field("model", String(model.prefix(Self.modelCharacters))) }
            json.field("via_device", gatewayID)
        } options: { json in
            json.availability(.device, of: topics.lanes(of: Components.deviceConnection), topics)
            json.field("availability_mode", "all")
        } components: { json in
            for component in shown { json.write(component, of: Self.id(of: device), topics, expiry) }
            // A component with its platform alone is removed.
            for component in removed { json.object(named: component.id) { $0.field("platform", component.platform.rawValue) } }
        }
    }

    /// The payload for the gateway.
    package var gatewayPayload: [UInt8] {
        let topics = ComponentTopics(state: "", status: statusTopic, hasConnection: false, lanesOfKind: { _ in [] })
        return message(id: gatewayID) { json in
            json.field("name", "Fathom \(gateway)")
            json.field("sw_version", version)
        } options: { _ in
        } components: { json in
            for component in Components.gateway { json.write(component, of: gatewayID, topics, expiry) }
        }
    }

    private func message(
        id: String, device: (inout JSONWriter) -> Void, options: (inout JSONWriter) -> Void,
        components: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        JSONWriter.object { json in
            json.object("device") { json in
                json.field("identifiers", [id])
                device(&json)
            }
            json.object("origin") { json in
                json.field("name", "Fathom")
                json.field("sw_version", version)
            }
            options(&json)
            json.field("qos", 1)
            json.object("components", components)
        }
    }

    private var gatewayID: String { "fathom-gateway_\(gateway)" }
    private var statusTopic: String { "fathom/\(gateway)/status" }

    private static func id(of device: DeviceID) -> String { "fathom_\(device)" }

    private func topic(id: String) -> String { "\(prefix)/device/\(id)/config" }
}
