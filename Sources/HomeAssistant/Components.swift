import GatewayPipeline
import TelemetryModel

/// The entities of a device, in the order in which they are written. Options, units and keys come from the declarations of kinds.
enum Components {
    /// Every entity that a device can have.
    static let all = depth + water + dives + swings + strokes + heads + connections

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
            // Available with the gateway alone: with the device, or after some time, it would turn unavailable when a diver falls silent.
            // Then it is on: the state becomes `unknown` once it is no longer valid under water.
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

    private static let water: [Component] = {
        let temperature = KindField(WaterTemperature.self, "temperature")
        return [
            Component(
                id: "water_temperature", platform: .sensor, kind: temperature.kind, name: "Water temperature",
                template: temperature.template, deviceClass: "temperature", stateClass: "measurement", unit: temperature.symbol,
                precision: 1)
        ]
    }()

    /// Announced with the depth state: at the first message of a dive it is over, and Home Assistant would not have received it.
    private static let dives: [Component] = {
        let deepest = KindField(Dive.self, "deepest")
        let duration = KindField(Dive.self, "duration")
        let dives = [
            event("dive", Dive.self, "Dive", types: ["dive"], type: "'dive'", without: ["profile"], icon: "mdi:diving-scuba"),
            Component(
                id: "dive_deepest", platform: .sensor, kind: deepest.kind, name: "Last dive deepest", template: deepest.template,
                deviceClass: "distance", unit: deepest.symbol, precision: 1),
            Component(
                id: "dive_duration", platform: .sensor, kind: duration.kind, name: "Last dive duration",
                template: duration.template, deviceClass: "duration", unit: duration.symbol, precision: 0),
        ]
        return dives.map { dive in
            var dive = dive
            dive.announcingKind = DepthStateChange.kind.name
            return dive
        }
    }()

    private static let swings = [
        event(
            "swing", Swing.self, "Swing", types: ["contact", "miss"], type: "'contact' if value_json.contact else 'miss'",
            without: ["contact"], icon: "mdi:tennis")
    ]

    private static let strokes: [Component] = {
        let stroke = KindField(TelemetryModel.Stroke.self, "stroke")
        let counts: [(id: StaticString, name: StaticString, key: String)] = [
            ("forehands", "Forehands", "forehandCount"), ("backhands", "Backhands", "backhandCount"),
        ]
        return [
            event(
                "stroke", TelemetryModel.Stroke.self, "Stroke", types: stroke.options, type: "value_json.stroke",
                without: ["stroke"],
                icon: "mdi:tennis")
        ]
            + counts.map { count in
                let field = KindField(TelemetryModel.Stroke.self, count.key)
                return Component(
                    id: count.id, platform: .sensor, kind: field.kind, name: count.name, template: field.template,
                    stateClass: "total_increasing", icon: "mdi:tennis")
            }
    }()

    private static let heads: [Component] = {
        let yaw = KindField(HeadPose.self, "yaw")
        let degrees = Template.guarded("(value_json.yaw * 57.29577951) | round(1)", otherwise: "None")
        return [
            Component(
                id: "head_yaw", platform: .sensor, kind: yaw.kind, name: "Head yaw", template: degrees, unit: "°", precision: 0,
                icon: "mdi:head-sync", isEnabledByDefault: false, refresh: .headPose)
        ]
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

    /// An event with the fields of a kind as attributes. `type` is an expression for its type.
    private static func event<Body: DerivedBody>(
        _ id: StaticString, _ body: Body.Type, _ name: StaticString, types: [String], type: String, without left: [String],
        icon: StaticString
    ) -> Component {
        let fields = KindDescription(of: body).fields.map(\.name).filter { !left.contains($0) }
        return Component(
            id: id, platform: .event, kind: Body.kind.name, name: name,
            template: Template.object(["id", "at"] + fields, type: type),
            eventTypes: types, icon: icon)
    }
}
