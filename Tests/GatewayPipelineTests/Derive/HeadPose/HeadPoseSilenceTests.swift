import GatewayPipeline
import GatewayTestSupport
import SignalProcessing
import TelemetryModel
import Testing

@Suite("Head pose: silence")
struct HeadPoseSilenceTests {
    private typealias Input = HeadPoseDerivation.Input
    private let turned = Quaternion.rotation(by: SIMD3(0, 0, 0.7))

    @Test("after a silence the reference is kept, and the first sample is not published")
    func silence() throws {
        var stream = MotionStream()
        stream.turn(20)
        stream.skip(3, to: turned)
        stream.turn(20)
        let poses = try HeadPoseDerivation.run([.samples(stream.samples)], .with { $0.rateHertz = 100 }).poses
        let resumed = 10 + 20 * 0.04 + 3
        let after = poses.filter { $0.time.seconds > resumed - 0.01 }
        #expect(after.count == 19)
        #expect(after.allSatisfy { $0.pose.referenceAt == DeviceTime(10.32) && abs($0.pose.yaw - 0.7) < 1e-9 })
    }

    @Test("while the attitudes after a silence still settle, nothing is published")
    func settling() throws {
        var stream = MotionStream()
        stream.turn(20)
        stream.skip(3)
        for angle in [0.9, 0.7, 0.5, 0.3, 0.1] {
            stream.turn(1, showing: Quaternion.rotation(by: SIMD3(angle, 0, 0)))
        }
        stream.turn(20)
        let poses = try HeadPoseDerivation.run([.samples(stream.samples)], .with { $0.rateHertz = 100 }).poses
        #expect(poses.count == 12 + 19)
        #expect(poses.allSatisfy { abs($0.pose.pitch) < 1e-9 })
    }

    @Test("a gap longer than the limit is a silence, the limit itself is not", arguments: [1.0, 2, 5])
    func limit(seconds: Double) throws {
        for (gap, count) in [(seconds + 0.01, 0), (seconds, 1)] {
            let calm = MotionSamples.still(from: 10, to: 11)
            let next = MotionSamples.still(at: [11 + gap])
            let settings = HeadPoseSettings.with { ($0.silenceSeconds, $0.rateHertz) = (seconds, 10) }
            let before = try HeadPoseDerivation.run([.samples(calm)], settings).count
            #expect(try HeadPoseDerivation.run([.samples(calm), .samples(next)], settings).count == before + count)
        }
    }

    @Test("a step that disagrees without a silence holds nothing back")
    func jump() throws {
        var stream = MotionStream()
        stream.turn(20)
        stream.skip(0, to: Quaternion.rotation(by: SIMD3(0, 0, 0.3)))
        stream.turn(1)
        let poses = try HeadPoseDerivation.run([.samples(stream.samples)], .with { $0.rateHertz = 100 }).poses
        #expect(poses.count == 13)
        #expect(poses.last.map { abs($0.pose.yaw - 0.3) < 1e-9 } == true)
    }

    @Test("a step of more than 20 degrees that the rotation does not predict is another frame, and voids the reference")
    func frameChange() throws {
        var stream = MotionStream()
        stream.turn(20)
        stream.skip(0, to: turned)
        stream.turn(1)
        let poses = try HeadPoseDerivation.run([.samples(stream.samples)], .with { $0.rateHertz = 100 }).poses
        #expect(poses.count == 12)
    }

    @Test("two lone samples, each after a silence, are never compared")
    func loneSamples() throws {
        let samples = MotionSamples.still(from: 10, to: 10.5)
        let lone = MotionSamples.still(at: [13, 16, 19, 19.6])
        let settings = HeadPoseSettings.with { $0.rateHertz = 10 }
        #expect(
            try HeadPoseDerivation.run([.samples(samples), .samples(lone)], settings)
                == HeadPoseDerivation.run([.samples(samples)], settings))
    }

    @Test("any cut into frames, saved or not, gives the same events", arguments: 0..<20)
    func anyFrames(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var stream = MotionStream(interval: Double.random(in: 0.01...0.07, using: &generator))
        for _ in 0..<25 {
            let rate = SIMD3<Double>.random(in: -3...3, using: &generator)
            let acceleration = Double.random(in: 0...0.18, using: &generator)
            stream.turn(Int.random(in: 1...40, using: &generator), rate: rate, acceleration: acceleration)
            stream.skip(Double.random(in: 0...2.5, using: &generator))
        }
        let settings = HeadPoseSettings.with { $0.rateHertz = 10 }
        let whole = try HeadPoseDerivation.run([.samples(stream.samples)], settings)
        let frames = stream.samples.frames(longest: 30, using: &generator).map(Input.samples)
        #expect(try HeadPoseDerivation.run(frames, settings) == whole)
        #expect(try HeadPoseDerivation.run(frames, settings, saving: true) == whole)
        #expect(!whole.isEmpty)
    }

    @Test("commands and disconnects between frames survive saving", arguments: 0..<20)
    func savedWithCommands(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var stream = MotionStream()
        stream.turn(800, rate: SIMD3(0.1, -0.2, 0.3))
        var inputs: [Input] = []
        for frame in stream.samples.frames(longest: 25, using: &generator) {
            inputs.append(.samples(frame))
            let time = DeviceTime(frame.timestamp[0] + Double.random(in: -2...2, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: inputs.append(.reset(time))
            case 1: inputs.append(.connection(.init(event: .didDisconnect, time: time)))
            default: break
            }
        }
        let settings = HeadPoseSettings.with { $0.rateHertz = 10 }
        let events = try HeadPoseDerivation.run(inputs, settings)
        #expect(try HeadPoseDerivation.run(inputs, settings, saving: true) == events)
        #expect(Set(events.poses.map(\.pose.referenceAt)).count > 1)
    }
}
