import Foundation
@testable import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import SignalProcessing
import StateCoding
import TelemetryModel
import Testing

@Suite("Series of samples")
struct SampleSeriesTests {
    private let everyPose = HeadPoseSettings.with { ($0.rateHertz, $0.seriesHertz) = (1, 100) }

    /// A head that is calm, turns, jumps by 5 degrees at sample 30, turns on, and is seen again after 0.6 s.
    private func turningHead() -> MotionSamples {
        var stream = MotionStream()
        stream.turn(15)
        stream.turn(15, rate: SIMD3(0.1, 0.4, 1))
        stream.skip(0, to: Quaternion.rotation(by: SIMD3(0.06, 0.24, 0.6 + 5 * .pi / 180)))
        stream.turn(15)
        stream.skip(0.6)
        stream.turn(10, from: .headphoneRight)
        return stream.samples
    }

    private func series(_ events: [DerivedEvent]) -> [HeadPoseSeries] { events.compactMap { $0.body as? HeadPoseSeries } }

    @Test("It has the poses that are published one by one at as high a rate, and a latest one a second beside them")
    func samePoses() throws {
        let samples = turningHead()
        let single = try HeadPoseDerivation.run([.samples(samples)], .with { $0.rateHertz = 100 }).poses
        let events = try HeadPoseDerivation.run([.samples(samples)], everyPose)
        let found = try #require(series(events).first)
        #expect(found.samples.map(\.time) == single.map(\.time.seconds) && found.samples.map(\.pose) == single.map(\.pose))
        #expect(events.poses.map(\.time) == [DeviceTime(10.32), DeviceTime(11), DeviceTime(12.4)])
        let event = try #require(events.last)
        #expect(event.time == single.last?.time && event.span?.lowerBound == single.first?.time && event.validUntil == nil)
    }

    @Test("The quality of a sample says whether its attitude follows from the one before")
    func quality() throws {
        let found = try #require(series(try HeadPoseDerivation.run([.samples(turningHead())], everyPose)).first)
        #expect(found.samples.filter { !$0.agrees }.map(\.time) == [11.2, 12.4])
    }

    @Test("Frames of any size, and a state that is stored between them, give the same samples", arguments: 1...8)
    func frames(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let samples = turningHead()
        let settings = HeadPoseSettings.with { $0.seriesHertz = [7, 10, 25, 100][seed % 4] }
        let whole = try HeadPoseDerivation.run([.samples(samples)], settings)
        let inputs = samples.frames(longest: 12, using: &random).map(HeadPoseDerivation.Input.samples)
        let cut = try HeadPoseDerivation.run(inputs, settings, saving: true)
        #expect(series(cut).flatMap(\.samples) == series(whole).flatMap(\.samples))
        #expect(series(cut).count <= inputs.count)
        #expect(cut.poses.map(\.pose) == whole.poses.map(\.pose))
        #expect(cut.allSatisfy { $0.isFinite })
    }

    @Test("There is none by default, and none of a frame without a pose")
    func none() throws {
        let samples = turningHead()
        #expect(series(try HeadPoseDerivation.run([.samples(samples)], HeadPoseSettings())).isEmpty)
        let frames = samples.frames(of: 5).map(HeadPoseDerivation.Input.samples)
        // The reference is the ninth sample.
        #expect(series(try HeadPoseDerivation.run(frames, everyPose)).count == frames.count - 1)
        let slow = try HeadPoseDerivation.run(frames, .with { $0.seriesHertz = 1 })
        #expect(series(slow).map(\.samples.count) == [1, 1, 1])
    }

    @Test("The empty state of a gateway without latest attitudes is read")
    func earlierState() throws {
        struct Nothing: Codable {}
        var attitude = try StateCoder.decode(AttitudeDerivation.self, from: StateCoder.encode(Nothing()))
        let input = AttitudeDerivation.Input(stream: .deviceMotion, samples: turningHead())
        #expect(attitude.take(input, AttitudeSettings()).count == 3)
    }

    // MARK: Messages

    /// What a pair of headphones sends: calm, then turning, a frame a fifth of a second.
    private func headphones() -> [RecordedMessage] {
        var device = TestDevice("pods-1")
        return turningHead().frames(of: 5).map { device.motion($0, on: .headphoneMotion) }
    }

    private static func settings() -> PipelineSettings {
        var settings = PipelineHarness.settings
        settings.derive[HeadPoseDerivation.self].seriesHertz = 100
        settings.derive[PostureDerivation.self].seriesHertz = 100
        settings.derive[AttitudeDerivation.self].seriesHertz = 100
        settings.derive.setEnabled(AttitudeDerivation.self, true)
        return settings
    }

    private func columns(_ message: DerivedJSON, _ name: String) -> [Double]? { message.fields[name] as? [Double] }

    @Test("A message for each frame, not retained, with the frame as its source and columns of one length")
    func messages() throws {
        var harness = PipelineHarness(settings: Self.settings())
        let messages = harness.send(headphones())
        let found = messages.filter { $0.kind == "head-pose/series" }
        #expect(found.count == 10 && found.allSatisfy { !$0.retain && $0.expirySeconds == nil })
        #expect(Set(found.compactMap { $0.text("id") }).count == found.count)
        for message in found {
            let count = try #require(columns(message, "timestamp")).count
            for name in ["roll", "pitch", "yaw", "sampleQuality"] { #expect(columns(message, name)?.count == count) }
            let attitude = try #require(message.fields["attitude"] as? [String: [Double]])
            #expect(attitude.count == 4 && attitude.values.allSatisfy { $0.count == count })
            #expect(columns(message, "timestamp")?.last == message.number("at"))
            let sequence = (message.fields["source"] as? [String: Any])?["seq"] as? [Int]
            #expect(sequence?.count == 2 && sequence?.first == sequence?.last)
        }
        #expect(found.dropLast(2).allSatisfy { $0.text("sensorLocation") == "default" })
        #expect(messages.filter { $0.kind == "head-pose" }.allSatisfy { $0.retain })
    }

    @Test("A gateway that goes on from a stored state publishes what it would have published, under the same ids")
    func restarted() throws {
        let frames = headphones()
        var live = PipelineHarness(settings: Self.settings())
        let whole = live.send(frames).filter { $0.kind.hasSuffix("/series") }
        #expect(Set(whole.map(\.kind)) == ["head-pose/series", "attitude/series"])
        for place in 1..<frames.count {
            var before = PipelineHarness(settings: Self.settings())
            let first = before.send(Array(frames[..<place]))
            var after = try before.restarted(at: frames[place].at, of: DeviceID("pods-1"))
            let second = after.send(Array(frames[place...]))
            let found = (first + second).filter { $0.kind.hasSuffix("/series") }
            #expect(found.map(\.lasting) == whole.map(\.lasting), "\(place)")
        }
    }

    @Test("Where the bud or the reference changes within a frame, each sample has its own")
    func changesWithinAFrame() throws {
        var stream = MotionStream()
        stream.turn(12)
        stream.turn(3, from: .headphoneRight)
        stream.skip(0, to: Quaternion.rotation(by: SIMD3(0, 0, 1)))
        stream.turn(12, from: .headphoneRight)
        let events = try HeadPoseDerivation.run([.samples(stream.samples)], everyPose)
        let found = try #require(events.last?.body as? HeadPoseSeries)
        let fields = HeadPoseSeries.kind.fields
        func value(_ name: String) -> FieldValue? { fields.first { "\($0.name)" == name }?.value(found) }
        #expect(value("sensorLocation") == .texts(found.samples.map(\.pose.sensorLocation.name)))
        #expect(value("referenceAt") == .columns(.instants(found.samples.map(\.pose.referenceAt.seconds))))
        #expect(Set(found.samples.map(\.pose.referenceAt)).count == 2)
    }

    // MARK: Other kinds

    @Test("Orientations: the same as single ones, with the accuracy of each heading")
    func orientation() throws {
        func column(_ value: (Int) -> Double) -> [Double] { (0..<40).map(value) }
        let zeros = VectorColumns(x: column { _ in 0 }, y: column { _ in 0 }, z: column { _ in 0 })
        let samples = MotionSamples(
            timestamp: column { 100 + Double($0) / 20 },
            attitude: QuaternionColumns(
                x: column { sin(Double($0) / 80) }, y: column { _ in 0 }, z: column { _ in 0 }, w: column { cos(Double($0) / 80) }
            ),
            rotationRate: zeros, userAcceleration: zeros, gravity: zeros, referenceFrame: .xTrueNorthZVertical,
            heading: column { $0 == 7 ? -1 : 90 }, headingAccuracy: column { $0 == 3 ? -1 : Double($0) })
        let single = try OrientationDerivation.run([samples], .with { $0.rateHertz = 10 }).compactMap { $0.body as? Orientation }
        let events = try OrientationDerivation.run([samples], .with { $0.seriesHertz = 100 })
        let found = try #require(events.last?.body as? OrientationSeries)
        #expect(found.samples.count == 39 && events.count == 3)
        #expect(single.allSatisfy { each in found.samples.contains { $0.orientation == each } })
        #expect(found.samples.map(\.orientation.accuracy)[3] == nil && found.samples.last?.orientation.accuracy == 39)
        #expect(events.allSatisfy { $0.isFinite })
        #expect(try OrientationDerivation.run([samples], OrientationSettings()).count == 2)
    }

    @Test("Attitudes: the latest of each stream, and its samples; a heading that begins anew follows from none")
    func attitude() throws {
        let samples = turningHead()
        var fused = samples.slice(30..<45)
        fused.source = .fused(
            FusedMotion(restarts: [0, 4], gyroscopeBias: SIMD3(0.01, 0, 0), isAtRest: true, isHeadingSettled: false))
        let settings = AttitudeSettings.with { $0.seriesHertz = 100 }
        let inputs = [
            AttitudeDerivation.Input(stream: .deviceMotion, samples: samples.slice(0..<30)),
            .init(stream: .headphoneMotion, samples: samples.slice(0..<10)),
            .init(stream: .deviceMotion, samples: fused), .init(stream: .deviceMotion, samples: samples.slice(40..<55)),
        ]
        let events = try AttitudeDerivation.run(inputs, settings, saving: true)
        let series = events.compactMap { $0.body as? AttitudeSeries }
        #expect(series.map(\.places.count) == [30, 10, 15, 10], "what is not later than the newest of the stream is left out")
        #expect(series[0].places.map(\.agrees) == [false] + Array(repeating: true, count: 29))
        #expect(series[2].places.filter { !$0.agrees }.map(\.index) == [0, 4])
        #expect(series[3].places.filter { !$0.agrees }.map(\.index) == [5], "after 0.6 s")
        #expect(series[3].timestamp == Array(samples.timestamp[45...]))
        let latest = events.compactMap { $0.body as? DeviceAttitude }
        #expect(latest.map(\.stream) == [.deviceMotion, .deviceMotion, .headphoneMotion, .deviceMotion])
        #expect(latest.map { $0.fused != nil } == [false, false, false, false])
        #expect(events.allSatisfy { $0.isFinite })
    }

    @Test("Attitudes: of a slower series only its samples are in the columns")
    func thinnedAttitude() throws {
        let samples = turningHead()
        let events = try AttitudeDerivation.run(
            [.init(stream: .deviceMotion, samples: samples)], .with { $0.seriesHertz = 5 })
        let found = try #require(events.last?.body as? AttitudeSeries)
        #expect(found.places.map(\.index).starts(with: [0, 3, 8]), "\(found.places)")
        #expect(found.timestamp == found.places.map { samples.timestamp[$0.index] })
        #expect(found.places.dropFirst().first?.agrees == true, "by the sample before it, which the series does not have")
    }

    @Test("Postures: the smoothed angles from when neutral is known, uncertain while the head accelerates")
    func posture() throws {
        var samples = MotionSamples()
        for index in 0..<200 {
            let angle = index < 100 ? 0 : 0.6
            samples.append(
                100 + Double(index) / 25, gravity: SIMD3(0, sin(angle), -cos(angle)), user: index == 150 ? SIMD3(1, 0, 0) : .zero)
        }
        let frames = samples.frames(of: 7).map { PostureDerivation.Input.samples($0, offset: 0) }
        let settings = PostureSettings.with { $0.seriesHertz = 25 }
        let events = try PostureDerivation.run(frames, settings, saving: true)
        let found = events.compactMap { $0.body as? PostureSeries }.flatMap(\.samples)
        let first = try #require(found.first), last = try #require(found.last)
        #expect(abs(first.time - 102) < 0.1 && abs(last.time - 107.9) < 0.1)
        #expect(abs(first.pitch) < 1e-6 && abs(last.pitch + 0.6) < 0.1 && abs(last.roll) < 1e-6)
        #expect((1...2).contains(found.count { !$0.isCalm }))
        #expect(try PostureDerivation.run(frames, PostureSettings()).allSatisfy { !($0.body is PostureSeries) })
        let others = { (events: [DerivedEvent]) in events.filter { !($0.body is PostureSeries) } }
        #expect(try others(events) == others(PostureDerivation.run(frames, PostureSettings())))
    }
}
