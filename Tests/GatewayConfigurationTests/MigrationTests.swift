import GatewayConfiguration
import GatewayPipeline
import Testing

@Suite("Migration of a configuration file")
struct MigrationTests {
    private func migrate(_ yaml: String) -> (text: String?, problems: [ConfigurationProblem]) {
        ConfigurationMigration.migrate(text: yaml, name: "fathom.yaml")
    }

    private func load(_ yaml: String) async throws -> (configuration: GatewayConfiguration, problems: [ConfigurationProblem]) {
        try await TestFiles.withFolder(["fathom.yaml": yaml]) { GatewayConfiguration.load(file: "\($0)/fathom.yaml") }
    }

    @Test("A file of an earlier version is migrated with the same meaning")
    func values() async throws {
        let old = try TestFiles.text("Tests/Fixtures/fathom-890065c.yaml")
        #expect(try await load(old).problems.isEmpty == false)
        let text = try #require(migrate(old).text)
        let (configuration, problems) = try await load(text)
        var expected = GatewayConfiguration()
        expected.mqtt.host = "broker.pool.example"
        expected.mqtt.publishTimeoutSeconds = 8
        expected.mqtt.out.username = "gateway-out"
        expected.lanes[.safety].account.username = "pool-in"
        expected.lanes[.safety].account.password = Secret("0815: #1")
        expected.lanes[.safety].streams = .init(names: ["submersion", "status", "workout", "command"])
        expected.lanes[.motion].account.username = "pool-motion"
        expected.lanes[.motion].account.password = Secret("secret")
        expected.lanes[.motion].streams = .init(names: [
            "headphone-motion", "headphone-connection", "device-motion", "pedometer", "altimeter", "batched-imu",
            "recorded-accelerometer", "movement-disorder",
        ])
        expected.lanes[.bulk].account.username = "pool-bulk"
        expected.lanes[.bulk].account.password = Secret("0816")
        expected.lanes[.bulk].streams = .init(names: [])
        expected.gateway.idleStateSeconds = 60
        expected.gateway.publishCommitted = true
        // The defaults of the file's version, which it states.
        expected.gateway.reportUnknownStreams = true
        expected.lanes[.safety].checkpointMilliseconds = 0
        expected.derive[SubmersionDerivation.self].refreshSeconds = 0
        expected.derive[HeadphoneConnectionDerivation.self].silenceSeconds = 3
        expected.derive[HeadPoseDerivation.self].rateHertz = 20
        #expect(problems.isEmpty, "\(problems)")
        #expect(configuration == expected)
    }

    @Test("Comments and everything that keeps its name stay, in their order")
    func layout() throws {
        let old = try TestFiles.text("Tests/Fixtures/fathom-890065c.yaml")
        let text = try #require(migrate(old).text)
        func comments(_ text: String) -> [String] {
            text.split(separator: "\n").compactMap { line in line.firstIndex(of: "#").map { String(line[$0...]) } }.sorted()
        }
        // Only "workers" goes, and with it the comment on it.
        #expect(comments(text) == comments(old).filter { !$0.hasPrefix("# How many workers share the devices") })
        let lines = text.split(separator: "\n").map(String.init)
        for line in [
            "  host: broker.pool.example   # the pool's own", "    # Ask Kim before changing the accounts.", "    account:",
            "      username: pool-in # not gateway-in", "    account: { username: pool-bulk, password: '0816' }",
            "    streams: [submersion, status, workout, command]   # commands with the depth", "    streams: []",
            "  publishCommitted: true # the watches keep their frames", "  idleStateSeconds: 60",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test(
        "What has no old name in it stays as it is",
        arguments: [
            "", "# nothing\n", "mqtt:\n  host:   a # b\n\n\n  port: 1\nunknown: [1, {a: b}]\n", "{mqtt: {host: a}}",
            "mqtt: {host: a}\r\ngateway:\r\n",
        ])
    func untouched(yaml: String) {
        #expect(migrate(yaml).text == yaml)
    }

    @Test("The shipped file stays as it is")
    func shipped() throws {
        let shipped = try TestFiles.text("config/fathom.yaml")
        #expect(migrate(shipped).text == shipped)
    }

    @Test("Every old name becomes the new one with its value, in lines and in braces", arguments: Rename.settings)
    func everyName(rename: Rename) async throws {
        let value = RenameTests.value(rename.new ?? "")
        let keys = rename.old.split(separator: ".").map(String.init)
        let lines = keys.enumerated().map { String(repeating: "  ", count: $0.offset) + "\($0.element):" }.joined(separator: "\n")
        let braces = keys.dropFirst().map { "{\($0): " }.joined() + value + String(repeating: "}", count: keys.count - 1)
        for yaml in ["\(lines) \(value)\n", "\(keys[0]): \(braces)\n", "{\(keys[0]): \(braces)}\n"] {
            let text = try #require(migrate(yaml).text, "\(yaml)")
            let migrated = try await load(text)
            let direct = GatewayConfiguration.load(file: nil, overrides: rename.new.map { ["\($0)=\(value)"] } ?? [])
            #expect(migrated.configuration == direct.configuration, "\(text)")
            #expect(migrated.problems.map(\.keyPath) == direct.problems.map(\.keyPath), "\(text)")
        }
    }

    @Test("A moved section takes its comments along and goes behind what is in its new place")
    func moved() {
        let old = """
            mqtt:
              host: a
              # who
              in:
                # the user
                username: u   # mine

              # another
              port: 1
            # the lanes
            lanes:
                motion:
                    checkpointFrames: 5

            # the rest
            gateway: {name: g}
            """
        #expect(
            migrate(old).text == """
                mqtt:
                  host: a

                  # another
                  port: 1
                # the lanes
                lanes:
                    motion:
                        checkpointFrames: 5
                    safety:
                      # who
                      account:
                        # the user
                        username: u   # mine

                # the rest
                gateway: {name: g}
                """)
    }

    @Test("Sections that are missing are added at the end, line ends stay")
    func added() {
        #expect(
            migrate("mqtt:\r\n  in:\r\n    username: u\r\n").text
                == "mqtt:\r\n\r\nlanes:\r\n  safety:\r\n    account:\r\n      username: u\r\n")
    }

    @Test("A file with an old name and the new one beside it is a problem, with its line")
    func both() {
        let (text, problems) = migrate("gateway:\n  evictSeconds: 5\n  idleStateSeconds: 6\n")
        #expect(text == nil)
        #expect(
            problems.map { "\($0)" } == [
                "fathom.yaml:2: gateway.evictSeconds: is now gateway.idleStateSeconds, which is there too"
            ])
    }

    @Test(
        "What is no YAML, and a layout that cannot be rewritten, are problems",
        arguments: [
            "mqtt: [", "mqtt:\n  in: &a\n    username: u\n  motion: *a\nlanes: ~\n",
        ])
    func problems(yaml: String) {
        let (text, problems) = migrate(yaml)
        #expect(text == nil)
        #expect(problems.count == 1)
    }
}
