import Foundation
import GatewayConfiguration
import GatewayPipeline
import Testing

@Suite("The reference and the shipped configuration")
struct ReferenceTests {
    /// The settings of the shipped file that are not defaults: the accounts of the broker of `config/` and the registry.
    private static let shipped = [
        "lanes.safety.account.username": "gateway-in", "mqtt.out.username": "gateway-out", "registry.file": "registry.yaml",
    ]

    @Test("The shipped file is the reference, key by key; UPDATE_REFERENCE=1 writes it anew")
    func shippedFile() throws {
        let expected = ConfigurationReference.yaml(values: Self.shipped)
        if ProcessInfo.processInfo.environment["UPDATE_REFERENCE"] == "1" {
            try expected.write(toFile: TestFiles.path("config/fathom.yaml"), atomically: true, encoding: .utf8)
        }
        #expect(try TestFiles.text("config/fathom.yaml") == expected)
        for setting in ConfigurationReference.settings {
            let key = setting.path.split(separator: ".").last ?? ""
            #expect(expected.contains("  \(key): \(Self.shipped[setting.path] ?? setting.defaultText)\n"))
        }
    }

    @Test("Loading the shipped file gives the defaults but for accounts and registry")
    func shippedValues() {
        let (configuration, problems) = GatewayConfiguration.load(file: TestFiles.path("config/fathom.yaml"))
        var expected = GatewayConfiguration()
        expected.lanes[.safety].account.username = "gateway-in"
        expected.mqtt.out.username = "gateway-out"
        expected.registry.file = TestFiles.path("config/registry.yaml")
        #expect(problems.isEmpty)
        #expect(configuration == expected)
    }

    @Test("Every property of every section has a setting")
    func complete() {
        func leaves(_ value: Any) -> Int {
            let children = Mirror(reflecting: value).children
            let isSection = Mirror(reflecting: value).displayStyle == .struct && !children.isEmpty
            return isSection ? children.reduce(0) { $0 + leaves($1.value) } : 1
        }
        let sections = Mirror(reflecting: GatewayConfiguration()).children.filter { $0.label != "derive" }
        let settings = ConfigurationReference.settings.filter {
            !$0.path.hasPrefix("derive.") && !$0.path.hasPrefix("alarms.")
        }
        #expect(sections.reduce(0) { $0 + leaves($1.value) } == settings.count)
    }

    @Test("Every setting of every derivation changes one property, and the fingerprint")
    func derivations() throws {
        let settings = ConfigurationReference.settings.filter { $0.path.hasPrefix("derive.") }
        // Alarms have a section of their own.
        #expect(settings.count { $0.path.hasSuffix(".enabled") } == Derivations.all.count - 1)
        for setting in settings {
            let other = Self.otherValue(than: setting.defaultText, setting)
            let (configuration, problems) = GatewayConfiguration.load(file: nil, overrides: ["\(setting.path)=\(other)"])
            // A rule may be broken, but the value is taken.
            #expect(problems.allSatisfy { $0.message.contains("contradicts") }, "\(problems)")
            #expect(["\(other)", "[\(other)]", "[\"\(other)\"]"].contains(setting.text(configuration)))
            let changed = settings.filter { $0.text(configuration) != $0.defaultText }
            #expect(changed.map(\.path) == [setting.path])
            #expect(configuration.deriveFingerprint != GatewayConfiguration().deriveFingerprint)
        }
    }

    private static func otherValue(than text: String, _ setting: Setting) -> String {
        if setting.path.hasSuffix(".activities") { return "archery" }
        if setting.type == "a list of texts" { return "pose 0.0 0.0 1.0" }
        switch (text, setting.range) {
        case ("true", _): return "false"
        case ("false", _): return "true"
        case (_, let range?):
            let bounds = range.components(separatedBy: " to ")
            return bounds.first { $0 != text } ?? text
        default:
            let names = setting.type.components(separatedBy: " or ")
            return names.count > 1 && names.contains(text) ? names.first { $0 != text } ?? text : "batched-imu"
        }
    }

    @Test("The page of derivations is written from their declarations; UPDATE_REFERENCE=1 writes it anew")
    func derivationsPage() throws {
        let expected = DerivationReference.markdown
        if ProcessInfo.processInfo.environment["UPDATE_REFERENCE"] == "1" {
            try expected.write(toFile: TestFiles.path("docs/reference/derivations.md"), atomically: true, encoding: .utf8)
        }
        #expect(try TestFiles.text("docs/reference/derivations.md") == expected)
    }

    @Test("The page of settings is written from their declarations; UPDATE_REFERENCE=1 writes it anew")
    func settingsPage() throws {
        let expected = ConfigurationPage.markdown
        if ProcessInfo.processInfo.environment["UPDATE_REFERENCE"] == "1" {
            try expected.write(toFile: TestFiles.path("docs/reference/configuration.md"), atomically: true, encoding: .utf8)
        }
        #expect(try TestFiles.text("docs/reference/configuration.md") == expected)
        for setting in ConfigurationReference.settings { #expect(expected.contains("| `\(setting.path)` |"), "\(setting.path)") }
    }

    @Test("A default that is written down is read as itself")
    func roundTrip() {
        let overrides = ConfigurationReference.settings.filter { $0.defaultText != "null" }.map {
            "\($0.path)=\($0.defaultText.trimmingCharacters(in: ["\"", "[", "]"]))"
        }
        let (configuration, problems) = GatewayConfiguration.load(file: nil, overrides: overrides)
        #expect(problems.isEmpty)
        #expect(configuration == GatewayConfiguration())
    }

    @Test("Every environment variable stands for one setting")
    func variables() {
        let names = ConfigurationReference.settings.map(\.environmentName)
        #expect(Set(names).count == names.count)
        #expect(names.contains("FATHOM_LANES_SAFETY_ACCOUNT_CLIENT_ID"))
        #expect(names.contains("FATHOM_DERIVE_SWING_IMPACT_THRESHOLD_G"))
    }

    @Test("The table of settings has a row for each")
    func markdown() {
        let rows = ConfigurationReference.markdown.split(separator: "\n")
        #expect(rows.count == ConfigurationReference.settings.count + 2)
        #expect(rows.allSatisfy { $0.count { $0 == "|" } == 5 })
    }

    @Test("The fingerprint follows the derive section and nothing else")
    func fingerprint() {
        var configuration = GatewayConfiguration()
        let before = configuration.deriveFingerprint
        // Published in messages: a change here is a change that users see.
        #expect(before == "45a7")
        configuration.mqtt.host = "elsewhere"
        #expect(configuration.deriveFingerprint == before)
        configuration.derive[SubmersionDerivation.self].hysteresisMeters = 0.3
        #expect(configuration.deriveFingerprint != before)
        #expect(configuration.deriveFingerprint.count == 4)
    }
}
