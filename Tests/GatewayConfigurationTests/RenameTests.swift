import GatewayConfiguration
import Testing

@Suite("Names of an earlier version")
struct RenameTests {
    /// A value of a setting that is not its default, as it is written in YAML.
    static func value(_ path: String) -> String {
        switch path.split(separator: ".").last ?? "" {
        case "passwordFile", "certificateFile", "keyFile": "/nowhere/file"
        case "publishTimeoutSeconds", "idleStateSeconds", "silenceSeconds", "lagAllowanceSeconds": "4"
        case "rateHertz", "calmSeconds", "agreementDegrees": "3"
        case "calmAccelerationG": "0.4"
        case "publishCommitted": "true"
        case "enabled": "false"
        default: "x"
        }
    }

    @Test("Every rename is in force: the new name is a setting and the old one is not")
    func inForce() {
        let settings = Set(ConfigurationReference.settings.map(\.path))
        for rename in Rename.settings {
            #expect(!settings.contains(rename.old))
            #expect(rename.new.map(settings.contains) ?? true)
        }
        let old = Set(Rename.all.map(\.old))
        #expect(old.isSuperset(of: ["mqtt.in", "mqtt.motion", "mqtt.bulk", "mqtt.settleTimeoutSeconds"]))
        #expect(old.isSuperset(of: ["gateway.evictSeconds", "gateway.acknowledgements", "gateway.workers"]))
    }

    @Test("An old key in a file is a problem that names the new one", arguments: Rename.settings)
    func inFile(rename: Rename) async throws {
        let keys = rename.old.split(separator: ".")
        let yaml =
            keys.dropLast().map { "{\($0): " }.joined() + "{\(keys.last ?? ""): secret}"
            + String(repeating: "}", count: keys.count - 1)
        try await TestFiles.withFolder(["fathom.yaml": yaml]) { folder in
            let problems = GatewayConfiguration.load(file: "\(folder)/fathom.yaml").problems
            #expect(problems.map(\.keyPath) == [rename.old])
            let message = try #require(problems.first?.message)
            #expect(message.hasPrefix(rename.new.map { "is now \($0);" } ?? "is no longer a setting"))
            #expect(message.contains("fathom check --migrate"))
        }
    }

    @Test("An old path of --set is a problem that names the new one", arguments: Rename.settings)
    func inOverride(rename: Rename) {
        let problems = GatewayConfiguration.load(file: nil, overrides: ["\(rename.old)=secret"]).problems
        #expect(problems.map(\.keyPath) == [rename.old])
        #expect(problems.first?.source == .override)
        #expect(problems.first?.message.hasPrefix(rename.new.map { "is now \($0)" } ?? "is no longer a setting") == true)
    }

    @Test(
        "An old environment variable is a problem that names the new one",
        arguments: [
            ("FATHOM_MQTT_IN_PASSWORD", "is now FATHOM_LANES_SAFETY_ACCOUNT_PASSWORD"),
            ("FATHOM_MQTT_MOTION_USERNAME", "is now FATHOM_LANES_MOTION_ACCOUNT_USERNAME"),
            ("FATHOM_MQTT_BULK_CLIENT_ID", "is now FATHOM_LANES_BULK_ACCOUNT_CLIENT_ID"),
            ("FATHOM_MQTT_SETTLE_TIMEOUT_SECONDS", "is now FATHOM_MQTT_PUBLISH_TIMEOUT_SECONDS"),
            ("FATHOM_GATEWAY_EVICT_SECONDS", "is now FATHOM_GATEWAY_IDLE_STATE_SECONDS"),
            ("FATHOM_GATEWAY_ACKNOWLEDGEMENTS", "is now FATHOM_GATEWAY_PUBLISH_COMMITTED"),
            ("FATHOM_GATEWAY_WORKERS", "is no longer a setting: every lane has a thread of its own"),
        ])
    func inEnvironment(variable: String, message: String) {
        let problems = GatewayConfiguration.load(file: nil, environment: [variable: "secret"]).problems
        #expect(problems == [ConfigurationProblem("", source: .environment(variable), message)])
    }

    @Test("An old section without settings is a problem, and so is its path after --set")
    func section() async throws {
        try await TestFiles.withFolder(["fathom.yaml": "mqtt:\n  in:\n"]) { folder in
            let problems = GatewayConfiguration.load(file: "\(folder)/fathom.yaml").problems
            #expect(problems.map(\.message) == ["is now lanes.safety.account"])
        }
        let problems = GatewayConfiguration.load(file: nil, overrides: ["mqtt.in=x"]).problems
        #expect(problems.map(\.message) == ["is now lanes.safety.account"])
    }

    @Test("Streams with spaces between them are a problem")
    func streams() async throws {
        try await TestFiles.withFolder(["fathom.yaml": "lanes:\n  bulk:\n    streams: batched-imu recorded-accelerometer\n"]) {
            folder in
            let problems = GatewayConfiguration.load(file: "\(folder)/fathom.yaml").problems
            #expect(problems.map(\.keyPath) == ["lanes.bulk.streams"])
            #expect(problems.first?.message.contains("fathom check --migrate") == true)
        }
        let problems = GatewayConfiguration.load(file: nil, overrides: ["lanes.bulk.streams=batched-imu recorded-accelerometer"])
            .problems
        #expect(problems.map(\.keyPath) == ["lanes.bulk.streams"])
    }
}
