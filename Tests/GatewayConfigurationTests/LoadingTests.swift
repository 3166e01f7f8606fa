import GatewayConfiguration
import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Loading a configuration")
struct LoadingTests {
    /// Loads the text of a file named `fathom.yaml`.
    private func load(
        _ yaml: String, environment: [String: String] = [:], overrides: [String] = []
    ) async throws -> (configuration: GatewayConfiguration, problems: [ConfigurationProblem]) {
        try await TestFiles.withFolder(["fathom.yaml": yaml]) { folder in
            GatewayConfiguration.load(file: "\(folder)/fathom.yaml", environment: environment, overrides: overrides)
        }
    }

    @Test("Nothing given is every default and no problem")
    func nothing() {
        let (configuration, problems) = GatewayConfiguration.load(file: nil)
        #expect(configuration == GatewayConfiguration())
        #expect(problems.isEmpty)
    }

    @Test("The environment overrides the file, and --set both")
    func order() async throws {
        let (configuration, problems) = try await load(
            "mqtt: {host: from-file, port: 1, keepAliveSeconds: 61}",
            environment: ["FATHOM_MQTT_HOST": "from-environment", "FATHOM_MQTT_PORT": "2", "HOME": "/"],
            overrides: ["mqtt.port=3", "mqtt.port=4"])
        #expect(problems.isEmpty)
        #expect(configuration.mqtt.host == "from-environment")
        #expect(configuration.mqtt.port == 4)
        #expect(configuration.mqtt.keepAliveSeconds == 61)
    }

    @Test("The variables and keys that the contract names are read")
    func contractKeys() throws {
        let (configuration, problems) = GatewayConfiguration.load(
            file: nil, environment: ["FATHOM_REGISTRY_UNKNOWN_DEVICES": "allow"],
            overrides: [
                "mqtt.host=::1", "mqtt.port=18830", "mqtt.version=3.1.1", "lanes.safety.account.username=a",
                "lanes.safety.account.password=b=c", "lanes.safety.account.clientID=d", "mqtt.out.username=e",
                "mqtt.out.password=null", "mqtt.out.clientID=g",
                "gateway.name=h_1", "gateway.stateDirectory=state", "registry.file=registry.yaml", "limits.reorderSeconds=0",
                "derive.depth.hysteresisMeters=0", "derive.depth.staleSeconds=0.5", "derive.stroke.preset=tableTennis",
                "derive.stroke.wrist=left", "derive.connection.headphone.silenceSeconds=1",
            ])
        #expect(problems.isEmpty)
        #expect(configuration.registry.unknownDevices == .allow)
        #expect(configuration.mqtt.version == .v311)
        #expect(configuration.lanes[.safety].account.password == Secret("b=c"))
        #expect(configuration.mqtt.out.password == Secret("null"))
        #expect(configuration.registry.file == "registry.yaml")
        #expect(configuration.derive[StrokeDerivation.self].preset == .tableTennis)
        #expect(configuration.derive[SubmersionDerivation.self].hysteresisMeters == 0)
    }

    @Test("A list is a list in the file and a text with commas elsewhere")
    func lists() async throws {
        let yaml = "derive:\n  stroke: {streams: [device-motion]}\n  repetition:\n    streams:\n    - batched-imu\n"
        var (configuration, problems) = try await load(yaml)
        #expect(problems.isEmpty)
        #expect(configuration.derive[StrokeDerivation.self].streams == [.deviceMotion])
        #expect(configuration.derive[RepetitionDerivation.self].streams == [.batchedIMU])
        (configuration, problems) = try await load(
            yaml, environment: ["FATHOM_DERIVE_REPETITION_STREAMS": "batched-imu, device-motion"],
            overrides: ["derive.stroke.streams=none", "derive.stroke.streams=batched-imu"])
        #expect(problems.isEmpty)
        #expect(configuration.derive[StrokeDerivation.self].streams == [.batchedIMU])
        #expect(configuration.derive[RepetitionDerivation.self].streams == [.batchedIMU, .deviceMotion])
        let none = GatewayConfiguration.load(file: nil, overrides: ["derive.stroke.streams=none"])
        #expect(none.problems.isEmpty)
        #expect(none.configuration.derive[StrokeDerivation.self].streams.isEmpty)
    }

    @Test("All problems come at once, each with its key path, its line and its source")
    func allAtOnce() async throws {
        let (_, problems) = try await load(
            """
            mqtt:
              port: 70000
              clientId: x
            derive:
              depth:
                staleSeconds: soon
            reorderSeconds: 3
            """, environment: ["FATHOM_MQTT_HOTS": "x"], overrides: ["gateway.name=a b", "gateway.name"])
        #expect(
            problems.map { "\($0.keyPath):\($0.line ?? 0): \($0.message)" } == [
                #"mqtt.port:2: must be 1 to 65535, is "70000""#,
                "mqtt.clientId:3: is not a setting; did you mean mqtt.out.clientID?",
                #"derive.depth.staleSeconds:6: must be a number, is "soon""#,
                "reorderSeconds:7: is not a setting; did you mean limits.reorderSeconds?",
                ":0: names no setting; did you mean FATHOM_MQTT_HOST?",
                #"gateway.name:0: must be 1 to 64 of A-Z a-z 0-9 _ -, is "a b""#,
                "gateway.name:0: must be written KEY=VALUE",
            ])
        #expect(problems.map(\.source).suffix(3) == [.environment("FATHOM_MQTT_HOTS"), .override, .override])
    }

    @Test("Variables of a command that notify runs are no settings; one that looks like them is a problem")
    func variablesOfNotices() {
        let variables = Dictionary(uniqueKeysWithValues: AlarmVariable.allCases.map { ($0.name, "x") })
        #expect(variables["FATHOM_ALARM_CLEARED_AT"] == "x")
        #expect(GatewayConfiguration.load(file: nil, environment: variables).problems.isEmpty)
        #expect(GatewayConfiguration.load(file: nil, environment: ["FATHOM_ALARM_RULES": "x"]).problems.count == 1)
    }

    @Test("Rules that are written as nothing replace those of the file by none", arguments: ["", " # none", "[]"])
    func emptyRules(text: String) async throws {
        let rules = "alarms: [{name: warm, when: {kind: water-temperature, field: temperature, above: 30}}]"
        #expect(try await load(rules).configuration.derive[AlarmDerivation.self].written.count == 1)
        let (configuration, problems) = try await load(rules, overrides: ["alarms.rules=\(text)"])
        #expect(problems.isEmpty && configuration.derive[AlarmDerivation.self].written.isEmpty)
    }

    @Test("A problem reads as place, key and message")
    func description() {
        let problem = ConfigurationProblem("mqtt.port", line: 3, source: .file("fathom.yaml"), "is odd")
        #expect("\(problem)" == "fathom.yaml:3: mqtt.port: is odd")
        #expect("\(ConfigurationProblem("mqtt.port", source: .override, "is odd"))" == "--set: mqtt.port: is odd")
    }

    @Test(
        "A file that is not one mapping of settings is one problem",
        arguments: [
            ("- a", 1), ("mqtt: [1]", 1), ("mqtt: 5", 1), ("a: [", 2), ("mqtt: {}\n---\nmqtt: {}", 2), ("mqtt:\n  host: [a]", 2),
            ("mqtt:\n  ? [a]\n  : 1", 2), ("gateway:\n  <<: {name: x}", 2),
        ])
    func malformed(yaml: String, line: Int) async throws {
        let (configuration, problems) = try await load(yaml)
        #expect(problems.map(\.line) == [line])
        #expect(configuration == GatewayConfiguration())
    }

    @Test(
        "A key written twice is a problem, however it is quoted",
        arguments: [
            "mqtt: {}\nmqtt: {}", "mqtt:\n  host: a\n  host: b", "gateway:\n  \"name\": a\n  name: b", "true: 1\n\"true\": 2",
        ])
    func duplicates(yaml: String) async throws {
        let (_, problems) = try await load(yaml)
        #expect(problems.contains { $0.message.contains("more than once") })
    }

    @Test("A file that cannot be read is a problem, and a section without settings is not")
    func files() async throws {
        #expect(GatewayConfiguration.load(file: "/nowhere/fathom.yaml").problems.count == 1)
        #expect(try await load("mqtt:\nderive: {depth: }\n").problems.isEmpty)
    }

    @Test("Relative paths of a file start at its folder, those of --set at the working folder")
    func relativePaths() async throws {
        let yaml = "registry: {file: devices.yaml}\ngateway: {stateDirectory: /var/lib/fathom}"
        try await TestFiles.withFolder(["fathom.yaml": yaml]) { folder in
            let fromFile = GatewayConfiguration.load(file: "\(folder)/fathom.yaml").configuration
            #expect(fromFile.registry.file == "\(folder)/devices.yaml")
            #expect(fromFile.gateway.stateDirectory == "/var/lib/fathom")
            let fromOverride = GatewayConfiguration.load(file: "\(folder)/fathom.yaml", overrides: ["registry.file=other.yaml"])
            #expect(fromOverride.configuration.registry.file == "other.yaml")
        }
    }

    @Test("A written null unsets what may be unset and is a problem elsewhere")
    func null() async throws {
        let (configuration, problems) = try await load(
            "limits: {maximumAgeSeconds: 60, reorderSeconds: null}\nmqtt: {out: {username: ~}}",
            overrides: ["limits.maximumAgeSeconds=null"])
        #expect(configuration.limits.maximumAgeSeconds == nil)
        #expect(problems.map(\.keyPath) == ["limits.reorderSeconds"])
    }
}
