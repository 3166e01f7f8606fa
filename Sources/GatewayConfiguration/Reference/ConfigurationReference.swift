internal import GatewayPipeline

/// The list of all settings, by which they are read, checked and documented.
package enum ConfigurationReference {
    /// Every setting, section by section in the order of the written reference.
    package static let settings: [Setting] = [
        GatewayConfiguration.MQTT.settings, GatewayConfiguration.Lanes.settings, GatewayConfiguration.Gateway.settings,
        GatewayConfiguration.KeyValue.settings, GatewayConfiguration.History.settings, GatewayConfiguration.Requests.settings,
        GatewayConfiguration.RegistrySource.settings, GatewayConfiguration.ProducersSource.settings,
        GatewayConfiguration.Normalize.settings, GatewayConfiguration.HomeAssistant.settings,
        GatewayConfiguration.Limits.settings,
        GatewayConfiguration.HTTP.settings, GatewayConfiguration.Log.settings, GatewayConfiguration.Page.settings,
        GatewayConfiguration.MQTT.Identity.settings(.watch), GatewayConfiguration.Notify.settings,
        GatewayConfiguration.Tool.settings, DeriveSettings.settings, AlarmSettings.ruleSettings,
    ].flatMap(\.self)

    /// The paths of the sections, such as `derive` and `derive.depth`.
    package static let sections = Set(
        settings.flatMap { setting in
            let parts = setting.path.split(separator: ".")
            return (1..<parts.count).map { parts.prefix($0).joined(separator: ".") }
        })

    static let byPath = Dictionary(uniqueKeysWithValues: settings.map { ($0.path, $0) })
    static let byVariable = Dictionary(uniqueKeysWithValues: settings.map { ($0.environmentName, $0) })
}

extension ConfigurationReference {
    /// A configuration file with every setting at its default under a comment that explains it.
    ///
    /// - Parameter values: YAML to write in place of a default, by path.
    package static func yaml(values: [String: String] = [:]) -> String {
        var lines = [
            "# Every setting with its default. Environment variables such as FATHOM_MQTT_HOST override this file, and",
            "# --set mqtt.host=ADDRESS overrides both. Unknown keys are problems; \"fathom check\" shows all problems at once.",
        ]
        var open: [Substring] = []
        for setting in settings {
            let parts = setting.path.split(separator: ".")
            let sections = parts.dropLast()
            let shared = zip(open, sections).prefix { $0 == $1 }.count
            for (depth, section) in sections.enumerated().dropFirst(shared) {
                lines += depth == 0 ? ["", "\(section):"] : [indent(depth) + "\(section):"]
            }
            open = Array(sections)
            lines.append("\(indent(sections.count))# \(setting.summary) (\(facts(setting)))")
            lines.append("\(indent(sections.count))\(parts[sections.count]): \(values[setting.path] ?? setting.defaultText)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The settings as a Markdown table: key, default, unit and values, and what it is.
    package static var markdown: String { markdown(settings) + "\n" }

    static func markdown(_ settings: [Setting]) -> String {
        let rows = settings.map { setting in
            let values = [setting.unit, setting.range ?? setting.type].compactMap(\.self).joined(separator: ", ")
            let null = meaning(of: setting).map { " (\($0))" } ?? ""
            return "| `\(setting.path)` | `\(setting.defaultText)`\(null) | \(values) | \(setting.summary) |"
        }
        return (["| key | default | values | what it is |", "|---|---|---|---|"] + rows).joined(separator: "\n")
    }

    private static func indent(_ depth: Int) -> String { String(repeating: "  ", count: depth) }

    /// What null means, where a setting may be null; it is named where it is not the default.
    private static func meaning(of setting: Setting) -> String? {
        setting.whenNull.map { setting.defaultText == "null" ? $0 : "null: \($0)" }
    }

    private static func facts(_ setting: Setting) -> String {
        let null = meaning(of: setting).map { ", \($0)" } ?? ""
        let facts = [setting.unit, setting.range ?? setting.type, "default \(setting.defaultText)\(null)"].compactMap(\.self)
        return facts.joined(separator: "; ")
    }
}
