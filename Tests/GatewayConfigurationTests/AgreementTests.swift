import GatewayConfiguration
import Testing

@Suite("Settings that must agree")
struct AgreementTests {
    @Test(
        "A contradiction is reported for the setting that was written",
        arguments: [
            (["mqtt.in.clientID=gateway-out"], "mqtt.in.clientID"),
            (["mqtt.keepAliveSeconds=15"], "mqtt.keepAliveSeconds"),
            (["mqtt.settleTimeoutSeconds=15"], "mqtt.settleTimeoutSeconds"),
            (["mqtt.batchMilliseconds=100", "mqtt.settleTimeoutSeconds=0.1"], "mqtt.settleTimeoutSeconds"),
            (["mqtt.reconnect.initialSeconds=31"], "mqtt.reconnect.initialSeconds"),
            (["mqtt.maximumPacketBytes=262144"], "mqtt.maximumPacketBytes"),
            (["limits.maximumPayloadBytes=299000"], "limits.maximumPayloadBytes"),
            (["mqtt.in.password=x"], "mqtt.in.password"),
            (["derive.depth.enterWaterMeters=1"], "derive.depth.enterWaterMeters"),
            (["derive.swing.minimumRotationRadians=7"], "derive.swing.minimumRotationRadians"),
            (["derive.swing.candidatePeakRadiansPerSecond=1"], "derive.swing.candidatePeakRadiansPerSecond"),
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
            file: nil, overrides: ["mqtt.keepAliveSeconds=1", "mqtt.settleTimeoutSeconds=20"]
        ).problems
        #expect(problems.map(\.keyPath) == ["mqtt.keepAliveSeconds"])
    }

    @Test("Certificates without TLS, or one half of a pair, are problems and not a connection in the clear")
    func certificates() async throws {
        try await TestFiles.withFolder(["ca.pem": "-", "in.pem": "-", "in.key": "-"]) { folder in
            let pair = ["mqtt.in.certificateFile=\(folder)/in.pem", "mqtt.in.keyFile=\(folder)/in.key"]
            let ca = "mqtt.tls.caFile=\(folder)/ca.pem"
            #expect(GatewayConfiguration.load(file: nil, overrides: pair + [ca, "mqtt.tls.enabled=true"]).problems.isEmpty)
            let withoutTLS = GatewayConfiguration.load(file: nil, overrides: pair + [ca]).problems
            #expect(withoutTLS.map(\.keyPath) == ["mqtt.tls.caFile", "mqtt.in.certificateFile"])
            #expect(GatewayConfiguration.load(file: nil, overrides: [pair[1]]).problems.map(\.keyPath) == ["mqtt.in.keyFile"])
        }
        let missing = GatewayConfiguration.load(
            file: nil, overrides: ["mqtt.tls.enabled=true", "mqtt.tls.caFile=/nowhere/ca.pem"])
        #expect(missing.problems.map(\.keyPath) == ["mqtt.tls.caFile"])
    }

    @Test("Without client ids the gateway's name gives both")
    func clientIDs() {
        var configuration = GatewayConfiguration()
        configuration.gateway.name = "pier"
        #expect(configuration.clientID(of: .in) == "pier-in")
        #expect(configuration.clientID(of: .out) == "pier-out")
        configuration.mqtt.out.clientID = "mine"
        #expect(configuration.clientID(of: .out) == "mine")
    }
}
