import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Mosquitto
import TelemetryModel
import Testing

@Suite("Dead letters")
struct DeadLetterTests {
    private let directory: TemporaryDirectory
    private var state: String { "gateway.stateDirectory=\(directory.path("state"))" }

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ arguments: String...) async throws -> FathomProcess.Outcome {
        try await FathomProcess.run(["deadletters"] + arguments)
    }

    /// Puts frames into the folder as the gateway does.
    private func keep(_ messages: [RecordedMessage]) throws {
        try FileManager.default.createDirectory(
            atPath: directory.path("state/deadletters"), withIntermediateDirectories: true)
        for (index, message) in messages.enumerated() {
            let line = String(decoding: message.line, as: UTF8.self) + "\n"
            try directory.write(line, to: "state/deadletters/176374900\(index)000-safety.ndjson")
        }
    }

    /// A broker on whose `in` topics what is published is collected while `body` runs.
    private func collecting(
        _ count: Int, on broker: BrokerProcess, _ body: () async throws -> Void
    ) async throws -> [MQTTMessage] {
        var configuration = GatewayFixture.connection(broker, "collector")
        configuration.subscriptions = [.init("wearables/+/in/#")]
        let client = BrokerClient(configuration)
        try await client.run {
            try await body()
            try await eventually("all have come") { client.received.count >= count }
        }
        return client.received
    }

    @Test("list prints name, time, lane, subject and size, oldest first")
    func list() async throws {
        var device = TestDevice()
        let frame = device.depth(3, uptime: 100)
        var stray = device.raw("submersion", at: 1_763_749_001, "x")
        stray.message.topic = "elsewhere/at/all"
        try keep([frame, stray])
        let outcome = try await run("list", "--set", state)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.output == """
                1763749000000-safety  2025-11-21T16:55:00Z  safety  d1/submersion  \(frame.message.payload.count) bytes
                1763749001000-safety  2025-11-21T18:16:41Z  safety  elsewhere/at/all  1 bytes

                """)
        let none = try await run("list", "--set", "gateway.stateDirectory=\(directory.path("other"))")
        #expect(none.status == 0)
        #expect(none.output.isEmpty)
    }

    @Test("show prints a frame as a line of a recording, and replay takes names and recordings")
    func showAndReplay() async throws {
        var device = TestDevice()
        try keep([device.depth(3, uptime: 100), device.depth(7, uptime: 101)])
        let shown = try await run("show", "1763749000000-safety", "--set", state)
        #expect(shown.status == 0)
        #expect(try RecordedMessage(line: Array(shown.output.utf8).dropLast()[...]).message.topic == "wearables/d1/in/submersion")

        let recording = try directory.write(shown.output, to: "recording")
        let recorded = try await FathomProcess.run(["replay", recording])
        let replayed = try await run("replay", "1763749000000-safety", "--set", state)
        #expect(replayed.status == 0)
        #expect(replayed.output == recorded.output)
        #expect(replayed.output.contains("/out/depth-state"))
        let all = try await run("replay", "--all", "--set", state)
        #expect(all.output.hasPrefix(replayed.output))
        #expect(all.output.contains(#""depth":7"#))
        #expect(try await run("list", "--set", state).output.split(separator: "\n").count == 2)
    }

    @Test("list and show print no character that a terminal could act on, and show prints what replay reads as the same frame")
    func escaped() async throws {
        let hostile = "a\u{202E}b\u{85}c"
        var device = TestDevice()
        var frame = device.frame("submersion", uptime: 100, #""note":"\#(hostile)","measurements":[]"#)
        frame.message.topic = "elsewhere/\(hostile)"
        try keep([frame])
        let listed = try await run("list", "--set", state)
        #expect(listed.output.contains(#"elsewhere/a\u{202e}b\u{85}c"#), "\(listed.output)")
        let shown = try await run("show", "1763749000000-safety", "--set", state)
        for output in [listed.output, shown.output] {
            #expect(!output.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{85}" || $0 == "\u{1B}" }, "\(output)")
        }
        #expect(try RecordedMessage(line: Array(shown.output.utf8).dropLast()[...]) == frame)
    }

    @Test("a command that cannot be carried out is an error and changes nothing")
    func refused() async throws {
        try keep([TestDevice().raw("status", at: 1, "{}")])
        let name = "1763749000000-safety"
        let unset = try await run("list")
        #expect(unset.status == 1)
        #expect(unset.errors.contains("gateway.stateDirectory is not set"))
        let unknown = try await run("replay", name, "nothing", "--set", state)
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("no dead letter is called nothing"))
        #expect(unknown.output.isEmpty)
        let outbound = try await run("replay", name, "out-1", "--set", state)
        #expect(outbound.status == 1)
        #expect(outbound.errors.contains("publishes it by itself"), "\(outbound.errors)")
        #expect(outbound.output.isEmpty)
        let padded = try await run("show", "out-01", "--set", state)
        #expect(padded.errors.contains("no dead letter is called out-01"), "\(padded.errors)")
        #expect(try await run("replay", "--set", state).status == 64)
        #expect(try await run("replay", name, "--all", "--set", state).status == 64)
        let nowhere = try await run("replay", "--all", "--publish", "--set", state, "--set", "mqtt.port=1")
        #expect(nowhere.status == 1)
        #expect(nowhere.errors.contains("127.0.0.1:1") || nowhere.errors.contains("localhost:1"), "\(nowhere.errors)")
        #expect(nowhere.errors.contains("1 of 1 not published"))
        #expect(try await run("list", "--set", state).output.contains(name))
    }

    @Test("with --publish frames are published on their own topics, unchanged and not retained, and removed")
    func publish() async throws {
        let broker = try await BrokerProcess()
        let frames = [
            TestDevice().raw("status", at: 1, retain: true, #"{"a": 1}"#), TestDevice("d2").raw("submersion", at: 2, "\u{1}\n"),
        ]
        try keep(frames)
        let came = try await collecting(2, on: broker) {
            let outcome = try await run("replay", "--all", "--publish", "--set", state, "--set", "mqtt.port=\(broker.port)")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output == "1763749000000-safety published\n1763749001000-safety published\n")
        }
        #expect(came.map(\.topic) == frames.map(\.message.topic))
        #expect(came.map(\.payload) == frames.map(\.message.payload))
        #expect(came.allSatisfy { !$0.retain })
        #expect(try await run("list", "--set", state).output.isEmpty)
        let late = try await collecting(0, on: broker) {}
        #expect(late.isEmpty)
    }

    @Test("a frame that is named twice is published once")
    func namedTwice() async throws {
        let broker = try await BrokerProcess()
        try keep([TestDevice().raw("status", at: 1, "{}")])
        let name = "1763749000000-safety"
        let outcome = try await run("replay", name, name, "--publish", "--set", state, "--set", "mqtt.port=\(broker.port)")
        #expect(outcome.status == 0 && outcome.output == "\(name) published\n", "\(outcome.errors)")
    }

    @Test("a frame that the broker refuses stays, and the reason is printed")
    func notAllowed() async throws {
        let rules = try directory.write("topic read #\ntopic write wearables/d2/in/#\n", to: "acl")
        let broker = try await BrokerProcess(settings: ["allow_anonymous true", "acl_file \(rules)"])
        try keep([TestDevice("d2").raw("status", at: 1, "{}"), TestDevice("d1").raw("status", at: 1, "{}")])
        let outcome = try await run(
            "replay", "--all", "--publish", "--timeout", "0.5", "--set", state, "--set", "mqtt.port=\(broker.port)")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("1 of 2 not published"), "\(outcome.errors)")
        #expect(try await run("list", "--set", state).output.contains("1763749001000-safety"))
        #expect(try await !run("list", "--set", state).output.contains("1763749000000-safety"))
    }

    @Test("frames are not published with the gateway's account, as the broker would end the gateway's connection")
    func ownAccount() async throws {
        try keep([TestDevice().raw("status", at: 1, "{}")])
        let outcome = try await run(
            "replay", "--all", "--publish", "--set", state, "--set", "mqtt.out.username=gateway-out", "--set", "mqtt.port=1")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("simulate.account") && outcome.errors.contains("--username"), "\(outcome.errors)")
        try await SetUp.with { setUp in
            try FileManager.default.copyItem(atPath: directory.path("state/deadletters"), toPath: setUp.path("state/deadletters"))
            let published = try await run("replay", "--all", "--publish", "--config", setUp.path("fathom.yaml"))
            #expect(published.status == 0, "\(published.errors)")
            #expect(setUp.brokerLog.contains("as simulator") && !setUp.brokerLog.contains("as gateway-out"))
        }
    }

    /// A frame ends the process three times, is set aside by the fourth, and is processed once the cause is corrected.
    @Test("a frame that crashes the gateway is set aside, and a corrected gateway processes it when it is published again")
    func poison() async throws {
        let broker = try await BrokerProcess()
        let now = SystemGatewayClock().now.unix.seconds
        var (bad, good) = (TestDevice("bad", boot: "poison", offset: now - 100), TestDevice("good", offset: now - 100))
        let (poison, harmless) = (bad.depth(3, uptime: 100), good.depth(3, uptime: 100))
        try await GatewayFixture.beside(broker) { fixture in
            func start(poisonedBy text: String?) throws -> FathomProcess {
                try .gateway(
                    "test", on: broker.port, [state, "mqtt.reconnect.initialSeconds=0.05"],
                    environment: text.map { ["FATHOM_POISON": $0] } ?? [:])
            }
            let first = try start(poisonedBy: "poison")
            try await fixture.sees("it reads") { $0.text("ingress") == "connected" }
            try await fixture.publish([poison])
            #expect(try await first.outcome().status == SIGABRT)
            for _ in 2...3 {
                #expect(try await start(poisonedBy: "poison").outcome().status == SIGABRT)
            }
            let fourth = try start(poisonedBy: "poison")
            try await fixture.publish([harmless])
            try await fixture.sees("the others go on", of: "good") { $0.kind == "depth-state" }
            #expect(try await fourth.terminate().status == 0)
            #expect(try await run("list", "--set", state).output.contains("safety  bad/submersion"))
            #expect(fixture.watcher.messages.last { $0.topic == "fathom/test/status" }?.number("deadLetters") == 1)

            let mended = try start(poisonedBy: nil)
            let published = try await run(
                "replay", "--all", "--publish", "--set", state, "--set", "mqtt.port=\(broker.port)")
            #expect(published.status == 0, "\(published.errors)")
            try await fixture.sees("it is taken", of: "bad") { $0.kind == "depth-state" && $0.text("cause") == "sample" }
            #expect(try await mended.terminate().status == 0)
            #expect(try await run("list", "--set", state).output.isEmpty)
        }
    }
}
