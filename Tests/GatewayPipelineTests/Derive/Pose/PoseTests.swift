import Foundation
import GatewayPipeline
import GatewayTestSupport
import SignalProcessing
import TelemetryModel
import Testing

@Suite("Poses")
struct PoseTests {
    private static let settings = PoseSettings.with {
        $0.templates = ["down 0 0 -1", "side 0 -1 0"].compactMap { PoseTemplate($0) }
    }

    /// Motion at 50 Hz whose tilt, from down to the side, is given for each time in s.
    private func motion(_ seconds: Double, from start: Double = 100, sway: Double = 0, _ tilt: (Double) -> Double)
        -> MotionSamples
    {
        var samples = MotionSamples()
        for index in 0..<Int((seconds * 50).rounded()) {
            let time = Double(index) / 50
            let angle = tilt(time) + sway * sin(2 * .pi * 0.5 * time)
            let rate = (tilt(time + 1e-4) - tilt(time - 1e-4)) / 2e-4
            samples.append(start + time, gravity: SIMD3(0, -sin(angle), -cos(angle)), rate: SIMD3(rate, 0, 0))
        }
        return samples
    }

    /// A movement with the least jerk from `start`, through a right angle.
    private func quarter(_ time: Double, start: Double, length: Double) -> Double {
        let part = min(max((time - start) / length, 0), 1)
        let risen = part * part * part * (10 + part * (6 * part - 15))
        return Double.pi / 2 * risen
    }

    private func run(_ samples: MotionSamples, _ settings: PoseSettings = PoseTests.settings) throws -> (
        poses: [DerivedEvent], holds: [PoseHold]
    ) {
        let inputs = samples.frames(of: 23).map { PoseDerivation.Input.samples($0) }
        let events = try PoseDerivation.run(inputs, settings, saving: samples.count < 2_000, until: 1_000)
        #expect(events.allSatisfy { $0.isFinite })
        return (events.filter { $0.body is Pose }, events.compactMap { $0.body as? PoseHold })
    }

    @Test("A way from one pose to another: both holds within a sample, and a smooth way between")
    func holds() throws {
        let (poses, holds) = try run(motion(20) { self.quarter($0, start: 6, length: 1.6) })
        #expect(holds.map(\.pose) == ["down", "side"])
        #expect(holds.first?.start == DeviceTime(100))
        // It is left with 28 degrees or 60 degrees/s, whichever is first.
        let left = try #require(
            stride(from: 6, to: 8, by: 0.02).first { time in
                let rate = (quarter(time + 1e-4, start: 6, length: 1.6) - quarter(time - 1e-4, start: 6, length: 1.6)) / 2e-4
                return rate > 60 * .pi / 180 || quarter(time, start: 6, length: 1.6) > 28 * .pi / 180
            })
        // The hold ends with the sample before.
        #expect(abs((holds.first?.end.seconds ?? 0) - 100 - (left - 0.02)) < 0.0201)
        let still = try #require(
            stride(from: 6.8, to: 8, by: 0.02).first { time in
                (quarter(time + 1e-4, start: 6, length: 1.6) - quarter(time - 1e-4, start: 6, length: 1.6)) / 2e-4 < 15 * .pi
                    / 180
            })
        #expect(abs((holds.last?.start.seconds ?? 0) - 100 - still) < 0.0201)
        #expect(abs((holds.last?.end.seconds ?? 0) - 119.98) < 1e-9)
        let names = poses.map { ($0.body as? Pose)?.pose }
        #expect(names.contains("down") && names.contains(nil) && names.contains("side"))
        #expect(poses.allSatisfy { $0.validUntil == $0.time + 5 })
    }

    @Test("Grace: once without a stop, with a stumble, and with three stops")
    func grace() throws {
        func hold(_ tilt: @escaping (Double) -> Double) throws -> PoseHold {
            try #require(try run(motion(24, tilt)).holds.last { $0.pose == "side" })
        }
        let smooth = try hold { self.quarter($0, start: 6, length: 2) }
        #expect(abs((smooth.grace ?? 0) + 1.41) < 0.0141)
        #expect(abs((smooth.transition ?? 0) - 2) < 0.35)
        let stumble = try hold { time in
            let move = self.quarter(time, start: 6, length: 2)
            return 0.8 * move + 0.2 * self.quarter(time, start: 7.2, length: 1)
        }
        let stops = try hold { time in
            (0..<4).reduce(0.0) { sum, step in
                let start = 6 + 1.2 * Double(step)
                return sum + 0.25 * self.quarter(time, start: start, length: 1)
            }
        }
        #expect((stumble.grace ?? 0) < (smooth.grace ?? 0))
        #expect((stops.grace ?? 0) < (stumble.grace ?? 0) - 1)
    }

    @Test("The arc length of a movement is what its author's program gives")
    func arcLength() throws {
        // sparc.py of Balasubramanian, padding 4, 10 Hz, 0.05.
        func speeds(_ length: Double, _ hertz: Double) -> [Double] {
            stride(from: 0, to: length - 1e-9, by: 1 / hertz).map { time in
                let part = time / length
                let rest = 1 - part
                return 30 * part * part * rest * rest
            }
        }
        let known = [(1.0, 100.0, -1.4058292243), (1.6, 100, -1.4004988889), (2, 100, -1.4058292844), (2, 50, -1.4058293244)]
        for (length, hertz, expected) in known {
            let found = try #require(ArcLength.smoothness(of: speeds(length, hertz), sampleHertz: hertz))
            #expect(abs(found - expected) < 1e-6)
        }
        #expect(ArcLength.smoothness(of: [0, 0, 0, 0, 0], sampleHertz: 50) == nil)
        #expect(ArcLength.smoothness(of: [1, 2], sampleHertz: 50) == nil)
    }

    @Test("Sway is the RMS angle from the hold's own mean, not from the template")
    func sway() throws {
        let (poses, holds) = try run(motion(30, sway: 0.02) { _ in 0.1 })
        let hold = try #require(holds.first)
        let expected = 0.02 / 2.0.squareRoot()
        #expect(abs(hold.sway / expected - 1) < 0.01)
        #expect(abs(hold.greatest - 0.12) < 0.001)
        let last = try #require(poses.last?.body as? Pose)
        #expect(abs((last.sway ?? 0) / expected - 1) < 0.05)
        #expect(hold.grace == nil && hold.transition == nil)
    }

    @Test("A slip shorter than half a second is part of the hold; a pose of less than a second is none")
    func slips() throws {
        let slip = try run(motion(12) { $0 > 5 && $0 < 5.4 ? 0.6 : 0 }).holds
        #expect(slip.map(\.pose) == ["down"])
        #expect((slip.first?.greatest ?? 0) > 0.59)
        let left = try run(motion(12) { $0 > 5 && $0 < 5.8 ? 0.6 : 0 }).holds
        #expect(left.count == 2)
        #expect(try run(motion(12) { $0 > 3 && $0 < 3.9 ? .pi / 2 : 0.8 }).holds.isEmpty)
    }

    @Test("A gap in the samples ends a hold, and so does silence")
    func gaps() throws {
        var samples = motion(5) { _ in 0 }
        let after = motion(5, from: 107) { _ in 0 }
        for index in 0..<after.count {
            samples.append(after.timestamp[index], gravity: after.gravity[index])
        }
        let holds = try run(samples).holds
        #expect(holds.map(\.start) == [DeviceTime(100), DeviceTime(107)])
        #expect(zip(holds, [104.98, 111.98]).allSatisfy { abs($0.end.seconds - $1) < 1e-9 })
        #expect(holds.count == 2)
    }

    @Test("A pose is learned in the next calm two seconds, kept over boots, and forgotten")
    func learning() throws {
        let settings = PoseSettings()
        var derivation = PoseDerivation()
        _ = derivation.take(.learn("tree", DeviceTime(103)), settings)
        // It moves until 104 s, so it is learned from then on.
        let events = derivation.take(
            .samples(motion(9) { $0 < 4 ? 0.3 * sin(4 * $0) : 1.2 }), settings)
        let named = events.compactMap { ($0.body as? Pose)?.pose }
        #expect(named.contains("tree"))
        let next = try #require(derivation.continued())
        var other = next
        let again = other.take(.samples(motion(4, from: 10) { _ in 1.25 }), settings)
        let deviations = again.compactMap { ($0.body as? Pose)?.deviation }
        #expect(deviations.contains { abs($0 - 0.05) < 0.01 })
        _ = other.take(.forget("tree"), settings)
        #expect(other.continued() == nil)
        var many = PoseDerivation()
        for index in 0..<25 {
            _ = many.take(.learn("p\(index)", DeviceTime(0)), settings)
            _ = many.take(.samples(motion(2.1, from: 100 + 3 * Double(index)) { _ in 0.1 * Double(index) }), settings)
        }
        #expect(try JSONEncoder().encode(many).count < 60_000)
    }

    @Test("A gap begins the calm seconds of a template anew")
    func learningOverGap() {
        let settings = PoseSettings()
        var derivation = PoseDerivation()
        _ = derivation.take(.learn("tree", DeviceTime(100)), settings)
        _ = derivation.take(.samples(motion(1) { _ in 0 }), settings)
        _ = derivation.take(.samples(motion(1.5, from: 110) { _ in .pi / 2 }), settings)
        #expect(derivation.continued() == nil)
        let events = derivation.take(.samples(motion(3, from: 111.5) { _ in .pi / 2 }), settings)
        let deviations = events.compactMap { ($0.body as? Pose)?.deviation }
        #expect(!deviations.isEmpty && deviations.allSatisfy { abs($0) < 0.01 })
    }

    @Test("A crown on the left turns x and y")
    func crown() throws {
        let settings = PoseSettings.with {
            $0.templates = Self.settings.templates
            $0.turnsAxes = true
        }
        #expect(try run(motion(4) { _ in -.pi / 2 }, settings).holds.map(\.pose) == ["side"])
        #expect(try run(motion(4) { _ in .pi / 2 }, settings).holds.isEmpty)
    }

    @Test("Templates are written as a name and three numbers, and those too near to each other are a problem")
    func templates() throws {
        #expect(PoseTemplate("warrior 3 0 -4")?.gravity == SIMD3(0.6, 0, -0.8))
        for text in ["warrior 0 0 0", "war.rior 0 0 1", "warrior 0 1", " 0 0 1", "warrior 0 x 1", "warrior 0 inf 1"] {
            #expect(PoseTemplate(text) == nil, "\(text)")
        }
        func broken(_ templates: String...) -> Int {
            let settings = PoseSettings.with { $0.templates = templates.compactMap { PoseTemplate($0) } }
            return PoseSettings.rules.count { $0.isBroken(settings) }
        }
        #expect(broken("a 0 0 1", "b 0 1 0") == 0)
        #expect(broken("a 0 0 1", "b 0 0.4 1") == 1)
        #expect(broken("a 0 0 1", "a 0 1 0") == 1)
    }

    @Test("A name that is no name of a pose is rejected with its place")
    func names() {
        func rejection(_ body: String) -> Rejection? {
            do throws(Rejection) {
                _ = try Decoding.decode(
                    .command, Array(#"{"schema":"wearables/1","boot":"b","uptime":1,\#(body)}"#.utf8))
                return nil
            } catch {
                return error
            }
        }
        #expect(rejection(#""command":"learnPose","name":"Warrior_1""#) == nil)
        #expect(rejection(#""command":"learnPose""#)?.reason == .missingField)
        for name in ["\"a b\"", "\"\"", "\"123456789012345678901234567890123\""] {
            #expect(rejection(#""command":"forgetPose","name":\#(name)"#)?.reason == .invalidValue)
        }
        #expect(rejection(#""command":"learnPose","name":7"#)?.reason == .wrongType)
    }

    @Test("Numbers that are not finite or huge are survived")
    func hostile() throws {
        let samples = MotionSamples.hostile(500) { $0.append($1, gravity: $2, rate: $2) }
        #expect(try run(samples).holds.allSatisfy { $0.sway.isFinite })
    }

    @Test("A healthy wrist and a walking hand hold no pose near another direction", .recorded)
    func walking() throws {
        let samples = MotionSamples.accelerationOnly(try SharedData.acceleration("steps/user1_hand.csv.gz"))
        let mean = samples.gravity[samples.count / 2]
        let opposite = PoseSettings.with {
            $0.templates = [PoseTemplate(name: "opposite", gravity: -mean)].compactMap(\.self)
        }
        #expect(try run(samples, opposite).holds.isEmpty)
    }
}
