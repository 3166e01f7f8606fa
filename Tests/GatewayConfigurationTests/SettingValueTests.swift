import GatewayConfiguration
import GatewayPipeline
import Testing

@Suite("Values as they are written")
struct SettingValueTests {
    private func problems(_ yaml: String) async throws -> [String] {
        try await TestFiles.withFolder(["fathom.yaml": yaml]) { folder in
            GatewayConfiguration.load(file: "\(folder)/fathom.yaml").problems.map(\.keyPath)
        }
    }

    @Test(
        "What is not plainly the value that a setting takes is a problem",
        arguments: [
            ("limits", "reorderSeconds", "\"5\""), ("limits", "reorderSeconds", ".inf"), ("limits", "reorderSeconds", ".nan"),
            ("limits", "reorderSeconds", "nan"), ("limits", "reorderSeconds", "0x5"), ("limits", "reorderSeconds", "1e999"),
            ("limits", "reorderSeconds", "-0.1"), ("limits", "reorderSeconds", "1_0"), ("limits", "reorderSeconds", "5 s"),
            ("limits", "reorderFrames", "64.0"), ("limits", "reorderFrames", "010"),
            ("limits", "reorderFrames", "99999999999999999999"),
            ("mqtt", "version", "4"), ("mqtt", "version", "v5"), ("mqtt", "host", "\"\""), ("mqtt", "host", "mqtt://broker"),
            ("mqtt", "host", "a,,b"), ("mqtt", "host", "a:0"), ("mqtt", "host", "\"a:\""), ("mqtt", "host", "\"[::1]x\""),
            ("mqtt", "host", "a b"), ("mqtt", "host", "\"a,\""),
            ("mqtt", "tls", "{enabled: yes}"), ("mqtt", "tls", "{enabled: \"true\"}"), ("mqtt", "tls", "{enabled: 1}"),
            ("registry", "unknownDevices", "Allow"), ("registry", "unknownDevices", "true"), ("gateway", "root", "wearables/#"),
            ("gateway", "root", "/wearables"), ("gateway", "root", "a/+"), ("gateway", "root", "$SYS"),
            ("gateway", "mountPrefix", "part+"), ("gateway", "partition", "4/4"), ("gateway", "partition", "3"),
            ("gateway", "name", "a-{partition}"), ("gateway", "mountPrefix", "part/{partition}"),
            ("gateway", "name", "a/b"), ("gateway", "name", "é"), ("gateway", "idleStateSeconds", "0"),
            ("derive", "stroke", "{streams: pedometer}"), ("derive", "stroke", "{streams: [pedometer, [a]]}"),
            ("derive", "stroke", "{streams: [pedometr]}"), ("derive", "stroke", "{streams: [pedometer, pedometer]}"),
            ("derive", "stroke", "{streams: }"), ("mqtt", "qos0Kinds", "attitude"), ("mqtt", "qos0Kinds", "[attitud]"),
            ("mqtt", "qos0Kinds", "[access/submersion]"),
        ])
    func refused(section: String, key: String, value: String) async throws {
        let problems = try await problems("\(section):\n  \(key): \(value)")
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("\(section).\(key)") == true)
    }

    @Test(
        "What is plainly the value is taken",
        arguments: [
            "limits: {reorderSeconds: 5}", "limits: {reorderSeconds: 5e0}", "limits: {reorderSeconds: +.5}", "mqtt: {version: 5}",
            "mqtt: {version: \"5\"}", "mqtt: {version: 3.1.1}", "gateway: {name: 42}", "gateway: {name: yes}",
            "gateway: {root: site/wearables}", "gateway: {mountPrefix: part/+}",
            "gateway: {partition: 0-15/64, name: \"g-{partition}\", mountPrefix: \"part/{partition}\"}",
            "mqtt: {out: {username: u, password: 0123}}", "mqtt: {qos0Kinds: []}",
        ])
    func taken(yaml: String) async throws {
        #expect(try await problems(yaml).isEmpty)
    }

    @Test("A kind may be lost where neither broker nor gateway keeps its messages, and no other", arguments: KindDescription.all)
    func lost(kind: KindDescription) async throws {
        #expect(try await problems("mqtt: {qos0Kinds: [\"\(kind.name)\"]}").isEmpty == kind.mayBeLost)
        #expect(!kind.mayBeLost || !kind.isRetained)
        let names = KindDescription.all.filter(\.mayBeLost).map(\.name)
        #expect(!names.isEmpty && !names.contains { ["depth-state", "dive", "trace/swing", "impact"].contains($0) })
    }

    @Test(
        "Brokers with and without ports, in the order in which they are tried",
        arguments: [
            ("broker.pool.example", ["broker.pool.example 1883"]), ("::1", ["::1 1883"]), ("[::1]:1884", ["::1 1884"]),
            ("nats-1, nats-2:1884,[fe80::1]", ["nats-1 1883", "nats-2 1884", "fe80::1 1883"]),
        ])
    func brokers(text: String, expected: [String]) {
        let (configuration, problems) = GatewayConfiguration.load(file: nil, environment: ["FATHOM_MQTT_HOST": text])
        #expect(problems.isEmpty)
        #expect(configuration.mqtt.brokers.map { "\($0.host) \($0.port)" } == expected)
        #expect(GatewayConfiguration.load(file: nil, overrides: ["mqtt.host=\(text)"]).configuration.mqtt == configuration.mqtt)
    }

    @Test("{partition} stands for the partitions in the name and the state directory, and for each in the mount prefix")
    func partitions() async throws {
        let yaml = """
            gateway:
              partition: 0-1,3/64
              name: wearables-{partition}
              stateDirectory: state-{partition}
              mountPrefix: part/{partition}
            """
        try await TestFiles.withFolder(["fathom.yaml": yaml]) { folder in
            let (configuration, problems) = GatewayConfiguration.load(file: "\(folder)/fathom.yaml")
            #expect(problems.isEmpty)
            #expect(configuration.gateway.name == "wearables-0-1_3")
            #expect(configuration.gateway.stateDirectory == "\(folder)/state-0-1_3")
            #expect(configuration.gateway.prefixes == ["part/0/wearables", "part/1/wearables", "part/3/wearables"])
        }
    }

    @Test("A text keeps the digits it was written with")
    func literal() async throws {
        try await TestFiles.withFolder(["fathom.yaml": "mqtt: {out: {username: u, password: 0123}}"]) { folder in
            let configuration = GatewayConfiguration.load(file: "\(folder)/fathom.yaml").configuration
            #expect(configuration.mqtt.out.password?.reveal == "0123")
        }
    }
}
