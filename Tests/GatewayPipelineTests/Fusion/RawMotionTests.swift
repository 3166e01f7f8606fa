import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import SignalProcessing
import TelemetryModel
import Testing

@Suite("Raw motion is fused")
struct RawMotionTests {
    private static let frameSamples = 50

    /// Settings with every sample of `attitude/series`, ten head poses a second, and the named derivations.
    private static func settings(magnetometer: Bool = false, orientation: Bool = false) -> PipelineSettings {
        var settings = PipelineHarness.settings
        settings.derive.setEnabled(AttitudeDerivation.self, true)
        settings.derive[AttitudeDerivation.self].seriesHertz = 1_000
        settings.derive[HeadPoseDerivation.self].rateHertz = 10
        if orientation { settings.derive.setEnabled(OrientationDerivation.self, true) }
        settings.fusesMagneticField = magnetometer
        return settings
    }

    /// The samples in frames of half a second.
    private static func frames(
        _ samples: [SimulatedMotion.Sample], of device: inout TestDevice, on stream: StreamName = .deviceMotion,
        from start: Double = 100, magnetic: Bool = false
    ) -> [RecordedMessage] {
        let raw = MotionSamples(raw: samples, from: start, magnetic: magnetic)
        return stride(from: 0, to: samples.count, by: frameSamples).map { first in
            device.motion(raw.slice(first..<min(first + frameSamples, samples.count)), on: stream)
        }
    }

    private static func columns(_ message: DerivedJSON, _ key: String, _ axes: String) throws -> [[Double]] {
        let object = try #require(message.fields[key] as? [String: [Double]])
        return try axes.map { try #require(object[String($0)]) }
    }

    @Test("Messages of a kind that is published at QoS 0 may be lost, and no others")
    func droppable() throws {
        var settings = Self.settings()
        settings.droppableKinds = Set(KindDescription.all.filter(\.mayBeLost).map(\.name))
        var (device, pipeline) = (TestDevice(), Pipeline(settings: settings, policy: AccessPolicy(unknown: .everything)))
        var admission = AdmissionCheck(policy: AccessPolicy(unknown: .everything), settings: settings)
        var messages: [OutboundMessage] = []
        for frame in Self.frames(SimulatedMotion(shake: 0.01).samples(seconds: 2), of: &device) {
            let now = GatewayTime(unix: UnixTime(frame.at), monotonic: frame.at)
            let known = try #require(admission.admit(frame.message, at: now, into: &messages).first)
            messages += pipeline.process(known, at: now)
        }
        #expect(messages.contains(where: \.mayBeLost) && messages.contains { !$0.mayBeLost })
        for message in messages {
            #expect(message.mayBeLost == settings.droppableKinds.contains(DerivedJSON(message).kind))
        }
    }

    @Test(
        "The inclination is within 1 degree of the truth on every stream, and every message says what fused it",
        arguments: [StreamName.deviceMotion, .headphoneMotion, .batchedIMU])
    func streams(stream: StreamName) throws {
        var (device, harness) = (TestDevice(), PipelineHarness(settings: Self.settings()))
        // The first inclination is that of the first acceleration.
        let truth = Array(SimulatedMotion(shake: 0.01).samples(seconds: 4).prefix(400))
        let published = harness.send(
            (stream == .batchedIMU ? [device.workout("started", uptime: 99)] : [])
                + Self.frames(truth, of: &device, on: stream)
        ).filter { $0.kind == "attitude/series" }
        #expect(published.count == 8)
        var index = 0
        for message in published {
            #expect((message.fields["derivation"] as? [String: Any])?["source"] as? String == "fused")
            #expect(message.text("fusedBy") == "gateway")
            #expect(message.text("referenceFrame") == "xArbitraryZVertical")
            let gravity = try Self.columns(message, "gravity", "xyz")
            let user = try Self.columns(message, "userAcceleration", "xyz")
            for row in gravity[0].indices {
                let found = SIMD3(gravity[0][row], gravity[1][row], gravity[2][row])
                let expected = Attitude.gravity(in: truth[index].attitude)
                #expect((found * expected).sum() > cos(1 * .pi / 180), "sample \(index)")
                let total = found + SIMD3(user[0][row], user[1][row], user[2][row])
                let difference = total - truth[index].acceleration
                #expect((difference * difference).sum() < 1e-10, "gravity and user acceleration add up to what was measured")
                index += 1
            }
        }
        #expect(index == truth.count)
    }

    @Test("The bias is estimated at rest, and the rotation rate is free of it")
    func bias() throws {
        var motion = SimulatedMotion()
        motion.bias = SIMD3(0.01, -0.02, 0.005)
        var (device, harness) = (TestDevice(), PipelineHarness(settings: Self.settings()))
        let messages = harness.send(Self.frames(motion.samples(seconds: 10, isStill: true), of: &device))
            .filter { $0.kind == "attitude/series" }
        let last = try #require(messages.last)
        #expect(last.flag("atRest") == true)
        #expect(last.flag("headingSettled") == true)
        let bias = try #require(last.fields["gyroscopeBias"] as? [String: Double])
        #expect(abs((bias["x"] ?? 0) - 0.01) < 1e-3 && abs((bias["y"] ?? 0) + 0.02) < 1e-3)
        #expect(messages.first?.flag("headingSettled") == false)
    }

    @Test("Motion of the device itself is passed on as it is")
    func fusedByDevice() throws {
        var (device, harness) = (TestDevice(), PipelineHarness(settings: Self.settings()))
        let message = try #require(harness.send(device.stillHead(uptime: 100)).first { $0.kind == "attitude/series" })
        #expect(message.text("fusedBy") == "device")
        #expect(message.isNull("gyroscopeBias") && message.isNull("atRest") && message.isNull("headingSettled"))
        #expect((message.fields["derivation"] as? [String: Any])?["source"] == nil)
    }

    // MARK: Head pose

    /// The poses' references after a still time, and after another still time that begins `gap` later.
    private func references(gap: Double, between: [RecordedMessage] = []) -> [Double] {
        var device = TestDevice()
        var harness = PipelineHarness(settings: Self.settings())
        let still = SimulatedMotion().samples(seconds: 4, isStill: true)
        let messages =
            Self.frames(still, of: &device, on: .headphoneMotion) + between
            + Self.frames(still, of: &device, on: .headphoneMotion, from: 104 + gap)
        return harness.send(messages).filter { $0.kind == "head-pose" }.compactMap { $0.number("referenceAt") }
    }

    @Test("A gap of the filter voids the reference pose, a shorter one does not")
    func gap() throws {
        #expect(Set(references(gap: 0.2)).count == 1)
        #expect(Set(references(gap: 0.3)).count == 2)
    }

    @Test("Motion that the device fuses, within the boot, voids the reference pose and ends the fusion")
    func change() throws {
        var device = TestDevice()
        var harness = PipelineHarness(settings: Self.settings())
        let still = SimulatedMotion().samples(seconds: 4, isStill: true)
        let raw = harness.send(Self.frames(still, of: &device, on: .headphoneMotion))
        let fused = harness.send((1...20).map { device.stillHead(uptime: 104 + Double($0) * 0.2) })
        let again = harness.send(Self.frames(still, of: &device, on: .headphoneMotion, from: 108.02))
        let references = [raw, fused, again].map { messages in
            Set(messages.filter { $0.kind == "head-pose" }.compactMap { $0.number("referenceAt") })
        }
        #expect(references.allSatisfy { $0.count == 1 }, "\(references)")
        #expect(references[0] != references[1] && references[1] != references[2])
        let sources = [raw, fused, again].map { messages in
            Set(
                messages.filter { $0.kind == "head-pose" }
                    .map { ($0.fields["derivation"] as? [String: Any])?["source"] as? String })
        }
        #expect(sources == [["fused"], [nil], ["fused"]])
    }

    // MARK: Magnetometer

    @Test("Orientation needs the magnetic field and the setting", arguments: [true, false], [true, false])
    func orientation(isSet: Bool, isSent: Bool) throws {
        var device = TestDevice()
        var harness = PipelineHarness(settings: Self.settings(magnetometer: isSet, orientation: true))
        // Its x axis points to magnetic east, y to north. The field counts as that of the earth after some seconds of motion.
        let start = Quaternion.rotation(by: SIMD3(0, 0, -Double.pi / 2))
        let samples = SimulatedMotion(shake: 0.01).samples(seconds: 20, from: start)
        let published = harness.send(Self.frames(samples, of: &device, magnetic: isSent))
        let frames = Set(published.filter { $0.kind == "attitude/series" }.compactMap { $0.text("referenceFrame") })
        #expect(frames == [isSet && isSent ? "xMagneticNorthZVertical" : "xArbitraryZVertical"])
        let orientations = published.filter { $0.kind == "orientation" }
        #expect(orientations.isEmpty != (isSet && isSent))
        if isSet && isSent {
            let attitude = try Self.columns(try #require(published.last { $0.kind == "attitude/series" }), "attitude", "xyzw")
            let last = SIMD4(
                attitude[0].last ?? 0, attitude[1].last ?? 0, attitude[2].last ?? 0, attitude[3].last ?? 0)
            #expect(Attitude.angle(between: last, and: samples[samples.count - 1].attitude) < 2 * .pi / 180)
        }
    }

    // MARK: Axes

    /// The convention that is published last for sensors with these axes.
    private func convention(
        acceleration: SignedPermutation = .identity, rotation: SignedPermutation = .identity
    ) -> DerivedJSON? {
        var (device, harness) = (TestDevice(), PipelineHarness(settings: Self.settings()))
        let samples = SimulatedMotion().samples(seconds: 120).map { sample in
            var sample = sample
            sample.acceleration = acceleration(sample.acceleration)
            sample.rotationRate = rotation(sample.rotationRate)
            return sample
        }
        return harness.send(Self.frames(samples, of: &device)).last { $0.kind == "convention/device-motion" }
    }

    private static func assignment(_ axes: SIMD3<Int>, _ signs: SIMD3<Double>) throws -> SignedPermutation {
        try #require(SignedPermutation.all.first { $0.axes == axes && $0.signs == signs })
    }

    @Test("Right axes are reported once, without a remedy")
    func rightAxes() throws {
        let message = try #require(convention())
        #expect(message.text("axes") == "agree")
        #expect(message.fields["remedy"] == nil && message.fields["rotationAxes"] == nil)
        #expect(message.fields["standardised"] == nil)
        #expect(message.retain)
    }

    @Test("Another assignment of the gyroscope is reported with the lines of the mapping to change")
    func otherAxes() throws {
        // The device sends y, -x, z in place of x, y, z.
        let sent = try Self.assignment(SIMD3(1, 0, 2), SIMD3(1, -1, 1))
        let message = try #require(convention(rotation: sent))
        #expect(message.text("axes") == "rotationRate")
        #expect(message.fields["rotationAxes"] as? [String] == ["-y", "x", "z"])
        let remedy = try #require(message.text("remedy"))
        #expect(remedy.contains("rotationRate.x: { pointer: that of rotationRate.y, the opposite sign }"))
        #expect(remedy.contains("rotationRate.y: { pointer: that of rotationRate.x }"))
        #expect(!remedy.contains("rotationRate.z"))
    }

    @Test("Left-handed axes of both sensors are reported")
    func leftHanded() throws {
        let mirror = try Self.assignment(SIMD3(0, 1, 2), SIMD3(1, -1, 1))
        let message = try #require(convention(acceleration: mirror, rotation: mirror))
        #expect(message.text("axes") == "leftHanded")
        #expect(message.text("remedy")?.contains("the opposite sign") == true)
    }

    @Test("Samples at the limit of the range, and a gyroscope without calibration, are counted and named")
    func limits() throws {
        var (device, harness) = (TestDevice(), PipelineHarness(settings: Self.settings()))
        var samples = SimulatedMotion().samples(seconds: 4)
        for index in 200..<260 { samples[index].acceleration.x = 2 }
        let message = harness.send(Self.frames(samples, of: &device)).last { $0.kind == "convention/device-motion" }
        #expect(message?.flag("reachesLimit") == true)
        #expect(message?.text("remedy")?.contains("range") == true)
        #expect(harness.pipeline.counters.samplesAtLimit > 40)
        var motion = SimulatedMotion()
        motion.bias = SIMD3(0.2, 0, 0)
        var (turning, other) = (TestDevice(), PipelineHarness(settings: Self.settings()))
        let named = other.send(Self.frames(motion.samples(seconds: 20, isStill: true), of: &turning))
            .last { $0.kind == "convention/device-motion" }
        #expect(named?.flag("turnsEvenly") == true)
    }

    @Test("Numbers that no sensor measures are counted, and the motion around them stays right")
    func unusable() throws {
        var (device, harness) = (TestDevice(), PipelineHarness(settings: Self.settings()))
        var samples = SimulatedMotion().samples(seconds: 4)
        samples[100].acceleration = SIMD3(1e300, -1e300, 1e12)
        samples[150].rotationRate = SIMD3(repeating: -.greatestFiniteMagnitude)
        let messages = harness.send(Self.frames(samples, of: &device)).filter { $0.kind == "attitude/series" }
        #expect(harness.pipeline.counters.unusableSamples == 2)
        let gravity = try Self.columns(try #require(messages.last), "gravity", "xyz")
        let last = SIMD3(gravity[0].last ?? 0, gravity[1].last ?? 0, gravity[2].last ?? 0)
        #expect((last * Attitude.gravity(in: samples[samples.count - 1].attitude)).sum() > cos(1 * .pi / 180))
    }

    @Test("A sample that no sensor measures is no rotation and no acceleration")
    func glitch() throws {
        var samples = SimulatedMotion().samples(seconds: 1)
        samples[50].rotationRate = SIMD3(1e308, -1e20, 1e9)
        samples[60].acceleration = SIMD3(1e308, 0, 0)
        let raw = MotionSamples(raw: samples, from: 100)
        var fusion = MotionFusion(usesMagnetometer: false)
        let fused = fusion.fuse(raw, try #require(raw.raw))
        #expect(fused.rotationRate[50] == SIMD3(repeating: 0))
        #expect(fused.userAcceleration[60] == SIMD3(repeating: 0))
        #expect(fused.rotationRate.x.allSatisfy { abs($0) < 10 })
    }

    @Test("An acceleration in another unit than G is named after 10 s", arguments: [9.80665, 0.102, 0.125, 100, 1])
    func units(factor: Double) throws {
        var (device, harness) = (TestDevice(), PipelineHarness(settings: Self.settings()))
        let samples = SimulatedMotion().samples(seconds: 12).map { sample in
            var sample = sample
            sample.acceleration *= factor
            return sample
        }
        let message = harness.send(Self.frames(samples, of: &device)).last { $0.kind == "convention/device-motion" }
        guard factor != 1 else { return #expect(message?.number("meanAcceleration") == nil) }
        let mean = try #require(message?.number("meanAcceleration"))
        #expect(abs(mean / factor - 1) < 0.1)
        #expect(message?.text("remedy")?.contains("check its unit") == true)
    }

    // MARK: State

    @Test("A state that is stored and read between frames changes nothing, nor do frames in another order")
    func restored() throws {
        let samples = Array(SimulatedMotion().samples(seconds: 6).prefix(600))
        var device = TestDevice()
        let frames = Self.frames(samples, of: &device)
        var harness = PipelineHarness(settings: Self.settings())
        let straight = harness.send(frames).map(\.lasting)
        var stored = PipelineHarness(settings: Self.settings())
        var published: [String] = []
        for frame in frames {
            published += stored.send(frame).map(\.lasting)
            let state = try #require(stored.pipeline.state(of: try TestDevice.name))
            #expect(try state.change(of: TestDevice.name).parts.contains { $0.name == "fusion" })
            stored = try stored.restarted(at: frame.at)
        }
        #expect(published == straight)
        var shuffled = PipelineHarness(settings: Self.settings())
        let order = stride(from: 0, to: frames.count - 1, by: 2).flatMap { [$0 + 1, $0] }
        let late = frames.last?.at ?? 0
        let received = order.map { RecordedMessage(at: late, message: frames[$0].message) }
        let differing = Set(shuffled.send(received).map(\.lasting)).symmetricDifference(straight)
        #expect(differing.isEmpty, "\(differing.map { $0.prefix(300) })")
    }
}
