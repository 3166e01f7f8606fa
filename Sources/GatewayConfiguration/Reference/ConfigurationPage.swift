internal import TelemetryModel

/// The page of all settings.
package enum ConfigurationPage {
    private static let sections: [(name: String, text: String)] = [
        (
            "mqtt",
            "The broker, and the account that publishes. `mqtt.out` and each `lanes.*.account` need accounts of their own where the "
                + "broker makes the account the client id."
        ),
        (
            "lanes",
            "A connection to the broker for each class of streams. A lane without an account of its own uses that of `lanes.safety`; "
                + "where the broker allows an account one connection, and two lanes have one account, all three share a connection. "
                + GatewayConfiguration.Lanes.Name.allCases.map { lane in
                    "`\(lane.rawValue)` has \(lane.streams.map { "`\($0.rawValue)`" }.sorted().joined(separator: ", "))"
                }.joined(separator: "; ") + "."
        ),
        ("gateway", "The gateway's name, its topics and its state."),
        (
            "history",
            "Recorded acceleration and derived messages that are kept in the state directory: [history.md](../history.md)."
        ),
        ("requests", "Requests of programs for the latest values: [requests.md](../requests.md)."),
        ("registry", "The devices: [registry.md](../registry.md)."),
        (
            "producers",
            "Apps with topics and payloads of their own: [sensor-logger.md](../sensor-logger.md), [mapped-json.md](../mapped-json.md), "
                + "[presence.md](../presence.md)."
        ),
        ("normalize", "How frames are brought into the shared models: [raw-imu.md](../raw-imu.md)."),
        (
            "page",
            "The fleet page of `fathom page`: [page.md](../page.md). The gateway does not use these settings."
        ),
        (
            "watch",
            "The account of `fathom watch`: [page.md](../page.md#on-a-terminal). Where the broker makes the account the client id, page and "
                + "terminal need one each."
        ),
        ("notify", "What `fathom notify` needs: [notify.md](../notify.md). The gateway does not use these settings."),
        ("record", "The account of `fathom record`, without which it needs `--username`."),
        ("simulate", "The account of `fathom simulate`, without which it needs `--username`."),
        ("limits", "What a device may cost, and how long the gateway waits for it."),
        (
            "derive",
            "What is derived: [derivations.md](derivations.md). Messages carry a hash of these settings, `derivation.config`: it changes "
                + "when one of them changes."
        ),
        ("alarms", "What raises an alarm: [alarms.md](../alarms.md). A list in place of the section is its `rules`."),
    ]

    /// The page as Markdown: a table for each section.
    package static var markdown: String {
        let introduction = """
            # Configuration

            Every setting of `fathom`. This page and `config/fathom.yaml` are written from the declarations of the settings.

            A setting has up to four values. The last of these that is given is used:

            1. its default
            2. the configuration file (`--config FILE`, YAML)
            3. its environment variable: `FATHOM_` and the key in capitals, with `_` between words and levels.
               `mqtt.keepAliveSeconds` is `FATHOM_MQTT_KEEP_ALIVE_SECONDS`.
            4. the command line: `--set mqtt.port=1884`

            A relative path in the file starts at the folder of the file; elsewhere at the working directory. `null` unsets a
            setting; a text can be unset in the file only. Lists are `[a, b]` in the file and `a,b` elsewhere.

            `fathom check --config FILE` lists every problem at once, with file and line. An unknown key is a problem. `fathom check --connect`
            also tries the broker and the state directory. Only the registry is read again while the gateway runs; any other change needs a
            restart.

            `fathom init DIR` writes a short file that works: [getting-started.md](../getting-started.md).
            """
        let known = Set(sections.map(\.name))
        let others = ConfigurationReference.settings.map { section(of: $0) }.filter { !known.contains($0) }
        let unnamed = others.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.map { (name: $0, text: "") }
        let tables = (sections + unnamed).map { name, text in
            let settings = ConfigurationReference.settings.filter { section(of: $0) == name }
            return ["## \(name)", text, ConfigurationReference.markdown(settings)].filter { !$0.isEmpty }.joined(
                separator: "\n\n")
        }
        return ([introduction] + tables).joined(separator: "\n\n") + "\n"
    }

    private static func section(of setting: Setting) -> String { String(setting.path.prefix { $0 != "." }) }
}
