import Foundation
import GatewayPipeline
import SignalProcessing
import TelemetryModel
import Testing

@Suite("Head pose")
struct HeadPoseTests {
    private typealias Input = HeadPoseDerivation.Input
    private let settings = HeadPoseSettings.with { $0.rateHertz = 10 }

    @Test("the pose is the turn since the reference in the axes of the head at the reference, angles included")
    func relativePose() throws {
        let reference = SIMD4(sin(Double.pi / 6), 0, 0, cos(Double.pi / 6))
        let now = SIMD4(0.469846310, 0.171010072, 0.296198133, 0.813797681)
        var stream = MotionStream()
        stream.skip(0, to: reference)
        stream.turn(10)
        // So long a step cannot be judged: a shorter one would be a change of frame.
        stream.skip(0.6, to: now)
        stream.turn(1, from: .headphoneRight)
        let events = try HeadPoseDerivation.run([.samples(stream.samples)], settings)
        let last = try #require(events.poses.last)
        let error = last.pose.attitude - SIMD4(0, 0.296198133, 0.171010072, 0.939692621)
        #expect((error * error).sum() < 1e-16)
        let degrees = Double.pi / 180
        #expect(abs(last.pose.roll - 34.0246 * degrees) < 1e-5)
        #expect(abs(last.pose.pitch - 5.8144 * degrees) < 1e-5)
        #expect(abs(last.pose.yaw - 18.8478 * degrees) < 1e-5)
        #expect(last.pose.sensorLocation == .headphoneRight)
    }

    @Test(
        "an event is valid, stands for its sample and expires after the silence limit, or when the third after it is due",
        arguments: [(1.0, 10.0, 1.0), (2, 10, 2), (5, 1, 5), (2, 1, 3), (2, 0.1, 30)])
    func event(silence: Double, rate: Double, validity: Double) throws {
        var stream = MotionStream()
        stream.turn(9)
        let settings = HeadPoseSettings.with { ($0.silenceSeconds, $0.rateHertz) = (silence, rate) }
        let event = try #require(try HeadPoseDerivation.run([.samples(stream.samples)], settings).first)
        #expect(event.quality == .valid && event.span == nil)
        #expect(event.validUntil == event.time + validity)
    }

    @Test("the first sample at or after each tenth of a second is published")
    func grid() throws {
        let times = [0.2, 0.25, 0.31, 0.35, 0.39, 0.3999, 0.4, 0.49, 0.61, 0.69, 0.7, 0.8, 0.81]
        let published = try publishedTimes(.still(at: times.map { 5321 + $0 }), settings)
        // Calm since 0.2, so the reference is the first sample at or after 0.5.
        #expect(published == [0.61, 0.7, 0.8].map { 5321 + $0 })
    }

    @Test("decimal times fall on the grid, not a rounding error before it", arguments: [10.0, 25])
    func decimalGrid(rate: Double) throws {
        let first = 86_399
        let times = (0..<400).map { Double(first * 100 + $0) / 100 }
        let published = try publishedTimes(.still(at: times), .with { $0.rateHertz = rate })
        let period = Int(100 / rate)
        let expected = (0..<400).filter { ($0 + first * 100).isMultiple(of: period) && $0 > 30 }.map { times[$0] }
        #expect(published.suffix(expected.count) == expected[...])
    }

    @Test("a rate above the stream's publishes every sample")
    func highRate() throws {
        var stream = MotionStream()
        stream.turn(20)
        let events = try HeadPoseDerivation.run([.samples(stream.samples)], .with { $0.rateHertz = 100 })
        #expect(events.count == 12)
    }

    @Test("quaternions of nearly unit length are brought to it", arguments: [0.91, 1.09])
    func nearlyUnit(norm: Double) throws {
        let samples = stillSamples(Quaternion.rotation(by: SIMD3(0.3, 0, 0)) * norm)
        let poses = try HeadPoseDerivation.run([.samples(samples)], settings).poses
        #expect(!poses.isEmpty)
        #expect(poses.allSatisfy { abs(Quaternion.norm($0.pose.attitude) - 1) < 1e-12 })
    }

    @Test(
        "samples without a usable attitude are as good as missing",
        arguments: [SIMD4(0, 0, 0, 0.5), .zero, SIMD4(.nan, 0, 0, 1), SIMD4(0, 0, 0, .infinity)])
    func degenerate(attitude: SIMD4<Double>) throws {
        var mixed = MotionSamples(sensorLocation: [])
        for index in 0..<40 {
            let isUsable = index.isMultiple(of: 2)
            mixed.append(10 + Double(index) * 0.02, attitude: isUsable ? Quaternion.identity : attitude)
        }
        let usable = MotionSamples.still(at: stride(from: 0, to: 40, by: 2).map { 10 + Double($0) * 0.02 })
        let events = try HeadPoseDerivation.run([.samples(mixed)], settings)
        #expect(try events == HeadPoseDerivation.run([.samples(usable)], settings))
        #expect(!events.isEmpty)
    }

    @Test("an attitude may change sign from sample to sample")
    func signFlips() throws {
        var samples = MotionSamples(sensorLocation: [])
        for index in 0..<20 {
            samples.append(10 + Double(index) * 0.04, attitude: SIMD4(0, 0, 0, index.isMultiple(of: 2) ? 1 : -1))
        }
        let poses = try HeadPoseDerivation.run([.samples(samples)], settings).poses
        #expect(poses.first?.pose.referenceAt == DeviceTime(10.32))
    }

    @Test("repeated samples change nothing")
    func repeated() throws {
        var stream = MotionStream()
        stream.turn(40)
        let once = try HeadPoseDerivation.run([.samples(stream.samples)], settings)
        let frames = [stream.samples.slice(0..<30), stream.samples.slice(10..<40)].map(Input.samples)
        #expect(try HeadPoseDerivation.run(frames, settings) == once)
    }

    private func publishedTimes(_ samples: MotionSamples, _ settings: HeadPoseSettings) throws -> [Double] {
        try HeadPoseDerivation.run([.samples(samples)], settings).map(\.time.seconds)
    }

    private func stillSamples(_ attitude: SIMD4<Double>) -> MotionSamples {
        var samples = MotionSamples(sensorLocation: [])
        for index in 0..<20 { samples.append(10 + Double(index) * 0.04, attitude: attitude) }
        return samples
    }
}
