import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

/// Valid MQTT with contents that once ended the process.
@Suite("The whole program and hostile input")
struct HostileInputTests {
    private let directory: TemporaryDirectory
    private let now = SystemGatewayClock().now.unix.seconds

    init() throws { directory = try TemporaryDirectory() }

    /// Runs `body` beside the program, which must stop in order afterwards.
    private func beside(
        _ settings: [String] = [], _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        let broker = try await BrokerProcess()
        try await GatewayFixture.beside(broker) { fixture in
            let process = try FathomProcess.gateway("test", on: broker.port, ["gateway.statusSeconds=0.2"] + settings)
            try await eventually("it reads") { fixture.watcher.messages.contains { $0.text("ingress") == "connected" } }
            try await body(fixture)
            #expect(process.isRunning, "\(process.errors)")
            #expect(try await process.terminate().status == 0)
        }
    }

    @Test("an array where a flat mapping has one time is answered, and the next frame of the device is read")
    func arrayForTime() async throws {
        let producers = try directory.write(
            """
            mappings:
              - name: buoy
                topic: buoy/{device}
                stream: submersion
                layout: flat
                time: { pointer: /t, unit: s, clock: unix }
                fields: { depth: { pointer: /d, unit: m } }
            """, to: "producers.yaml")
        func message(_ payload: String) -> RecordedMessage {
            RecordedMessage(at: now, message: InboundMessage(topic: "buoy/b1", payload: Array(payload.utf8)))
        }
        try await beside(["producers.file=\(producers)"]) { fixture in
            try await fixture.publish([message(#"{"t": [\#(now), \#(now + 1)], "d": 3}"#)])
            try await fixture.sees("the frame is answered", of: "b1") { $0.kind == "rejected" && $0.text("pointer") == "/t" }
            try await fixture.publish([message(#"{"t": \#(now), "d": 3}"#)])
            try await fixture.sees("the next one is read", of: "b1") { $0.kind == "depth-state" && $0.text("cause") == "sample" }
        }
    }

    @Test("more missing frames than a number can count leave the program running, and the counter at its end")
    func missingFrames() async throws {
        var frames: [RecordedMessage] = []
        for boot in 0..<1025 {
            var device = TestDevice("d1", boot: "b\(boot)", offset: now - 2000)
            for sequence in [0, (1 << 53) - 1] {
                frames.append(device.frame("submersion", uptime: 100 + Double(boot), seq: sequence, #""events":[]"#))
            }
        }
        var last = TestDevice("d1", boot: "last", offset: now - 2000)
        frames.append(last.depth(7, uptime: 1500, seq: 0))
        try await beside { fixture in
            try await fixture.publish(frames)
            try await fixture.sees("the last boot is read", of: "d1") { $0.kind == "depth-state" && $0.number("depth") == 7 }
            try await eventually("the counter is at its end") {
                let status = fixture.watcher.messages.last { $0.topic == "fathom/test/status" }
                return (status?.fields["counters"] as? [String: Any])?["missingFrames"] as? Int == .max
            }
        }
    }
}
