@testable import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

/// A gateway is killed between what it has published and what it has committed; the broker delivers the frames again.
@Suite("The alarms of a device after a kill")
struct RestoredAlarmTests {
    private static let offset = 1_763_744_000.0
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// A dive past the limit and back, twice, a measurement a second.
    private static let frames: [RecordedMessage] = {
        var device = TestDevice("d1", offset: offset)
        let depths: [Double] =
            [30, 34, 36, 38, 39, 40.5, 40.8, 40.5, 39.5] + Array(repeating: 39, count: 14)
            + [40.2, 40.4, 39.6] + Array(repeating: 36, count: 6) + [34, 32, 30] + Array(repeating: 29, count: 16)
        return depths.enumerated().map { device.depth($1, uptime: 100 + Double($0)) }
    }()

    /// What must be the same with and without a kill; contact is lost by a restart alone.
    private func alarms(_ messages: [DerivedJSON]) -> [DerivedJSON] {
        messages.filter { $0.kind == "alarm/past-limit" || $0.kind == "alarm/near-limit" }
    }

    private func play(_ frames: ArraySlice<RecordedMessage>, in lane: DurableLane) throws -> [DerivedJSON] {
        var messages: [DerivedJSON] = []
        for frame in frames {
            messages += try lane.run(.tick(LanePace()), at: frame.at)
            messages += try lane.take([frame])
        }
        return alarms(messages)
    }

    private static var settings: PipelineSettings { .with { $0.derive[SubmersionDerivation.self].refreshSeconds = 1 } }

    private func expected() throws -> [DerivedJSON] {
        let lane = try DurableLane(
            in: try StateDirectory(path: folder.path("whole"), logger: DurableLane.logger), settings: Self.settings)
        try lane.start(at: Self.offset + 99)
        return try play(Self.frames[...], in: lane)
    }

    @Test("the same messages with the same ids, wherever it is killed and whatever was committed", arguments: 0..<4)
    func kills(uncommitted: Int) throws {
        let expected = try expected()
        #expect(expected.count == 6)
        for kill in stride(from: 1, to: Self.frames.count, by: 2) {
            let committed = max(0, kill - uncommitted * 3)
            let directory = try StateDirectory(path: folder.path("\(uncommitted)-\(kill)"), logger: DurableLane.logger)
            var messages: [DerivedJSON] = []
            do {
                let lane = try DurableLane(in: directory, settings: Self.settings)
                try lane.start(at: Self.offset + 99)
                for index in 0..<committed {
                    messages += try play(Self.frames[index...index], in: lane)
                    try lane.commit(at: Self.frames[index].at)
                }
                messages += try play(Self.frames[committed..<kill], in: lane)
            }
            let lane = try DurableLane(in: directory, settings: Self.settings)
            lane.published.clear()
            try lane.start(at: Self.frames[kill].at - 0.5)
            messages += alarms(lane.published.all)
            messages += try play(Self.frames[committed...], in: lane)
            #expect(Set(messages.map(\.lasting)) == Set(expected.map(\.lasting)), "killed at \(kill), committed \(committed)")
        }
    }

    @Test("an acknowledgement that is committed stays, and one that is not is lost with its message")
    func acknowledged() throws {
        let device = try #require(DeviceID("d1"))
        for isCommitted in [true, false] {
            let directory = try StateDirectory(path: folder.path("\(isCommitted)"), logger: DurableLane.logger)
            do {
                let lane = try DurableLane(in: directory, settings: Self.settings)
                try lane.start(at: Self.offset + 99)
                _ = try play(Self.frames[..<7], in: lane)
                try lane.commit(at: Self.offset + 107)
                let acknowledgement = AlarmAcknowledgement(level: "past-limit", person: "Ada", at: UnixTime(Self.offset + 107))
                #expect(
                    try lane.lane.acknowledge(acknowledgement, of: device, at: .at(Self.offset + 107))?.state == .acknowledged)
                if isCommitted { try lane.commit(at: Self.offset + 107) }
            }
            let lane = try DurableLane(in: directory, settings: Self.settings)
            try lane.start(at: Self.offset + 108)
            let acknowledgement = AlarmAcknowledgement(level: "past-limit", person: "Bo", at: UnixTime(Self.offset + 109))
            let alarm = try #require(try lane.lane.acknowledge(acknowledgement, of: device, at: .at(Self.offset + 109)))
            #expect(alarm.acknowledgedBy == (isCommitted ? "Ada" : "Bo"))
            #expect(
                try lane.lane.acknowledge(
                    .init(level: "no", person: "Bo", at: UnixTime(Self.offset + 109)), of: device, at: .at(Self.offset + 109))
                    == nil)
        }
    }

    @Test("an alarm of a device whose state is on disk only is acknowledged, and counts while it is there")
    func evicted() throws {
        let device = try #require(DeviceID("d1"))
        let directory = try StateDirectory(path: folder.path("evicted"), logger: DurableLane.logger)
        var settings = PipelineHarness.settings
        settings.derive[AlarmDerivation.self].written = [
            AlarmRule("shore", .info, [AlarmCondition("depth-state", "state", .oneOf([.text("notSubmerged")]))])
        ]
        let lane = try DurableLane(in: directory, settings: settings)
        try lane.start(at: Self.offset + 99)
        var app = TestDevice("d1", offset: Self.offset)
        try lane.take([
            app.frame("submersion", uptime: 100, #""events":[{"timestamp":99.9,"state":"notSubmerged"}]"#)
        ])
        try lane.evict(at: Self.offset + 300)
        try lane.evict(at: Self.offset + 400)
        #expect(lane.snapshot.activeDevices == 0)
        #expect(lane.snapshot.fleet.alarms == [.init(name: "shore", severity: .info): 1])
        let alarm = try lane.lane.acknowledge(
            .init(level: "shore", person: "Ada", at: UnixTime(Self.offset + 500)), of: device, at: .at(Self.offset + 500))
        #expect(alarm?.acknowledgedBy == "Ada")
        let restarted = try DurableLane(in: directory, settings: settings)
        try restarted.start(at: Self.offset + 501)
        #expect(restarted.snapshot.fleet.alarms == [.init(name: "shore", severity: .info): 1])
    }
}
