import GatewayPipeline
import TelemetryModel

/// The entities of a device, in the order in which they are written: those that kinds declare, and those that join quality, states and
/// connections, whose options, units and keys come from the declarations of kinds.
enum Components {
    /// Every entity that a device can have.
    static let all = depth + declared + connections

    /// The path of the connection of a device.
    static let deviceConnection = "connection/\(ConnectionSubject.device.rawValue)"

    private static let depth: [Component] = {
        let state = KindField(DepthStateChange.self, "state")
        let depth = KindField(DepthStateChange.self, "depth")
        return [
            Component(
                id: "depth_state", platform: .sensor, kind: state.kind, name: "Depth state", template: state.template,
                deviceClass: "enum", options: state.options, attributes: Template.object(["quality", "cause", "maximumDepth"]),
                icon: "mdi:waves-arrow-up"),
            Component(
                id: "depth", platform: .sensor, kind: depth.kind, name: "Depth", template: depth.template,
                deviceClass: "distance", stateClass: "measurement", unit: depth.symbol, precision: 1, availability: .validDepth),
            Component(
                id: "in_water", platform: .binarySensor, kind: state.kind, name: "In water", template: inWater,
                deviceClass: "moisture"),
            // Available with the gateway and its lane alone: with the device, or after some time, it would turn unavailable when
            // a diver falls silent. Then it is on: the state becomes `unknown` once it is no longer valid under water.
            Component(
                id: "depth_alarm", platform: .binarySensor, kind: state.kind, name: "Depth alarm", template: depthAlarm,
                deviceClass: "safety", availability: .gateway),
        ]
    }()

    private static let inWater: String = {
        let (unknown, out) = (DepthState.unknown.rawValue, DepthState.notSubmerged.rawValue)
        return "{{ {\(unknown): 'None', \(out): 'OFF'}.get(value_json.rawValue, 'ON') if value_json is defined else 'None' }}"
    }()

    /// The states that are no alarm while their quality is `valid`.
    static let safeStates: [DepthState] = [.notSubmerged, .submergedShallow, .submergedDeep]

    private static let depthAlarm: String = {
        let safe = safeStates.map { "\($0.rawValue)" }.joined(separator: ", ")
        let isSafe = "value_json.quality == '\(Quality.valid.rawValue)' and value_json.rawValue in (\(safe))"
        return "{{ 'OFF' if value_json is defined and \(isSafe) else 'ON' }}"
    }()

    private static let connections: [Component] = {
        let headphones = KindField(
            ConnectionChange.self, "state", path: "connection/\(ConnectionSubject.headphone.rawValue)")
        let device = KindField(ConnectionChange.self, "state", path: deviceConnection)
        let isConnected = "{'\(ConnectionState.connected.rawValue)': 'ON', '\(ConnectionState.disconnected.rawValue)': 'OFF'}"
        return [
            Component(
                id: "headphones", platform: .binarySensor, kind: headphones.kind, name: "Headphones",
                template: Template.guarded("\(isConnected).get(value_json.state, 'None')", otherwise: "'None'"),
                deviceClass: "connectivity"),
            Component(
                id: "connection", platform: .sensor, kind: device.kind, name: "Connection", template: device.template,
                deviceClass: "enum", options: device.options, attributes: Template.object(["cause"]), category: "diagnostic",
                availability: .gateway),
        ]
    }()

    /// The entities that kinds declare beside their fields.
    private static let declared = KindDescription.all.flatMap { kind in kind.view.entities.map { component($0, of: kind) } }

    private static func component(_ entity: KindView.Entity, of kind: KindDescription) -> Component {
        var component: Component
        switch entity.state {
        case .event(let types, let type, let left):
            let fields = kind.fields.map(\.name).filter { !left.contains($0) }
            component = Component(
                id: "\(entity.id)", platform: .event, kind: kind.name, name: "\(entity.name)",
                template: Template.object(["id", "at"] + fields, type: type), eventTypes: types)
        case .field(let name):
            let field = kind.fields.first { $0.name == name }
            component = Component(
                id: "\(entity.id)", platform: .sensor, kind: kind.name, name: "\(entity.name)",
                template: Template.value(of: name),
                deviceClass: field.flatMap(deviceClass), unit: field?.symbol, options: field?.values ?? [])
            if field?.unit == "rad" {
                component.template = Template.guarded("(value_json.\(name) * 57.29577951) | round(1)", otherwise: "None")
                component.unit = "°"
            }
        }
        component.stateClass = entity.stateClass
        component.precision = entity.precision
        component.icon = entity.icon
        component.isEnabledByDefault = entity.isEnabledByDefault
        component.announcingKind = entity.announcedBy
        if let interval = entity.interval { component.expiry = { $0.expiry(of: interval) } }
        return component
    }

    /// Home Assistant's class of a value by its unit.
    private static func deviceClass(of field: KindDescription.Field) -> StaticString? {
        switch field.unit {
        case "C": "temperature"
        case "Hz": "frequency"
        case "kPa": "pressure"
        case "m": "distance"
        case "m/s": "speed"
        case "s": "duration"
        default: field.values.isEmpty ? nil : "enum"
        }
    }
}
