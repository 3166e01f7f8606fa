import Foundation
import GatewayPipeline
import GatewayTestSupport
import SignalProcessing
import TelemetryModel
import Testing

@Suite("Head pose: reference")
struct HeadPoseReferenceTests {
    private let settings = HeadPoseSettings.with { $0.rateHertz = 10 }
    private let turned = Quaternion.rotation(by: SIMD3(0, 0, 0.7))

    @Test("the reference is taken at the end of the first 0.3 s of calm, and is the first pose")
    func firstCalm() throws {
        var stream = MotionStream()
        stream.turn(20)
        let poses = try poses([.samples(stream.samples)])
        // Eight steps of 0.04 s are the first to make 0.3 s.
        #expect(poses.first?.time == DeviceTime(10.32))
        #expect(poses.first?.pose.referenceAt == DeviceTime(10.32))
        #expect(poses.first?.pose.attitude == Quaternion.identity)
    }

    @Test("a calm time that misses 0.3 s by rounding alone is long enough", arguments: [10, 5321.7, 86400.1])
    func roundedCalm(start: Double) throws {
        let samples = MotionSamples.still(at: (0...3).map { start + Double($0) * 0.1 })
        #expect(try poses([.samples(samples)]).count == 1)
    }

    @Test("acceleration of 0.15 G, even in one sample, starts the calm time anew")
    func acceleration() throws {
        var stream = MotionStream()
        stream.turn(5, acceleration: 0.1499)
        stream.turn(1, acceleration: 0.15)
        stream.turn(20, acceleration: 0.1499)
        #expect(try poses([.samples(stream.samples)]).first?.pose.referenceAt == DeviceTime(10.56))
    }

    @Test("a head may turn while calm, as long as its attitudes follow its rotation")
    func turningHead() throws {
        var stream = MotionStream()
        stream.turn(12, rate: SIMD3(0.4, 1, -0.8))
        #expect(try poses([.samples(stream.samples)]).count == 2)
    }

    @Test("a step that is off by more than 2 degrees starts the calm time anew", arguments: [(1.9, 10.32), (2.1, 10.52)])
    func disagreement(angle: Double, reference: Double) throws {
        var stream = MotionStream()
        stream.turn(5)
        stream.skip(0, to: Quaternion.rotation(by: SIMD3(angle * .pi / 180, 0, 0)))
        stream.turn(20)
        let first = try poses([.samples(stream.samples)]).first
        #expect(first.map { abs($0.pose.referenceAt.seconds - reference) < 1e-9 } == true)
    }

    @Test("a gap of more than half a second starts the calm time anew", arguments: [(0.46, 10.5), (0.48, 10.84)])
    func gap(skipped: Double, reference: Double) throws {
        var stream = MotionStream()
        stream.turn(1)
        stream.skip(skipped)
        stream.turn(20)
        let first = try poses([.samples(stream.samples)]).first
        #expect(first.map { abs($0.pose.referenceAt.seconds - reference) < 1e-9 } == true)
    }

    @Test("a stream that starts with 0.2 s of wrong attitudes never takes one as the reference", arguments: 0..<50)
    func bogusStart(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let angle = Double.random(in: 5...90, using: &generator) * .pi / 180
        let wrong = Quaternion.rotation(by: SIMD3(0.6, 0, -0.8) * angle)
        var stream = MotionStream(interval: [0.02, 0.04, 0.067][seed % 3])
        let count = Int(0.2 / [0.02, 0.04, 0.067][seed % 3])
        if seed.isMultiple(of: 2) {
            stream.turn(count, showing: wrong)
        } else {
            for left in stride(from: Double(count), through: 1, by: -1) {
                stream.turn(1, showing: Quaternion.rotation(by: SIMD3(0.6, 0, -0.8) * (angle * left / Double(count))))
            }
        }
        stream.turn(60)
        let poses = try poses([.samples(stream.samples)])
        #expect(!poses.isEmpty)
        for entry in poses { #expect(Attitude.angle(between: entry.pose.attitude, and: Quaternion.identity) < 0.035) }
    }

    @Test("after a reset the old reference holds until 0.3 s of calm after the command")
    func reset() throws {
        var stream = MotionStream()
        stream.turn(25)
        stream.turn(10, rate: SIMD3(0, 0, 1.75))
        stream.turn(25)
        for split in [20, 45] {
            let inputs: [HeadPoseDerivation.Input] = [
                .samples(stream.samples.slice(0..<split)), .reset(DeviceTime(11.6)),
                .samples(stream.samples.slice(split..<60)),
            ]
            let poses = try poses(inputs)
            let before = poses.filter { $0.time < DeviceTime(11.9) }
            #expect(before.allSatisfy { $0.pose.referenceAt == DeviceTime(10.32) })
            #expect(before.last.map { abs($0.pose.yaw - 0.7) < 1e-9 } == true)
            let last = try #require(poses.last)
            #expect(abs(last.pose.yaw) < 1e-9)
            #expect(abs(last.pose.referenceAt.seconds - 11.92) < 1e-9)
        }
    }

    @Test("a reset before the start of the reference's calm time changes nothing")
    func answeredReset() throws {
        var stream = MotionStream()
        stream.turn(40)
        let halves = [stream.samples.slice(0..<20), stream.samples.slice(20..<40)].map(HeadPoseDerivation.Input.samples)
        #expect(try poses([halves[0], .reset(DeviceTime(10)), halves[1]]) == poses(halves))
    }

    @Test("a disconnect clears the reference, whether its report is early, in time or late", arguments: [10, 25, 28])
    func disconnect(split: Int) throws {
        var stream = MotionStream()
        stream.turn(25)
        stream.skip(0, to: turned)
        stream.turn(25)
        let inputs: [HeadPoseDerivation.Input] = [
            .samples(stream.samples.slice(0..<split)),
            .connection(.init(event: .didDisconnect, time: DeviceTime(10.97))),
            .samples(stream.samples.slice(split..<50)),
        ]
        let poses = try poses(inputs)
        #expect(poses.contains { $0.time < DeviceTime(10.97) })
        let after = poses.filter { $0.time > DeviceTime(11.2) }
        #expect(!after.isEmpty)
        #expect(after.allSatisfy { $0.pose.referenceAt > DeviceTime(11.2) && abs($0.pose.yaw) < 1e-9 })
    }

    @Test("disconnects from before the reference that are reported together after it change nothing")
    func lateDisconnects() throws {
        var stream = MotionStream()
        stream.turn(20)
        stream.turn(20, rate: SIMD3(0, 0, 0.5))
        let halves = [stream.samples.slice(0..<20), stream.samples.slice(20..<40)].map(HeadPoseDerivation.Input.samples)
        let late = [9.0, 9.5].map { time in
            HeadPoseDerivation.Input.connection(.init(event: .didDisconnect, time: DeviceTime(time)))
        }
        #expect(try poses([halves[0]] + late + [halves[1]]) == poses(halves))
    }

    @Test("a connect and a handover keep the reference")
    func connectAndHandover() throws {
        var stream = MotionStream()
        stream.turn(20)
        stream.turn(20, from: .headphoneRight)
        let poses = try poses([
            .samples(stream.samples.slice(0..<20)), .connection(.init(event: .didConnect, time: DeviceTime(10.8))),
            .samples(stream.samples.slice(20..<40)),
        ])
        #expect(poses.allSatisfy { $0.pose.referenceAt == DeviceTime(10.32) })
        #expect(poses.last?.pose.sensorLocation == .headphoneRight)
    }

    private func poses(_ inputs: [HeadPoseDerivation.Input]) throws -> [TimedPose] {
        try HeadPoseDerivation.run(inputs, settings).poses
    }
}
