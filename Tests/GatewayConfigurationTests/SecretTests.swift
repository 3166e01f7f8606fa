import Foundation
import GatewayConfiguration
import Testing

@Suite("Secrets")
struct SecretTests {
    private static let password = "correct-horse"

    @Test("A password file is read less its line end")
    func passwordFile() async throws {
        try await TestFiles.withFolder(["p": "\(Self.password)\n", "two": "a\nb\n", "none": "\n"]) { folder in
            func load(_ file: String) -> (configuration: GatewayConfiguration, problems: [ConfigurationProblem]) {
                GatewayConfiguration.load(file: nil, overrides: ["mqtt.in.username=u", "mqtt.in.passwordFile=\(folder)/\(file)"])
            }
            #expect(load("p").configuration.mqtt.in.password?.reveal == Self.password)
            #expect(load("p").problems.isEmpty)
            try Data([0xFF, 0xFE]).write(to: URL(filePath: "\(folder)/bytes"))
            for file in ["two", "none", "missing", "bytes"] {
                #expect(load(file).problems.map(\.keyPath) == ["mqtt.in.passwordFile"])
                #expect(load(file).configuration.mqtt.in.password == nil)
            }
            let both = GatewayConfiguration.load(
                file: nil, environment: ["FATHOM_MQTT_IN_PASSWORD": "x"],
                overrides: ["mqtt.in.username=u", "mqtt.in.passwordFile=\(folder)/p"])
            #expect(both.problems.map(\.keyPath) == ["mqtt.in.passwordFile"])
        }
    }

    @Test("No description of a configuration shows a password")
    func descriptions() {
        var configuration = GatewayConfiguration()
        configuration.mqtt.in.password = Secret(Self.password)
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), String(reflecting: configuration.mqtt), dumped] {
            #expect(!text.contains(Self.password))
        }
        #expect("\(configuration)".contains("mqtt.in.password: <hidden>"))
        #expect("\(configuration)".contains("mqtt.out.password: null"))
    }

    @Test(
        "No problem shows a password, even where the YAML around it is broken",
        arguments: [
            "mqtt: {in: {password: [correct-horse]}}", "mqtt:\n  in:\n    password: 'correct-horse",
            "mqtt: {in: {pasword: correct-horse}}",
            "mqtt:\n  in:\n    password: correct-horse: x", "mqtt: {in: {\"password: correct-horse\"}}",
            "mqtt:\n  in: correct-horse",
        ])
    func problems(yaml: String) async throws {
        try await TestFiles.withFolder(["fathom.yaml": yaml]) { folder in
            let problems = GatewayConfiguration.load(
                file: "\(folder)/fathom.yaml", environment: ["FATHOM_MQTT_PASSWORD": Self.password],
                overrides: ["mqtt.password=\(Self.password)"]
            ).problems
            #expect(problems.count == 3)
            #expect(!"\(problems)".contains(Self.password))
        }
    }
}
