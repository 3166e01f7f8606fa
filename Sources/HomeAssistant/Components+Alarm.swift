import GatewayPipeline
import TelemetryModel

extension Components {
    /// The entity of an alarm: on while it is raised, acknowledged or not.
    static func alarm(_ level: String) -> Component {
        let parts = level.split(separator: "/", maxSplits: 1)
        // The end of an id is never a part of several words with `_`, so two levels never have one id.
        let id = parts.count > 1 ? "alarms_\(parts[0])_\(parts[1])" : "alarm_\(level)"
        let name = parts.joined(separator: " of ").replacing("-", with: " ")
        let states = "{'\(Alarm.State.cleared.rawValue)': 'OFF'}.get(value_json.state, 'ON')"
        let fields = KindDescription(of: Alarm.self).fields.map(\.name)
        return Component(
            id: id, platform: .binarySensor, kind: Alarm.path(of: level), name: "Alarm \(name)",
            template: Template.guarded(states, otherwise: "'OFF'"), deviceClass: "problem",
            attributes: Template.object(fields), availability: .gateway)
    }
}
