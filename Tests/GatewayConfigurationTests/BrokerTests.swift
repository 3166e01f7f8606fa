import BrokerTestSupport
import Foundation
import GatewayConfiguration
import Testing

@Suite("The shipped broker configurations", .serialized, .enabled(if: ConfiguredBroker.isInstalled))
struct BrokerTests {
    private static let users = [
        "gateway-in", "gateway-motion", "gateway-bulk", "gateway-out", "gateway-claim", "viewer", "controller", "homeassistant",
        "simulator",
        "gateway-query", "analyst",
        "ultra-1", "pods-7",
    ]

    private static let discovery = "homeassistant/device/fathom_ultra-1/config"

    /// Runs a body with a broker on which every user has the password `secret`.
    private func withPasswordBroker(_ body: (ConfiguredBroker) async throws -> Void) async throws {
        try await ConfiguredBroker.with("mosquitto.conf") { folder in
            try "".write(toFile: "\(folder)/passwords", atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/passwords")
            for user in Self.users { try Tool.run("mosquitto_passwd", ["-b", "\(folder)/passwords", user, "secret"]) }
        } _: {
            try await body($0)
        }
    }

    /// Publishes at QoS 1 on MQTT 5, where a refusal is reported, and returns whether it was accepted.
    private func publish(_ topic: String, as user: String, to broker: ConfiguredBroker, extra: [String] = []) throws -> Bool {
        let outcome = try Tool.run(
            "mosquitto_pub",
            ["-p", "\(broker.port)", "-V", "5", "-q", "1", "-u", user, "-P", "secret", "-t", topic, "-m", "{}"] + extra)
        return outcome.status == 0 && !outcome.output.contains("Not authorized")
    }

    @Test("Each role writes its own topics and no other")
    func writing() async throws {
        try await withPasswordBroker { broker in
            let cases: [(user: String, topic: String, accepted: Bool)] = [
                ("ultra-1", "wearables/pods-7/in/submersion", false), ("ultra-1", "wearables/ultra-1/in/junk", false),
                ("ultra-1", "wearables/ultra-1/out/depth-state", false), ("ultra-1", "fathom/gateway/status", false),
                ("viewer", "wearables/ultra-1/in/command", false), ("viewer", "wearables/ultra-1/out/depth-state", false),
                ("viewer", "wearables/ultra-1/in/submersion", false), ("controller", "wearables/ultra-1/in/command", true),
                ("controller", "wearables/ultra-1/in/submersion", false),
                ("gateway-in", "wearables/ultra-1/in/submersion", false),
                ("gateway-in", "fathom/gateway/status", false), ("gateway-out", "wearables/ultra-1/out/depth-state", true),
                ("gateway-out", "fathom/gateway/status", true), ("gateway-out", "wearables/ultra-1/in/submersion", false),
                ("gateway-claim", "fathom/gateway/claim", true), ("gateway-claim", "fathom/gateway/check/retained", true),
                ("gateway-claim", "fathom/gateway/status", false),
                ("gateway-query", "fathom/gateway/reply/analyst/1", true), ("gateway-query", "fathom/gateway/status", false),
                ("gateway-query", "wearables/ultra-1/out/depth-state", false),
                ("gateway-query", "fathom/gateway/rejected", false),
                ("analyst", "wearables/ultra-1/query/latest", true), ("analyst", "wearables/ultra-1/in/command", false),
                ("analyst", "fathom/gateway/reply/analyst/1", false), ("viewer", "wearables/ultra-1/query/latest", false),
                ("ultra-1", "wearables/ultra-1/query/latest", false), ("ultra-1", "fathom/gateway/reply/ultra-1/1", false),
                ("simulator", "wearables/ultra-1/in/submersion", true), ("simulator", "wearables/ultra-1/out/depth-state", false),
                ("gateway-out", Self.discovery, true), ("gateway-out", "homeassistant/status", false),
                ("homeassistant", "homeassistant/status", true), ("homeassistant", Self.discovery, false),
                ("homeassistant", "wearables/ultra-1/in/command", false), ("ultra-1", Self.discovery, false),
                ("ultra-1", "homeassistant/status", false), ("viewer", "homeassistant/status", false),
            ]
            let streams = GatewayConfiguration.StreamList.all.names.map { ("ultra-1", "wearables/ultra-1/in/\($0)", true) }
            for (user, topic, accepted) in cases + streams {
                let wasAccepted = try publish(topic, as: user, to: broker)
                #expect(wasAccepted == accepted, "\(user) to \(topic)")
            }
        }
    }

    @Test("A device can make the broker retain one message for each stream and nothing else")
    func retaining() async throws {
        try await withPasswordBroker { broker in
            let junk =
                (1...20).flatMap { ["junk-\($0)", "junk/\($0)", "status/\($0)", "submersion/\($0)"] } + ["", "query/latest"]
            for name in junk {
                let wasAccepted = try publish("wearables/ultra-1/in/\(name)", as: "ultra-1", to: broker, extra: ["-r"])
                #expect(!wasAccepted, "\(name)")
            }
            #expect(try publish("wearables/ultra-1/in/status", as: "ultra-1", to: broker, extra: ["-r"]))
            let arguments = [
                "-p", "\(broker.port)", "-u", "gateway-in", "-P", "secret", "-t", "wearables/#", "-W", "1", "-F", "%t",
            ]
            let retained = try Tool.run("mosquitto_sub", arguments).output.split(separator: "\n").filter { $0.contains("/") }
            #expect(retained == ["wearables/ultra-1/in/status"])
        }
    }

    @Test("Each role reads its own topics and no other")
    func reading() async throws {
        try await withPasswordBroker { broker in
            let (input, output, status, rejected) = (
                "wearables/ultra-1/in/status", "wearables/ultra-1/out/depth-state", "fathom/gateway/status",
                "fathom/gateway/rejected"
            )
            let (heartbeat, reply) = ("fathom/gateway/heartbeat/safety", "fathom/gateway/reply/analyst/1")
            let (start, claim) = ("homeassistant/status", "fathom/gateway/claim")
            for (topic, user) in [(input, "ultra-1"), (start, "homeassistant")]
                + [Self.discovery, output, status, rejected, heartbeat, reply, claim].map({ ($0, "gateway-out") })
            {
                let wasAccepted = try publish(topic, as: user, to: broker, extra: ["-r"])
                #expect(wasAccepted)
            }
            let readable = [
                "ultra-1": [output], "pods-7": [], "viewer": [rejected, status, output],
                "controller": [rejected, status, output], "homeassistant": [rejected, status, Self.discovery, start, output],
                "gateway-in": [heartbeat, input], "gateway-motion": [heartbeat, input], "gateway-bulk": [heartbeat, input],
                "gateway-out": [claim, heartbeat, rejected, reply, status, start], "gateway-claim": [claim], "simulator": [],
                "gateway-query": [], "analyst": [reply],
            ]
            let everything = ["-p", "\(broker.port)", "-P", "secret", "-q", "1", "-W", "1", "-F", "%t"]
            let filters = ["-t", "wearables/#", "-t", "fathom/#", "-t", "homeassistant/#"]
            let subscribers = try readable.map {
                (user: $0, topics: $1, tool: try Tool("mosquitto_sub", everything + filters + ["-u", $0]))
            }
            for (user, topics, tool) in subscribers {
                let seen = tool.outcome().output.split(separator: "\n").map(String.init).filter { $0.contains("/") }
                #expect(seen.sorted() == topics, "\(user)")
            }
        }
    }

    @Test("Nobody connects without an account or under another's client id")
    func identity() async throws {
        try await withPasswordBroker { broker in
            let anonymous = ["-p", "\(broker.port)", "-t", "wearables/ultra-1/in/submersion", "-m", "{}"]
            for arguments in [anonymous, anonymous + ["-u", "ultra-1", "-P", "guess"]] {
                let outcome = try Tool.run("mosquitto_pub", arguments)
                #expect(outcome.status != 0)
            }
            let wasAccepted = try publish(
                "wearables/ultra-1/in/submersion", as: "ultra-1", to: broker, extra: ["-i", "gateway-in"])
            #expect(wasAccepted)
            #expect(broker.log.contains("as ultra-1 ("))
            #expect(!broker.log.contains("as gateway-in ("))
        }
    }

    @Test(
        "With TLS the certificate is the identity", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"))
    )
    func certificates() async throws {
        try await ConfiguredBroker.with("mosquitto-tls.conf") { folder in
            try TestCertificates.make(
                in: URL(filePath: "\(folder)/certs"), ["broker", "ultra-1"].map { ($0, $0, "subjectAltName=IP:127.0.0.1") })
        } _: { broker in
            func publish(_ topic: String, _ certificate: [String]) throws -> Bool {
                let outcome = try Tool.run(
                    "mosquitto_pub",
                    ["-h", "127.0.0.1", "-p", "\(broker.port)", "-V", "5", "-q", "1", "-t", topic, "-m", "{}"]
                        + ["--cafile", "\(broker.folder)/certs/ca.crt", "-i", "gateway-in"] + certificate)
                return outcome.status == 0 && !outcome.output.contains("Not authorized")
            }
            let device = ["--cert", "\(broker.folder)/certs/ultra-1.crt", "--key", "\(broker.folder)/certs/ultra-1.key"]
            let accepted = [
                try publish("wearables/ultra-1/in/submersion", device), try publish("wearables/pods-7/in/submersion", device),
                try publish("wearables/ultra-1/in/submersion", []),
            ]
            #expect(accepted == [true, false, false])
            #expect(broker.log.contains("as ultra-1 ("))
        }
    }
}
