import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Streams that move to another lane")
struct StreamMoveTests {
    private static let headphones: Set<StreamName> = [.headphoneMotion, .headphoneConnection]
    private static let motion: Set<StreamName> = [.headphoneMotion, .headphoneConnection, .deviceMotion, .command]
    private static let bulk: Set<StreamName> = [.batchedIMU]
    private let device: DeviceID
    private let offset = 1_763_744_000.0

    init() throws { device = try #require(Identifier("d1")) }

    /// The lanes that have what `lanes` had, after `streams` moved from the first to the second.
    private func move(
        _ streams: Set<StreamName> = headphones, from source: TestLane, to target: TestLane, at unix: Double
    ) -> (source: TestLane, target: TestLane, dropped: [DroppedPart]) {
        var (left, right) = (source.state(of: "d1"), target.state(of: "d1"))
        let dropped = left.moveStreams(streams, of: device, to: &right)
        return (
            source.started(with: Self.motion.subtracting(streams), left, of: device, at: unix),
            target.started(with: Self.bulk.union(streams), right, of: device, at: unix), dropped
        )
    }

    private func heads(_ device: inout TestDevice, _ uptimes: [Double]) -> [RecordedMessage] {
        uptimes.map { device.stillHead(uptime: $0) }
    }

    private func ids(_ messages: [DerivedJSON]) -> [String?] { messages.map { $0.text("id") } }

    /// A head from 100 s to 104 s, the lanes moving after 102 s; what an undisturbed lane and the two lanes publish of the rest.
    private func expectUndisturbed(
        before: (inout TestDevice) -> [RecordedMessage] = { _ in [] }, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var app = TestDevice()
        var (undisturbed, source, target) = (TestLane(Self.motion), TestLane(Self.motion), TestLane(Self.bulk))
        let first = before(&app) + heads(&app, (0..<10).map { 100 + Double($0) * 0.2 })
        undisturbed.take(first)
        source.take(first)
        target.take(first)
        var moved = move(from: source, to: target, at: offset + 102)
        let rest = heads(&app, (10..<20).map { 100 + Double($0) * 0.2 })
        let expected = undisturbed.take(rest) + undisturbed.tick(at: offset + 120)
        #expect(expected.contains { $0.kind == "head-pose" }, sourceLocation: sourceLocation)
        #expect(expected.contains { $0.text("state") == "silent" }, sourceLocation: sourceLocation)
        moved.target.take([first[first.count - 1]])
        let published = moved.target.take(rest) + moved.target.tick(at: offset + 120)
        #expect(published.map(\.lasting) == expected.map(\.lasting), sourceLocation: sourceLocation)
        #expect(moved.target.pipeline.counters.repeated == 1, sourceLocation: sourceLocation)
        #expect(moved.source.take(rest).isEmpty && moved.source.tick(at: offset + 120).isEmpty, sourceLocation: sourceLocation)
        #expect(moved.dropped.isEmpty, sourceLocation: sourceLocation)
    }

    @Test("a lane without a state of the device publishes what the source would have published")
    func withoutDevice() throws { try expectUndisturbed() }

    @Test("a lane with a state of the same boot publishes what the source would have published, and keeps its own streams")
    func sameBoot() throws {
        try expectUndisturbed { app in
            [app.status(uptime: 99.5), app.accelerometer(start: 99), app.accelerometer(start: 99.1)]
        }
        var app = TestDevice()
        var (source, target) = (TestLane(Self.motion), TestLane(Self.bulk))
        source.take(heads(&app, [100, 100.2]))
        target.take([app.accelerometer(start: 99), app.accelerometer(start: 99.1)])
        var moved = move(from: source, to: target, at: offset + 101)
        #expect(moved.target.take([app.accelerometer(start: 99.2)]).allSatisfy { $0.kind != "gap" })
        #expect(moved.target.state(of: "d1").intake.committed(SequenceScope(.batchedIMU)) == 2)
    }

    @Test("what belongs to streams that stay, stays")
    func stays() throws {
        var app = TestDevice()
        var (source, target) = (TestLane([.submersion, .headphoneMotion, .headphoneConnection]), TestLane(Self.bulk))
        source.take([app.status(uptime: 99)] + heads(&app, [100]) + [app.depth(3, uptime: 100)])
        let before = source.state(of: "d1")
        let moved = move(from: source, to: target, at: offset + 101)
        let (left, right) = (moved.source.state(of: "d1"), moved.target.state(of: "d1"))
        #expect(left.boot.derivations[SubmersionDerivation.self] != nil)
        #expect(right.boot.derivations[SubmersionDerivation.self] == nil)
        #expect(left.boot.derivations[HeadPoseDerivation.self] == nil)
        #expect(right.boot.derivations[HeadPoseDerivation.self] != nil)
        #expect(left.retained.kinds == before.retained.kinds.filter { !right.retained.kinds.contains($0) })
        #expect(Set(right.retained.kinds).isSuperset(of: ["access/headphone-motion", "connection/headphone"]))
        #expect(left.retained.kinds.contains("access/submersion") && left.status != nil && right.status == left.status)
        #expect(left.decisions.keys.sorted { $0.rawValue < $1.rawValue } == [.submersion])
        #expect(right.decisions.keys.sorted { $0.rawValue < $1.rawValue } == [.headphoneMotion])
    }

    @Test("a frame that waits for an earlier one waits in the other lane")
    func waiting() throws {
        var app = TestDevice()
        var (source, target) = (TestLane(Self.motion), TestLane(Self.bulk))
        target.take([app.accelerometer(start: 99, seq: 0), app.accelerometer(start: 99.5, seq: 2)])
        source.take([app.stillHead(uptime: 100)])
        let missing = app.stillHead(uptime: 100.2)
        source.take(heads(&app, [100.4, 100.6]))
        #expect(source.state(of: "d1").intake.waiting.messages.count == 2)
        var moved = move(from: source, to: target, at: offset + 101)
        #expect(moved.source.state(of: "d1").intake.waiting.isEmpty)
        #expect(moved.target.state(of: "d1").intake.waiting.messages.map(\.number) == [0, 1, 2])
        let published = moved.target.take([missing])
        #expect(!published.contains { $0.kind == "gap" })
        #expect(moved.target.pipeline.counters.processed == 3)
        #expect(moved.target.state(of: "d1").intake.committed(SequenceScope(.headphoneMotion)) == 3)
    }

    @Test("a lane in an earlier boot stays in it, and uses the moved state in the later one")
    func behind() throws {
        var (old, new) = (TestDevice(boot: "b1"), TestDevice(boot: "b2", offset: offset + 100))
        var (source, target) = (TestLane(Self.motion), TestLane(Self.bulk))
        target.take([old.accelerometer(start: 100)])
        source.take(heads(&old, [100]) + heads(&new, [50, 50.2]))
        let pose = source.state(of: "d1").boot.derivations[HeadPoseDerivation.self]
        var moved = move(from: source, to: target, at: offset + 151)
        #expect(moved.dropped.isEmpty)
        let published = moved.target.take([
            old.accelerometer(start: 100.1), new.stillHead(uptime: 50.4), new.accelerometer(start: 51),
        ])
        #expect(!published.contains { $0.kind == "gap" })
        let counters = moved.target.pipeline.counters
        #expect(counters.processed == 3 && counters.late == 0 && counters.missingFrames == 0)
        let state = moved.target.state(of: "d1")
        #expect(state.intake.committed(SequenceScope(.headphoneMotion)) == 2 && state.boot.id?.rawValue == "b2")
        #expect(pose != nil && published.contains { $0.kind == "head-pose" })
    }

    @Test("a waiting frame of a later boot than the target's waits for that boot")
    func behindWaiting() throws {
        var (old, new) = (TestDevice(boot: "b1"), TestDevice(boot: "b2", offset: offset + 100))
        var (source, target) = (TestLane(Self.motion), TestLane(Self.bulk))
        target.take([old.accelerometer(start: 100)])
        source.take([new.stillHead(uptime: 50)])
        let missing = new.stillHead(uptime: 50.2)
        source.take([new.stillHead(uptime: 50.4)])
        var moved = move(from: source, to: target, at: offset + 151)
        moved.target.take([missing])
        #expect(moved.target.pipeline.counters.processed == 2)
        #expect(moved.target.state(of: "d1").intake.waiting.isEmpty)
    }

    @Test("a lane in a later boot stays in it, and the parts that it cannot use are reported")
    func ahead() throws {
        var boots = (0..<3).map { TestDevice(boot: "b\($0)", offset: offset + Double($0) * 100) }
        var (source, target) = (TestLane(Self.motion), TestLane(Self.bulk))
        let held = [boots[0].stillHead(uptime: 100), boots[0].stillHead(uptime: 100.4, seqAfterGap: ())]
        source.take(held)
        target.take([boots[0].accelerometer(start: 100), boots[1].accelerometer(start: 50), boots[2].accelerometer(start: 50)])
        var moved = move(from: source, to: target, at: offset + 260)
        #expect(moved.dropped.map(\.part).contains("derive/headPose"))
        #expect(moved.target.state(of: "d1").boot.id?.rawValue == "b2")
        let published = moved.target.take([boots[2].stillHead(uptime: 51), boots[0].stillHead(uptime: 101)])
        #expect(!published.contains { $0.kind == "gap" })
        #expect(moved.target.pipeline.counters.processed == 1 && moved.target.pipeline.counters.late == 1)
        // The frame that waited is of a boot that has ended: it is counted as late.
        _ = moved.target.tick(at: offset + 100_000)
        #expect(moved.target.pipeline.counters.late == 2)
        #expect(moved.target.state(of: "d1").intake.waiting.isEmpty)
    }

    @Test("a lane that has received nothing but the status enters the boot of the source")
    func statusAlone() throws {
        var (old, new) = (TestDevice(boot: "b1"), TestDevice(boot: "b2", offset: offset + 100))
        var (source, target) = (TestLane(Self.motion), TestLane(Self.bulk))
        let status = old.status(uptime: 99)
        target.take([status])
        source.take([status] + heads(&new, [50, 50.2]))
        var moved = move(from: source, to: target, at: offset + 151)
        #expect(moved.target.state(of: "d1").boot.id?.rawValue == "b2")
        moved.target.take([status, new.stillHead(uptime: 50.4)])
        #expect(moved.target.state(of: "d1").intake.committed(SequenceScope(.headphoneMotion)) == 2)
    }

    @Test("a repeated move gives the same result, and after the source is cleared it changes nothing")
    func again() throws {
        var app = TestDevice()
        var (source, target) = (TestLane(Self.motion), TestLane(Self.bulk))
        source.take([app.status(uptime: 99), app.stillHead(uptime: 100), app.stillHead(uptime: 100.4, seqAfterGap: ())])
        target.take([app.accelerometer(start: 99)])
        var (first, second) = (source.state(of: "d1"), source.state(of: "d1"))
        var other = target.state(of: "d1")
        _ = first.moveStreams(Self.headphones, of: device, to: &other)
        let once = other
        _ = second.moveStreams(Self.headphones, of: device, to: &other)
        #expect(try #require(once.intake.waiting.messages.first).message == other.intake.waiting.messages.first?.message)
        #expect(other.intake.waiting.messages.count == 1)
        #expect(once.differences(from: other) == ["intake", "waiting"])
        #expect(once.intake.committed(SequenceScope(.headphoneMotion)) == other.intake.committed(SequenceScope(.headphoneMotion)))
        let twice = other
        #expect(first.moveStreams(Self.headphones, of: device, to: &other).isEmpty)
        #expect(other == twice)
    }

    @Test("a connection that the source has published is not published again by the target")
    func status() throws {
        var app = TestDevice()
        var (source, target) = (TestLane([.status, .submersion]), TestLane(Self.bulk))
        let statuses = [app.status(uptime: 99), app.status("offline", uptime: 100)]
        #expect(source.take(statuses).contains { $0.kind == "connection/device" })
        target.take([app.accelerometer(start: 98), statuses[0]])
        var (left, right) = (source.state(of: "d1"), target.state(of: "d1"))
        #expect(left.moveStreams([.status], of: device, to: &right).isEmpty)
        var lane = target.started(with: [.status, .batchedIMU], right, of: device, at: offset + 101)
        #expect(lane.take([statuses[1]]).isEmpty)
        #expect(lane.take([app.status(uptime: 102)]).map { $0.text("previous") } == ["disconnected"])
    }

    @Test("the state of a producer moves with the stream of its lane, with all streams of its messages")
    func producer() throws {
        let app = SensorLoggerApp()
        var settings = try PipelineHarness.settings(producer: "sensorLogger", ["topic": "sensor-logger/{user}"])
        settings.derive[StrokeDerivation.self].wrist = .right
        let policy = PipelineHarness.policy("anna", topic: app.topic, id: app.id)
        let anna = try #require(Identifier("anna"))
        var sender = app
        let head = SensorLoggerPipeline.head(seconds: 6)
        let all = (0..<12).map { index in
            let readings = Array(head[index * 25..<index * 25 + 25])
            return sender.message(at: SensorLoggerPipeline.start + Double(index + 1) / 2, headphones: readings)
        }
        var undisturbed = TestLane(Self.motion, settings: settings, policy: policy)
        var source = TestLane(Self.motion, settings: settings, policy: policy)
        let target = TestLane(Self.bulk, settings: settings, policy: policy)
        undisturbed.take(Array(all[..<6]))
        source.take(Array(all[..<6]))
        var (left, right) = (source.state(of: "anna"), target.state(of: "anna"))
        _ = left.moveStreams(Self.headphones, of: anna, producers: settings.producers, to: &right)
        #expect(left.isBlank)
        var lane = target.started(with: Self.bulk.union(Self.headphones), right, of: anna, at: all[6].at)
        let expected = undisturbed.take(Array(all[6...]))
        #expect(expected.contains { $0.kind == "head-pose" })
        #expect(lane.take(Array(all[6...])).map(\.lasting) == expected.map(\.lasting))
    }
}

extension TestDevice {
    /// A headphone motion frame before which one is missing.
    fileprivate mutating func stillHead(uptime: Double, seqAfterGap: Void) -> RecordedMessage {
        _ = stillHead(uptime: uptime)
        return stillHead(uptime: uptime)
    }
}
