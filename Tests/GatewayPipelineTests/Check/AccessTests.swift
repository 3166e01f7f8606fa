import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Checks")
struct AccessTests {
    private let shallow = DevicePolicy(entitlement: .shallow, entitlementIsExplicit: true)

    private func access(_ messages: [DerivedJSON], _ stream: String = "submersion") -> [DerivedJSON] {
        messages.filter { $0.kind == "access/\(stream)" }
    }

    @Test("a device that is not in the registry leaves no state and is reported once a second")
    func unknownDevice() {
        var device = TestDevice("stranger")
        var harness = PipelineHarness(policy: AccessPolicy())
        let first = harness.send(device.depth(3, uptime: 100))
        #expect(first.map(\.topic) == ["fathom/test/rejected"])
        #expect(first.first?.text("reason") == "unknownDevice")
        #expect(first.first?.fields["payload"] == nil)
        #expect(harness.send(device.depth(3, uptime: 100.3)).isEmpty)
        let later = harness.send(device.depth(3, uptime: 102))
        #expect(later.first?.number("count") == 2)
        #expect(harness.pipeline.deviceCount == 0)
        #expect(harness.admission.rejected[.unknownDevice] == 3)
    }

    @Test(
        "each refusal carries Core Motion's code, and is published once",
        arguments: [
            (DevicePolicy(streams: [.headphoneMotion]), "notAvailable", 109.0),
            (DevicePolicy(available: [.waterSubmersion: false]), "notAvailable", 109),
            (DevicePolicy(authorization: .denied, entitlement: .full), "notAuthorized", 111),
            (DevicePolicy(authorization: .notDetermined, entitlement: .full), "notAuthorized", 111),
            (DevicePolicy(entitlement: DepthEntitlement.none), "notEntitled", 110),
            (DevicePolicy(), "notEntitled", 110),
        ])
    func refusals(policy: DevicePolicy, reason: String, code: Double) {
        var device = TestDevice()
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", policy))
        let messages = harness.send(device.depth(3, uptime: 100))
        let decision = access(messages).first
        #expect(decision?.flag("allowed") == false)
        #expect(decision?.text("reason") == reason)
        #expect(decision?.number("code") == code)
        #expect(decision?.retain == true)
        #expect(!messages.contains { $0.kind == "depth-state" })
        #expect(access(harness.send(device.depth(3, uptime: 100.3))).isEmpty)
        #expect(harness.pipeline.counters.refused.values.reduce(0, +) == 2)
    }

    @Test("the entitlement sets the maximum depth", arguments: [(DepthEntitlement.shallow, 6.0), (.full, 40)])
    func maximumDepth(entitlement: DepthEntitlement, limit: Double) {
        var device = TestDevice()
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", DevicePolicy(entitlement: entitlement)))
        let state = harness.send(device.depth(3, uptime: 100)).first { $0.kind == "depth-state" }
        #expect(state?.number("maximumDepth") == limit)
    }

    @Test("a status that claims less refuses, one that claims more adds nothing")
    func claims() {
        var device = TestDevice()
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", shallow))
        _ = harness.send(device.status(uptime: 99, #","authorization":{"motion":"denied"}"#))
        #expect(access(harness.send(device.depth(3, uptime: 100))).first?.text("reason") == "notAuthorized")
        let changed = harness.send(device.status(uptime: 101, #","authorization":{"motion":"authorized"}"#))
        #expect(access(changed).first?.flag("allowed") == true)

        var boaster = TestDevice("boaster")
        var strict = PipelineHarness(policy: PipelineHarness.policy("boaster", DevicePolicy()))
        let full = #","entitlements":["com.apple.developer.submerged-depth-and-pressure"]"#
        _ = strict.send(boaster.status(uptime: 99, full))
        #expect(access(strict.send(boaster.depth(3, uptime: 100))).first?.text("reason") == "notEntitled")
    }

    @Test("a trusted device's own claim counts where the operator set nothing for it")
    func trustedClaims() {
        let full = #","entitlements":["com.apple.developer.submerged-depth-and-pressure"]"#
        var device = TestDevice()
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", DevicePolicy(trustsDeviceClaims: true)))
        _ = harness.send(device.status(uptime: 99, full))
        let messages = harness.send(device.depth(3, uptime: 100))
        #expect(messages.first { $0.kind == "depth-state" }?.number("maximumDepth") == 40)

        var bound = TestDevice()
        let explicit = DevicePolicy(entitlement: .shallow, entitlementIsExplicit: true, trustsDeviceClaims: true)
        var strict = PipelineHarness(policy: PipelineHarness.policy("d1", explicit))
        _ = strict.send(bound.status(uptime: 99, full))
        let limited = strict.send(bound.depth(3, uptime: 100))
        #expect(limited.first { $0.kind == "depth-state" }?.number("maximumDepth") == 6)
    }

    @Test("batches need a running workout, judged at sample time")
    func session() {
        var device = TestDevice()
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", DevicePolicy()))
        _ = harness.send(device.workout("running", uptime: 100))
        #expect(access(harness.send(device.accelerometer(start: 100.5)), "batched-imu").first?.flag("allowed") == true)
        _ = harness.send(device.workout("ended", uptime: 101))
        let refused = access(harness.send(device.accelerometer(start: 101.5)), "batched-imu").first
        #expect(refused?.text("reason") == "notInSession")
        #expect(refused?.number("code") == 108)
    }

    @Test("without any workout known a batch waits two seconds, then it is refused")
    func sessionWait() {
        var device = TestDevice()
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", DevicePolicy()))
        let frame = device.accelerometer(start: 100)
        #expect(access(harness.send(frame), "batched-imu").isEmpty)
        #expect(access(harness.tick(at: frame.at + 1.9), "batched-imu").isEmpty)
        #expect(access(harness.tick(at: frame.at + 2.1), "batched-imu").first?.number("code") == 108)
    }

    @Test("a workout that arrives within the wait releases the waiting batch")
    func sessionArrives() {
        var device = TestDevice()
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", DevicePolicy()))
        _ = harness.send(device.accelerometer(start: 100))
        var workout = device.workout("running", uptime: 99.5)
        workout.at += 1
        #expect(access(harness.send(workout), "batched-imu").first?.flag("allowed") == true)
    }

    @Test("half of a batch may be refused alone")
    func halfBatch() {
        var device = TestDevice()
        let policy = DevicePolicy(available: [.deviceMotionBatch: false], needsSession: false)
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", policy))
        #expect(access(harness.send(device.accelerometer(start: 100)), "batched-imu").first?.flag("allowed") == true)
    }

    @Test("a policy that removes the entitlement stops the depth at once, and publishes that")
    func revokedEntitlement() {
        var device = TestDevice()
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", shallow))
        _ = harness.send(device.depth(3, uptime: 100))
        let none = DevicePolicy(entitlement: DepthEntitlement.none, entitlementIsExplicit: true)
        let messages = harness.replace(policy: PipelineHarness.policy("d1", none))
        #expect(access(messages).first?.text("reason") == "notEntitled")
        #expect(access(messages).first?.isNull("deviceTime") == true)
        #expect(access(messages).first?.isNull("source") == true)
        let depth = messages.first { $0.kind == "depth-state" }
        #expect(depth?.text("state") == "unknown")
        #expect(depth?.text("cause") == "access")
        #expect(!harness.send(device.depth(5, uptime: 100.3)).contains { $0.kind == "depth-state" })
    }

    @Test("a device removed from the registry is cleared and its state dropped, and starts as new when it returns")
    func removed() {
        var device = TestDevice()
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", shallow))
        _ = harness.send(device.depth(3, uptime: 100))
        let messages = harness.replace(policy: AccessPolicy())
        let cleared = Set(messages.filter(\.isClearing).map(\.kind))
        #expect(
            cleared == [
                "depth-state", "access/submersion", "connection/device", "alarm/refused/submersion", "alarm/contact-lost",
            ])
        #expect(messages.last { !$0.isClearing }?.kind != nil)
        #expect(harness.pipeline.deviceCount == 0)
        #expect(harness.send(device.depth(5, uptime: 101)).map(\.topic) == ["fathom/test/rejected"])
        _ = harness.replace(policy: PipelineHarness.policy("d1", shallow))
        let back = harness.send(device.depth(5, uptime: 103, seq: 100)).filter { $0.kind == "depth-state" }
        #expect(back.map { $0.text("previous") } == ["unknown"])
    }

    @Test("of a denied device only the refusal is kept")
    func denied() {
        var device = TestDevice()
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", shallow))
        _ = harness.send(device.depth(3, uptime: 100))
        let messages = harness.replace(
            policy: PipelineHarness.policy("d1", DevicePolicy(authorization: .denied, entitlement: .shallow)))
        #expect(access(messages).contains { $0.text("reason") == "notAuthorized" })
        #expect(messages.contains { $0.kind == "depth-state" && $0.isClearing })
        let clearsAccess = messages.contains { $0.kind.hasPrefix("access") && $0.isClearing }
        #expect(!clearsAccess)
    }

    @Test("an empty retained status clears the device")
    func forgotten() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.status(uptime: 99))
        let messages = harness.send(device.raw("status", at: 1_763_744_100, ""))
        #expect(messages.map { $0.kind } == ["connection/device"])
        #expect(messages.allSatisfy { $0.isClearing })
    }

    @Test("a device that reports that it has no depth sensor gets no depth state, nor at a reboot, the gateway's stop or start")
    func noSensor() {
        var device = TestDevice("pods-7")
        var harness = PipelineHarness()
        let refusal = #""errors":[{"timestamp":100,"code":109}]"#
        var messages = harness.send(device.frame("submersion", uptime: 100, refusal))
        #expect(access(messages).last?.text("reason") == "notAvailable")
        messages += harness.send(device.frame("submersion", uptime: 101, refusal))
        messages += harness.tick(at: 1_763_744_300) + harness.end() + harness.begin(at: 1_763_744_400)
        var restarted = TestDevice("pods-7", boot: "b2", offset: 1_763_744_400)
        messages += harness.send(restarted.frame("submersion", uptime: 100, refusal)) + harness.end()
        #expect(!messages.contains { $0.kind == "depth-state" })
    }

    @Test("a diver whose device reports that it may not measure any more is unknown, once")
    func sensorLost() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.depth(3, uptime: 100))
        let lost = harness.send(device.frame("submersion", uptime: 101, #""errors":[{"timestamp":101,"code":111}]"#))
        #expect(lost.filter { $0.kind == "depth-state" }.map { $0.text("state") } == ["unknown"])
        #expect(!harness.end().contains { $0.kind == "depth-state" })
    }

    @Test("a gateway without the states of the one before it publishes unknown for every depth device")
    func withoutStates() {
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", shallow))
        #expect(harness.begin(at: 1_763_744_000).isEmpty)
        #expect(harness.resume(at: 1_763_744_000, holdsStates: true).isEmpty)
        let started = harness.resume(at: 1_763_744_000)
        #expect(started.map(\.kind) == ["depth-state", "alarm/contact-lost"])
        #expect(started.first?.text("cause") == "restart")
        #expect(started.map { $0.text("state") } == ["unknown", "raised"])
        #expect(started.first?.text("quality") == "stale")
    }

    @Test("the gateway's start and stop leave a diver unknown, and publish nothing for a device out of the water or never seen")
    func startAndStop() {
        var device = TestDevice()
        var harness = PipelineHarness(policy: PipelineHarness.policy("d1", shallow))
        #expect(harness.begin(at: 1_763_744_000).isEmpty)
        #expect(harness.end().isEmpty)
        _ = harness.send(device.depth(3, uptime: 100))
        let stopped = harness.end()
        #expect(stopped.map(\.kind) == ["depth-state", "alarm/contact-lost"])
        #expect(stopped.map { $0.text("state") } == ["unknown", "raised"])
        #expect(stopped.first?.text("previous") == "submergedDeep")
        // The last known state, also after silence has made it unknown.
        _ = harness.tick(at: device.offset + 120)
        #expect(harness.begin(at: device.offset + 121).map { $0.text("previous") } == ["submergedDeep"])
        _ = harness.send(
            device.frame(
                "submersion", uptime: 101,
                #""events":[{"timestamp":101,"state":"notSubmerged"}],"measurements":[{"timestamp":100.9,"depth":{"value":0.1,"unit":"m"}}]"#
            ))
        _ = harness.send(
            device.frame("submersion", uptime: 110, #""measurements":[{"timestamp":109.9,"depth":{"value":0,"unit":"m"}}]"#))
        let stoppedAgain = harness.end()
        #expect(stoppedAgain.isEmpty)
    }
}
