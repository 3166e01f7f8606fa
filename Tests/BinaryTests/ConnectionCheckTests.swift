import Foundation
import LocalBroker
import Testing

@Suite("check --connect names what to change", .serialized)
struct ConnectionCheckTests {
    private func problems(of setUp: SetUp, set: [String] = []) async throws -> [String] {
        let outcome = try await setUp.check(set: set)
        #expect(outcome.status == 1, "\(outcome.output)")
        return outcome.output.split(separator: "\n").map(String.init).filter { $0.hasPrefix("problem: ") }
    }

    @Test(
        "A wrong password: the account's setting",
        arguments: [("gateway-motion", "lanes.motion"), ("gateway-out", "mqtt.out")])
    func password(account: String, section: String) async throws {
        try await SetUp.with { setUp in
            try "wrong\n".write(toFile: setUp.path("secrets/\(account)"), atomically: false, encoding: .utf8)
            let found = try await problems(of: setUp)
            #expect(found.count == 1, "\(found)")
            let setting = section == "mqtt.out" ? "mqtt.out.passwordFile" : "lanes.motion.account.passwordFile"
            #expect(found.first?.hasPrefix("problem: \(section): ") == true && found.first?.contains(setting) == true, "\(found)")
        }
    }

    @Test("An account without a password")
    func noPassword() async throws {
        try await SetUp.with { setUp in
            let text = try String(contentsOfFile: setUp.path("fathom.yaml"), encoding: .utf8)
            try text.replacing(", passwordFile: secrets/gateway-in", with: "")
                .write(toFile: setUp.path("fathom.yaml"), atomically: false, encoding: .utf8)
            let found = try await problems(of: setUp)
            #expect(found.first?.contains("set lanes.safety.account.passwordFile") == true, "\(found)")
        }
    }

    @Test(
        "A line that the ACL lacks: the line and its place",
        arguments: [
            ("gateway-out", "wearables/+/out", "topic write wearables/+/out/#"),
            ("gateway-bulk", "wearables/+/in", "topic read wearables/+/in/#"),
            ("gateway-in", "heartbeat", "topic read fathom/+/heartbeat/#"),
            ("gateway-query", "reply", "topic write fathom/+/reply/#"),
            ("gateway-claim", "claim", "topic readwrite fathom/+/claim"),
        ])
    func accessList(user: String, removed: String, line: String) async throws {
        try await SetUp.with(acl: { Self.removing(removed, of: user, from: $0) }) { setUp in
            let found = try await problems(of: setUp)
            #expect(found.count == 1, "\(found)")
            #expect(found.first?.contains("\"\(line)\" below \"user \(user)\"") == true, "\(found)")
        }
    }

    /// The ACL without the lines of a user that name a topic.
    private static func removing(_ topic: String, of user: String, from text: String) -> String {
        var current = ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            if line.hasPrefix("user ") { current = String(line.dropFirst(5)) }
            return current != user || !line.hasPrefix("topic ") || !line.contains(topic)
        }.joined(separator: "\n")
    }

    @Test("With discovery on, the line that its messages need")
    func discovery() async throws {
        try await SetUp.with(acl: { Self.removing("homeassistant/device", of: "gateway-out", from: $0) }) { setUp in
            #expect(try await setUp.check().status == 0)
            let found = try await problems(of: setUp, set: ["homeassistant.discovery=true"])
            #expect(found.count == 1, "\(found)")
            let line = "\"topic write homeassistant/device/+/config\" below \"user gateway-out\""
            #expect(found.first?.contains(line) == true, "\(found)")
        }
    }

    @Test(
        "Any two lanes of one account are compared: the second of them",
        arguments: [("gateway-motion", "is that of lanes.motion"), (nil, "is not set")])
    func sharing(account: String?, text: String) async throws {
        try await SetUp.with { setUp in
            let file = setUp.path("fathom.yaml")
            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            let changed = lines.compactMap { line in
                guard line.hasPrefix("  bulk: ") else { return String(line) }
                return account.map { String(line.replacing("gateway-bulk", with: $0)) }
            }
            try changed.joined(separator: "\n").write(toFile: file, atomically: false, encoding: .utf8)
            let outcome = try await setUp.check()
            #expect(outcome.status == 0, "\(outcome.output)")
            let notes = outcome.output.split(separator: "\n").filter { $0.hasPrefix("note: ") }
            #expect(notes.count == 1 && notes[0].hasPrefix("note: lanes.bulk.account: \(text)"), "\(outcome.output)")
        }
    }

    @Test("A gateway of the name that runs is found whenever it claimed the name last, and nothing else is tried")
    func running() async throws {
        try await SetUp.with { setUp in
            let gateway = try FathomProcess(["run", "--config", setUp.path("fathom.yaml")])
            #expect(try await setUp.waitForStatus(#""ingress":"connected""#))
            for _ in 0..<8 {
                let outcome = try await setUp.check(set: ["gateway.stateDirectory=\(setUp.path("other"))"])
                #expect(outcome.output.contains("another gateway called gateway is running"), "\(outcome.output)")
            }
            #expect(!gateway.errors.contains("disconnected"), "\(gateway.errors)")
            _ = try await gateway.terminate()
        }
    }

    @Test("No broker, TLS against a listener without it, the reverse, and a foreign authority")
    func transport() async throws {
        try await SetUp.with { setUp in
            let closed = try await problems(of: setUp, set: ["mqtt.port=1"])
            #expect(closed.allSatisfy { $0.contains("mqtt.host (127.0.0.1) and mqtt.port (1)") }, "\(closed)")
            #expect(closed.count == 6)
            let plain = try await problems(of: setUp, set: ["mqtt.port=\(setUp.tlsPort)"])
            #expect(plain.allSatisfy { $0.contains("needs mqtt.tls.enabled") }, "\(plain)")
            let tls = ["mqtt.tls.enabled=true", "mqtt.port=\(setUp.tlsPort)"]
            let foreign = try await problems(of: setUp, set: tls)
            #expect(foreign.allSatisfy { $0.contains("mqtt.tls.caFile") && $0.contains("a listener with TLS") }, "\(foreign)")
            let good = try await setUp.check(set: tls + ["mqtt.tls.caFile=\(setUp.path("certs/ca.crt"))"])
            #expect(good.status == 0, "\(good.output)")
        }
    }

    @Test("Several brokers: each is tried, and the rest of the checks is made where one can be reached")
    func brokers() async throws {
        try await SetUp.with { setUp in
            let outcome = try await setUp.check(set: ["mqtt.host=127.0.0.1:1,127.0.0.1"])
            #expect(outcome.status == 1)
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("problem: mqtt.claim: 127.0.0.1:1: cannot connect") }, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("ok: mqtt.claim: connected to 127.0.0.1:\(setUp.port)") }, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("ok: lanes.safety: connected to 127.0.0.1:\(setUp.port)") }, "\(lines)")
            #expect(lines.last == "1 problem")
        }
    }

    @Test("What the broker does: each line for mosquitto with the shipped configuration")
    func broker() async throws {
        try await SetUp.with { setUp in
            func lines(_ set: [String]) async throws -> [String] {
                try await setUp.check(set: set).output.split(separator: "\n").map(String.init).filter {
                    $0.contains(": broker: ")
                }
            }
            let retained = "ok: broker: retained messages are delivered to a subscription with a wildcard"
            let session = "ok: broker: a session is resumed, with what was published meanwhile"
            let new = try await lines([])
            #expect(
                new == [
                    "ok: broker: MQTT 5, sessions are kept for 86400 s", retained,
                    "ok: broker: a retained message is removed when it expires", session,
                    "ok: broker: unacknowledged frames come again at once, in order",
                    "ok: broker: 200 of 220 frames come before the first is acknowledged",
                ])
            let old = try await lines(["mqtt.version=3.1.1", "mqtt.redeliverySeconds=5"])
            #expect(
                old == [
                    retained, session,
                    "ok: broker: unacknowledged frames come again at once, in order: mqtt.redeliverySeconds may be 0",
                    "ok: broker: 40 of 40 frames come before the first is acknowledged",
                ])
        }
    }

    @Test("Without the line of the ACL a note names it, and the rest is checked", arguments: ["5", "3.1.1"])
    func untried(version: String) async throws {
        try await SetUp.with(acl: { Self.removing("check", of: "gateway-claim", from: $0) }) { setUp in
            let outcome = try await setUp.check(set: ["mqtt.version=\(version)"])
            #expect(outcome.status == 0, "\(outcome.output)")
            let line = "add \"topic write fathom/+/check/#\" below \"user gateway-claim\" in the broker's ACL"
            let notes = outcome.output.split(separator: "\n").filter { $0.hasPrefix("note: broker: was not tried: ") }
            #expect(notes.count == 1 && notes[0].hasSuffix(line), "\(outcome.output)")
        }
    }

    @Test("A state directory that cannot be used: the setting, in check and in run")
    func stateDirectory() async throws {
        try await SetUp.with { setUp in
            for path in ["\(setUp.path("acl"))", "/proc/none/state"] {
                let found = try await problems(of: setUp, set: ["gateway.stateDirectory=\(path)"])
                #expect(found.count == 1 && found[0].hasPrefix("problem: gateway.stateDirectory: \(path) "), "\(found)")
                let run = try await FathomProcess.run(
                    ["run", "--config", setUp.path("fathom.yaml"), "--set", "gateway.stateDirectory=\(path)"])
                #expect(run.status != 0 && run.errors.contains("gateway.stateDirectory: \(path)"), "\(run.errors)")
            }
        }
    }

    @Test("Nothing of the check stays: no retained message, and nothing that is delivered to the gateway later")
    func leavesNothing() async throws {
        try await SetUp.with { setUp in
            let checked = try await setUp.check()
            #expect(checked.status == 0)
            let retained = try Tool(
                "mosquitto_sub",
                [
                    "-p", "\(setUp.port)", "-u", "viewer", "-P", setUp.password(of: "viewer"), "-t", "#", "-W", "1",
                    "--retained-only", "-v",
                ]
            ).outcome()
            #expect(retained.output.contains("Timed out") || retained.output.isEmpty, "\(retained.output)")
            // The account with which the broker was tried: its session is gone, and no message for a subscription made now.
            let out = ["-p", "\(setUp.port)", "-u", "gateway-out", "-P", try setUp.password(of: "gateway-out")]
            let left = try Tool(
                "mosquitto_sub", out + ["-t", "fathom/+/check/#", "-W", "1", "-v", "-c", "-i", "gateway-out", "-q", "1"])
            #expect(!left.outcome().output.contains("check/"), "\(left.output)")
            #expect(!FileManager.default.fileExists(atPath: setUp.path("state/lock")))
        }
    }
}
