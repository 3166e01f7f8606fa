import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Derived messages")
struct PublishTests {
    @Test("every message has the fields of the contract")
    func envelope() throws {
        var device = TestDevice()
        var harness = PipelineHarness()
        let frame = device.depth(3, uptime: 100.25)
        let message = try #require(harness.send(frame).first { $0.kind == "depth-state" })
        #expect(message.topic == "wearables/d1/out/depth-state")
        #expect(message.text("schema") == "wearables/1")
        #expect(message.text("device") == "d1")
        #expect(message.text("kind") == "depth-state")
        #expect(message.text("id")?.count == 32)
        #expect(message.number("at") == 1_763_744_100.25)
        #expect(message.number("deviceTime") == 100.25)
        #expect(message.number("received") == frame.at)
        let source = try #require(message.fields["source"] as? [String: Any])
        #expect(source["stream"] as? String == "submersion")
        #expect(source["boot"] as? String == "b1")
        #expect(source["seq"] as? [Int] == [0, 0])
        #expect(message.fields["derivation"] is [String: Any])
        #expect(message.text("quality") == "valid")
        #expect(message.number("validUntil") == 1_763_744_105.25)
        #expect(message.number("rawValue") == 300)
        #expect(message.isNull("surfacePressure"))
        #expect(message.retain)
    }

    @Test("faults and disagreements of depth are counted for the gateway's status")
    func depthCounters() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(3, uptime: 100))
        _ = harness.send(device.depth(30, uptime: 101))
        #expect(harness.pipeline.counters.noted["depthFaults"] == 1)
        _ = harness.send(
            device.frame(
                "submersion", uptime: 150,
                #""measurements":[{"timestamp":150,"depth":{"value":3,"unit":"m"},"submersionState":"pastMaxDepth"}]"#))
        _ = harness.send(
            device.frame(
                "submersion", uptime: 151,
                #""measurements":[{"timestamp":151,"depth":{"value":3,"unit":"m"},"submersionState":"pastMaxDepth"}]"#))
        #expect(harness.pipeline.counters.noted["depthDisagreements", default: 0] > 0)
    }

    @Test("an unchanged state under water is published again at the configured interval, and only while data arrive")
    func refresh() {
        var harness = PipelineHarness(settings: .with { $0.derive[SubmersionDerivation.self].refreshSeconds = 2 })
        var device = TestDevice()
        let messages = (0..<30).flatMap { harness.send(device.depth(3, uptime: 100 + Double($0) / 3)) }
            .filter { $0.kind == "depth-state" }
        #expect(messages.count == 5)
        #expect(Set(messages.compactMap { $0.text("id") }).count == 5)
        #expect(messages.dropFirst().allSatisfy { $0.text("previous") == $0.text("state") })
        let silence = harness.tick(at: device.offset + 200).filter { $0.kind == "depth-state" }
        #expect(silence.map { $0.text("cause") } == ["silence"])
    }

    @Test(
        "a newer message replaces a retained one, but not a day or a change of wear, which are each of an instant of their own",
        arguments: [("depth-state", true), ("pace", true), ("day", false), ("wear", false)])
    func state(kind: String, isState: Bool) throws {
        let message = OutboundEncoder(PipelineHarness.settings).clearing(kind, of: try #require(DeviceID("d1")))
        #expect(message.retain && message.isState == isState)
    }

    @Test("the same input gives the same ids in another process")
    func ids() {
        func run() -> [String] {
            var device = TestDevice()
            var harness = PipelineHarness()
            return (0..<30).flatMap { harness.send(device.depth(Double($0) / 3, uptime: 100 + Double($0))) }
                .compactMap { $0.text("id") }
        }
        let ids = run()
        #expect(ids == run())
        #expect(Set(ids).count == ids.count)
    }

    @Test("without the device's wall clock the fastest frame sets the time")
    func withoutSent() throws {
        var device = TestDevice()
        device.sendsWallClock = false
        var harness = PipelineHarness()
        _ = harness.send(device.depth(0.5, uptime: 100))
        var slow = device.depth(3, uptime: 101)
        slow.at += 0.7
        let message = try #require(harness.send(slow).first { $0.kind == "depth-state" })
        #expect(abs((message.number("at") ?? 0) - 1_763_744_101.05) < 1e-5)
    }

    @Test("a frame from the future has a skew")
    func skew() throws {
        var device = TestDevice()
        var harness = PipelineHarness()
        let message = try #require(
            harness.send(
                device.frame(
                    "submersion", uptime: 100, latency: -60, #""measurements":[{"timestamp":100,"depth":{"value":3,"unit":"m"}}]"#
                )
            )
            .first { $0.kind == "depth-state" })
        #expect(message.number("skew") == 60)
        let punctual = harness.send(device.depth(0.5, uptime: 102)).last { $0.kind == "depth-state" }
        #expect(punctual?.text("cause") == "sample")
        #expect(punctual?.fields["skew"] == nil)
    }

    @Test(
        "a value of a device ahead of the gateway expires by the gateway's clock, however far ahead it is", arguments: [60, 2e9])
    func skewedExpiry(ahead: Double) throws {
        var device = TestDevice()
        var harness = PipelineHarness()
        let frame = device.frame(
            "submersion", uptime: 100, latency: -ahead, #""measurements":[{"timestamp":99,"depth":{"value":3,"unit":"m"}}]"#)
        let message = try #require(harness.send(frame).first { $0.kind == "depth-state" })
        #expect(message.number("skew") == ahead)
        #expect(message.number("at") == 1_763_744_099)
        #expect(message.number("validUntil") == frame.at + 5)
        #expect(message.expirySeconds == 6)
        let id = try #require(DeviceID("d1"))
        #expect(harness.pipeline.state(of: id)?.retained[kind: "depth-state"]?.validUntil?.seconds == frame.at + 5)
        let again = try #require(harness.send(device.depth(0.1, uptime: 101)).last { $0.kind == "depth-state" })
        #expect(again.fields["skew"] == nil)
        #expect(again.number("validUntil") == 1_763_744_106)
    }

    @Test("a value that is no longer valid when it is published is kept for a second by a broker that counts in whole seconds")
    func lateExpiry() throws {
        var device = TestDevice()
        var harness = PipelineHarness()
        let frame = device.frame(
            "submersion", uptime: 100, latency: 60, #""measurements":[{"timestamp":99,"depth":{"value":3,"unit":"m"}}]"#)
        let message = try #require(harness.send(frame).first { $0.kind == "depth-state" })
        #expect(try #require(message.number("validUntil")) < frame.at)
        #expect(message.expirySeconds == 2)
    }

    @Test("a rejection names device, reason, place, topic and payload, once a second for each reason")
    func rejection() throws {
        let device = TestDevice()
        var harness = PipelineHarness()
        let payload =
            #"{"schema":"wearables/1","boot":"b1","seq":0,"uptime":1,"measurements":[{"timestamp":1,"depth":{"value":"5","unit":"m"}}]}"#
        let message = try #require(harness.send(device.raw("submersion", at: 1000, payload)).first)
        #expect(message.topic == "wearables/d1/out/rejected")
        #expect(message.text("reason") == "wrongType")
        #expect(message.text("pointer") == "/measurements/0/depth/value")
        #expect(message.text("topic") == "wearables/d1/in/submersion")
        #expect(message.text("payload").flatMap { Data(base64Encoded: $0) } == Data(payload.utf8))
        #expect(message.number("count") == 1)
        #expect(harness.send(device.raw("submersion", at: 1000.5, payload)).isEmpty)
        #expect(harness.send(device.raw("submersion", at: 1000.6, "{")).map { $0.text("reason") } == ["malformedJSON"])
        #expect(harness.send(device.raw("submersion", at: 1001.1, payload)).first?.number("count") == 2)
    }

    @Test("an event has its id and instant as user properties where they are enabled, a retained message never")
    func eventProperties() throws {
        let settings = PipelineSettings.with { $0.hasEventProperties = true }
        var pipeline = Pipeline(settings: settings, policy: AccessPolicy(unknown: .everything))
        var admission = AdmissionCheck(policy: AccessPolicy(unknown: .everything), settings: settings)
        var device = TestDevice()
        var messages: [OutboundMessage] = []
        for frame in [device.depth(3, uptime: 100), device.depth(4, uptime: 101, seq: 5), device.raw("submersion", at: 1, "{")] {
            let now = GatewayTime(unix: UnixTime(frame.at), monotonic: frame.at)
            let known = try #require(admission.admit(frame.message, at: now, into: &messages).first)
            messages += pipeline.process(known, at: now)
        }
        messages += pipeline.drain(at: GatewayTime(unix: UnixTime(1_763_744_200), monotonic: 1_763_744_200))
        #expect(Set(messages.filter { $0.event != nil }.map { DerivedJSON($0).kind }) == ["gap", "rejected"])
        for message in messages {
            #expect((message.event == nil) == message.retain)
            guard let event = message.event else { continue }
            #expect(event.id == DerivedJSON(message).text("id"))
            #expect(Double(event.at) == DerivedJSON(message).number("at"))
        }
    }

    @Test("a state written down in the middle and read back gives the same messages")
    func codableState() throws {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.status(uptime: 99))
        _ = harness.send(device.depth(3, uptime: 100))
        _ = harness.send(device.depth(4, uptime: 101, seq: 5))
        _ = harness.send(device.accelerometer(start: 100))
        _ = harness.send(device.stillHead(uptime: 101))
        let id = try #require(DeviceID("d1"))
        let state = try #require(harness.pipeline.state(of: id))
        #expect(try state.readBack(of: id) == state)
        #expect(try state.change(of: id).waiting.count == 1)
    }
}
