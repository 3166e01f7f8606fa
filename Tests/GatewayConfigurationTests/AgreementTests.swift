import GatewayConfiguration
import Testing

@Suite("Settings that must agree")
struct AgreementTests {
    @Test(
        "A contradiction is reported for the setting that was written",
        arguments: [
            (["lanes.motion.account.clientID=gateway-out"], "lanes.motion.account.clientID"),
            (["mqtt.out.clientID=gateway-in-safety"], "mqtt.out.clientID"),
            (["lanes.motion.account.clientID=x", "lanes.bulk.account.clientID=x"], "lanes.bulk.account.clientID"),
            (["requests.account.clientID=gateway-in-bulk"], "requests.account.clientID"),
            (["mqtt.keepAliveSeconds=15"], "mqtt.keepAliveSeconds"),
            (["mqtt.publishTimeoutSeconds=15"], "mqtt.publishTimeoutSeconds"),
            (["mqtt.batchMilliseconds=100", "mqtt.publishTimeoutSeconds=0.1"], "mqtt.publishTimeoutSeconds"),
            (["mqtt.reconnect.initialSeconds=31"], "mqtt.reconnect.initialSeconds"),
            (["mqtt.maximumPacketBytes=262144"], "mqtt.maximumPacketBytes"),
            (["limits.maximumPayloadBytes=299000"], "limits.maximumPayloadBytes"),
            (["lanes.motion.account.password=x"], "lanes.motion.account.password"),
            (["derive.depth.enterWaterMeters=1"], "derive.depth.enterWaterMeters"),
        ])
    func contradictions(overrides: [String], keyPath: String) {
        let problems = GatewayConfiguration.load(file: nil, overrides: overrides).problems
        #expect(problems.count == 1)
        #expect(problems.first?.keyPath == keyPath)
        #expect(problems.first?.message.hasPrefix("contradicts ") == true)
    }

    @Test("A contradiction is not reported on top of a value that is wrong by itself")
    func wrongByItself() {
        let problems = GatewayConfiguration.load(
            file: nil, overrides: ["mqtt.keepAliveSeconds=1", "mqtt.publishTimeoutSeconds=20"]
        ).problems
        #expect(problems.map(\.keyPath) == ["mqtt.keepAliveSeconds"])
    }

    @Test("Certificates without TLS, or one half of a pair, are problems and not a connection in the clear")
    func certificates() async throws {
        try await TestFiles.withFolder(["ca.pem": "-", "in.pem": "-", "in.key": "-"]) { folder in
            let pair = ["lanes.safety.account.certificateFile=\(folder)/in.pem", "lanes.safety.account.keyFile=\(folder)/in.key"]
            let ca = "mqtt.tls.caFile=\(folder)/ca.pem"
            #expect(GatewayConfiguration.load(file: nil, overrides: pair + [ca, "mqtt.tls.enabled=true"]).problems.isEmpty)
            let withoutTLS = GatewayConfiguration.load(file: nil, overrides: pair + [ca]).problems
            #expect(withoutTLS.map(\.keyPath) == ["mqtt.tls.caFile", "lanes.safety.account.certificateFile"])
            #expect(
                GatewayConfiguration.load(file: nil, overrides: [pair[1]]).problems.map(\.keyPath) == [
                    "lanes.safety.account.keyFile"
                ])
        }
        let missing = GatewayConfiguration.load(
            file: nil, overrides: ["mqtt.tls.enabled=true", "mqtt.tls.caFile=/nowhere/ca.pem"])
        #expect(missing.problems.map(\.keyPath) == ["mqtt.tls.caFile"])
    }

    @Test("Without client ids the gateway's name gives all")
    func clientIDs() {
        var configuration = GatewayConfiguration()
        configuration.gateway.name = "pier"
        // Names of sessions that brokers keep: a change here loses what is queued for a gateway that is upgraded.
        #expect(
            GatewayConfiguration.Lanes.Name.allCases.map(configuration.sessionID) == [
                "pier-in-safety", "pier-in-motion", "pier-in-bulk",
            ])
        #expect(configuration.clientID(of: .out) == "pier-out")
        configuration.lanes[.safety].account.clientID = "a"
        configuration.lanes[.bulk].account.clientID = "b"
        #expect(GatewayConfiguration.Lanes.Name.allCases.map(configuration.sessionID) == ["a-safety", "a-motion", "b"])
        configuration.mqtt.out.clientID = "mine"
        #expect(configuration.clientID(of: .out) == "mine")
    }

    @Test("A lane without an account of its own has that of the safety lane")
    func accounts() {
        var configuration = GatewayConfiguration()
        configuration.lanes[.safety].account.username = "in"
        configuration.lanes[.bulk].account.username = "bulk"
        #expect(configuration.identity(of: .safety).username == "in")
        #expect(configuration.identity(of: .motion).username == "in")
        #expect(configuration.identity(of: .bulk).username == "bulk")
    }
}
