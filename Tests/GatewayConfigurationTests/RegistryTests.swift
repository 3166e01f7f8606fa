import GatewayConfiguration
import TelemetryModel
import Testing

@Suite("The registry of devices")
struct RegistryTests {
    @Test("The shipped registry lists the demo fleet")
    func shipped() throws {
        let (loaded, problems) = GatewayConfiguration.load(file: TestFiles.path("config/fathom.yaml")).configuration
            .loadRegistry()
        #expect(problems.isEmpty)
        let registry = try #require(loaded)
        #expect(registry.unknownDevices == .deny)
        #expect(registry.devices.keys.sorted() == ["batter-1", "pods-1", "runner-1", "ultra-1", "watch-1"])
        #expect(registry.policy(for: "pods-1")?.streams == ["headphone-motion", "headphone-connection"])
        #expect(registry.policy(for: "batter-1")?.session == .required)
        #expect(registry.policy(for: "batter-1")?.wrist == .right)
        #expect(registry.policy(for: "ultra-1")?.entitlement == .shallow)
        #expect(registry.policy(for: "ultra-1")?.model == "Watch6,18")
        #expect(registry.policy(for: "watch-1")?.entitlement == .notEntitled)
        #expect(registry.policy(for: "stranger") == nil)
    }

    @Test("A device's policy takes what it leaves unset from the defaults, key by key")
    func merging() throws {
        let text = """
            defaults: {entitlement: shallow, authorization: authorized, available: {altimeter: false, pedometer: false}}
            devices:
              d1: {available: {altimeter: true}, entitlement: full, os: watchOS 10.4, trustDeviceClaims: true}
              d2:
            """
        let registry = try #require(Registry.load(text: text).registry)
        let first = try #require(registry.policy(for: "d1"))
        #expect(first.available[.altimeter] == true)
        #expect(first.available[.pedometer] == false)
        #expect(first.available[.deviceMotion] == nil)
        #expect(first.authorization == .authorized)
        #expect(first.entitlement == .full)
        #expect(first.entitlementIsExplicit)
        #expect(first.os == "watchOS 10.4")
        let second = try #require(registry.policy(for: "d2"))
        #expect(second.entitlement == .shallow)
        #expect(!second.entitlementIsExplicit)
        #expect(second.trustDeviceClaims == nil)
    }

    @Test("An entitlement is a depth, or a list of one and movementDisorder")
    func entitlements() throws {
        let text = """
            defaults: {entitlement: [movementDisorder]}
            devices:
              d1: {entitlement: [full, movementDisorder]}
              d2: {entitlement: shallow}
              d3: {entitlement: [none]}
              d4:
            """
        let registry = try #require(Registry.load(text: text).registry)
        let first = try #require(registry.policy(for: "d1"))
        #expect(first.entitlement == .full && first.entitlementIsExplicit && first.movementDisorder == true)
        let second = try #require(registry.policy(for: "d2"))
        #expect(second.entitlement == .shallow && second.movementDisorder == true, "the defaults hold key by key")
        let third = try #require(registry.policy(for: "d3"))
        #expect(third.entitlement == .notEntitled && third.movementDisorder == false)
        let fourth = try #require(registry.policy(for: "d4"))
        #expect(fourth.entitlement == nil && !fourth.entitlementIsExplicit && fourth.movementDisorder == true)
        #expect(Registry.load(text: "devices: {d1: {entitlement: [shallow, full]}}").problems.count == 1)
        #expect(Registry.load(text: "devices: {d1: {entitlement: [deep]}}").problems.count == 1)
        #expect(Registry.load(text: "devices: {d1: {entitlement: deep}}").problems.count == 1)
    }

    @Test("Allowed unknown devices may do everything, whatever the defaults are")
    func unknownDevices() throws {
        let registry = try #require(Registry.load(text: "{unknownDevices: allow, defaults: {authorization: denied}}").registry)
        let policy = try #require(registry.policy(for: "stranger"))
        #expect(policy.authorization == .authorized)
        #expect(policy.entitlement == .full)
        #expect(policy.session == .notRequired)
        #expect(Capability.allCases.allSatisfy { policy.available[$0] == true })
    }

    @Test("The configuration's setting of unknown devices overrides the file's, and without a file no device is known")
    func override() async throws {
        #expect(GatewayConfiguration().loadRegistry().registry == Registry())
        try await TestFiles.withFolder(["registry.yaml": "unknownDevices: allow"]) { folder in
            let overrides = ["registry.file=\(folder)/registry.yaml", "registry.unknownDevices=deny"]
            let configuration = GatewayConfiguration.load(file: nil, overrides: overrides).configuration
            #expect(configuration.loadRegistry().registry?.unknownDevices == .deny)
        }
    }

    @Test("All problems come at once, and a registry with any is none")
    func problems() {
        let (registry, problems) = Registry.load(
            text: """
                unknownDevice: deny
                unknownDevices: maybe
                defaults: {entitlement: null}
                devices:
                  a/b: {}
                  d1: {streams: [headphone-motions, command, command], available: {barometer: true, pedometer: yes}}
                  d2: {authorization: 3, wrists: left, model: {}}
                  d3: denied
                """)
        #expect(registry == nil)
        #expect(
            problems.map { "\($0.keyPath):\($0.line ?? 0): \($0.message)" } == [
                "unknownDevice:1: is not a key of the registry; did you mean unknownDevices?",
                #"unknownDevices:2: must be deny or allow, is "maybe""#,
                "defaults.entitlement:3: must be none or shallow or full, is null",
                #"devices:5: has an id that is not 1 to 64 of A-Z a-z 0-9 _ -: "a/b""#,
                #"devices.d1.streams:6: lists "headphone-motions", which is not a stream; did you mean headphone-motion?"#,
                "devices.d1.streams:6: lists command more than once",
                "devices.d1.available.barometer:6: is not a key of the registry",
                #"devices.d1.available.pedometer:6: must be true or false, is "yes""#,
                #"devices.d2.authorization:7: must be notDetermined or restricted or denied or authorized, is "3""#,
                "devices.d2.wrists:7: is not a key of the registry; did you mean wrist?",
                "devices.d2.model:7: must be a text, is a mapping",
                "devices.d3:8: must hold keys and values, is a single value",
            ])
    }

    @Test("A device that is listed twice does not hide the other problems, nor move their lines")
    func repeatedDevice() {
        let text = """
            devices:
              a: { wrist: up }
              "b":
                streams: [status]
              c: {}
              b:
                wrist: up
              c:

                # again
                model: {}
              d: { model: {} }
            defaults: {}
            defaults: {}
            """
        let problems = Registry.load(text: text).problems
        #expect(
            problems.map { "\($0.keyPath):\($0.line ?? 0): \($0.message)" }.sorted() == [
                "b:6: appears more than once in its section", "c:8: appears more than once in its section",
                "defaults:14: appears more than once in its section",
                #"devices.a.wrist:2: must be left or right, is "up""#, "devices.d.model:12: must be a text, is a mapping",
            ])
    }

    @Test(
        "A half-written, repeated or missing registry is a problem",
        arguments: ["", "# devices\n", "devices: {d1: {}, d1: {}}", "[d1]", "devices: ["])
    func broken(text: String) {
        let (registry, problems) = Registry.load(text: text)
        #expect(registry == nil)
        #expect(problems.count == 1)
        #expect(Registry.load(file: "/nowhere/registry.yaml").problems.count == 1)
    }
}
