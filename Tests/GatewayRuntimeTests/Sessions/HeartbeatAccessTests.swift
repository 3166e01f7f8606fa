import Foundation
import GatewayConfiguration
import Testing

@testable import GatewayRuntime

@Suite("The broker's permission for heartbeats")
struct HeartbeatAccessTests {
    @Test(
        "the named lines are those of the shipped ACL",
        arguments: [
            ("gateway-in", HeartbeatAccess.reading), ("gateway-motion", HeartbeatAccess.reading),
            ("gateway-bulk", HeartbeatAccess.reading), ("gateway-out", HeartbeatAccess.publishing),
            ("gateway-claim", ClaimAccess.line), ("gateway-claim", CheckAccess.line),
        ])
    func shipped(user: String, line: String) throws {
        let file = URL(filePath: #filePath).appending(path: "../../../../config/acl").standardizedFileURL
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let block = lines.drop { $0 != "user \(user)" }.dropFirst().prefix { !$0.hasPrefix("user ") }
        #expect(block.contains(line))
    }

    @Test("the advice names the line and the account")
    func advice() {
        var identity = GatewayConfiguration.MQTT.Identity()
        #expect(HeartbeatAccess.advice("L", for: identity).contains("clients without an account"))
        identity.certificateFile = "/etc/in.crt"
        #expect(
            HeartbeatAccess.advice("L", for: identity)
                == "add \"L\" for the user of the certificate /etc/in.crt in the broker's ACL")
        identity.username = "gateway-in"
        #expect(HeartbeatAccess.advice("L", for: identity) == "add \"L\" below \"user gateway-in\" in the broker's ACL")
    }
}
