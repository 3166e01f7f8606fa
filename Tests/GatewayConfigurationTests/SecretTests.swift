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
                GatewayConfiguration.load(
                    file: nil,
                    overrides: ["lanes.safety.account.username=u", "lanes.safety.account.passwordFile=\(folder)/\(file)"])
            }
            #expect(load("p").configuration.lanes[.safety].account.password?.reveal == Self.password)
            #expect(load("p").problems.isEmpty)
            try Data([0xFF, 0xFE]).write(to: URL(filePath: "\(folder)/bytes"))
            for file in ["two", "none", "missing", "bytes"] {
                #expect(load(file).problems.map(\.keyPath) == ["lanes.safety.account.passwordFile"])
                #expect(load(file).configuration.lanes[.safety].account.password == nil)
            }
            let both = GatewayConfiguration.load(
                file: nil, environment: ["FATHOM_LANES_SAFETY_ACCOUNT_PASSWORD": "x"],
                overrides: ["lanes.safety.account.username=u", "lanes.safety.account.passwordFile=\(folder)/p"])
            #expect(both.problems.map(\.keyPath) == ["lanes.safety.account.passwordFile"])
        }
    }

    @Test("No description of a configuration shows a password")
    func descriptions() {
        var configuration = GatewayConfiguration()
        configuration.lanes[.safety].account.password = Secret(Self.password)
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), String(reflecting: configuration.lanes), dumped] {
            #expect(!text.contains(Self.password))
        }
        #expect("\(configuration)".contains("lanes.safety.account.password: <hidden>"))
        #expect("\(configuration)".contains("mqtt.out.password: null"))
    }

    @Test(
        "No problem shows a password, even where the YAML around it is broken",
        arguments: [
            "mqtt: {out: {password: [correct-horse]}}", "mqtt:\n  out:\n    password: 'correct-horse",
            "mqtt: {out: {pasword: correct-horse}}",
            "mqtt:\n  out:\n    password: correct-horse: x", "mqtt: {out: {\"password: correct-horse\"}}",
            "mqtt:\n  out: correct-horse", "mqtt: {in: {password: correct-horse}}", "mqtt:\n  in: correct-horse",
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
