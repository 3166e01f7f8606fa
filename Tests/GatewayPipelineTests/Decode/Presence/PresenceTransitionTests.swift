import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Presence beside frames")
struct PresenceTransitionTests {
    private static let start = 1_763_749_000.0

    private func harness() throws -> PipelineHarness {
        PipelineHarness(producers: try ProducersText.producers("presence: {name: p, preset: esphome}"))
    }

    /// `at state (cause)` of each transition.
    private func transitions(_ messages: [DerivedJSON]) -> [String] {
        messages.filter { $0.kind == "connection/device" }.map { message in
            let at = (message.number("at") ?? 0) - Self.start
            return "\(Int(at.rounded())) \(message.text("state") ?? "-") (\(message.text("cause") ?? "-"))"
        }
    }

    @Test("Reports alone give transitions, each once")
    func wordsAlone() throws {
        var harness = try harness()
        var messages: [DerivedJSON] = []
        for (index, word) in ["online", "online", "offline", "offline", "online"].enumerated() {
            messages += harness.send(mapped("d1/status", word, at: Self.start + Double(index), retain: index == 0))
        }
        #expect(transitions(messages) == ["0 connected (reported)", "2 disconnected (lastWill)", "4 connected (reported)"])
        #expect(messages.allSatisfy { $0.kind == "connection/device" && $0.retain })
    }

    @Test("A device that then sends frames has not rebooted, and its silence counts")
    func framesAfterWord() throws {
        var harness = try harness()
        var device = TestDevice()
        var messages = harness.send(mapped("d1/status", "online", at: Self.start))
        for second in 1..<10 {
            messages += harness.send(device.stillHead(uptime: Self.start + Double(second) - device.offset))
        }
        #expect(transitions(messages) == ["0 connected (reported)"])
        messages += harness.tick(at: Self.start + 60)
        #expect(transitions(messages).last == "39 silent (silence)")
        messages += harness.send(mapped("d1/status", "offline", at: Self.start + 70))
        #expect(transitions(messages).last == "70 disconnected (lastWill)")
        messages += harness.send(device.stillHead(uptime: Self.start + 80 - device.offset))
        #expect(transitions(messages).last == "80 connected (dataResumed)")
        #expect(harness.pipeline.counters.late == 0)
    }

    @Test("A retained status after a report is not treated as one of an earlier boot")
    func retainedStatusAfterWord() throws {
        var harness = try harness()
        var device = TestDevice()
        var status = device.status(uptime: 5000, #","entitlements":[]"#)
        status.at = Self.start + 1
        var messages = harness.send(mapped("d1/status", "online", at: Self.start, retain: true))
        messages += harness.send(status)
        #expect(harness.pipeline.counters.late == 0)
        #expect(harness.state(of: "d1")?.status?.entitlements == [])
        #expect(transitions(messages) == ["0 connected (reported)"])
        messages += harness.send(mapped("d1/status", "offline", at: Self.start + 10))
        #expect(transitions(messages).last == "10 disconnected (lastWill)")
    }

    @Test("A report between frames keeps the boot, waiting messages and the depth")
    func wordBetweenFrames() throws {
        var harness = try harness()
        var device = TestDevice()
        let uptime = Self.start - device.offset
        var messages = (0..<5).flatMap { harness.send(device.depth(3, uptime: uptime + Double($0))) }
        let before = harness.state(of: "d1")?.intake.boots.current
        messages += harness.send(mapped("d1/status", "online", at: Self.start + 5))
        messages += harness.send(device.depth(3, uptime: uptime + 5, seq: 6))
        messages += harness.send(mapped("d1/status", "online", at: Self.start + 5.2))
        messages += harness.send(device.depth(3, uptime: uptime + 5.3, seq: 5))
        #expect(harness.state(of: "d1")?.intake.boots.current == before)
        #expect(messages.count { $0.kind == "depth-state" } == 1)
        #expect(!messages.contains { $0.kind == "gap" })
        #expect(transitions(messages).count == 1)
    }

    @Test("An ignored word, or a report about an unknown device, changes nothing")
    func nothing() throws {
        let producers = try ProducersText.producers("presence: {name: p, preset: homie}")
        var harness = PipelineHarness(producers: producers)
        var device = TestDevice()
        _ = harness.send(device.stillHead(uptime: Self.start - device.offset))
        let before = harness.state(of: "d1")
        #expect(harness.send(mapped("homie/5/d1/$state", "init", at: Self.start + 1)).isEmpty)
        #expect(harness.state(of: "d1") == before)
        var closed = PipelineHarness(producers: producers, policy: AccessPolicy())
        let messages = closed.send(mapped("homie/5/d1/$state", "ready", at: Self.start))
        #expect(messages.map { $0.text("reason") } == ["unknownDevice"])
        #expect(closed.pipeline.deviceCount == 0)
    }

    @Test("A reboot after a report is still a reboot")
    func reboot() throws {
        var harness = try harness()
        var first = TestDevice()
        var second = TestDevice("d1", boot: "b2", offset: Self.start)
        var messages = harness.send(mapped("d1/status", "online", at: Self.start))
        messages += harness.send(first.stillHead(uptime: Self.start + 1 - first.offset))
        messages += harness.send(second.stillHead(uptime: 5))
        #expect(transitions(messages) == ["0 connected (reported)", "5 connected (reboot)"])
    }
}
