import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("States that move to another lane's file")
struct StateMoveTests {
    private static let headphones: Set<StreamName> = [.headphoneMotion, .headphoneConnection]
    private let folder: TemporaryDirectory
    private let directory: StateDirectory
    private let unix = 1_763_744_100.0

    init() throws {
        folder = try TemporaryDirectory()
        directory = try StateDirectory(in: folder)
    }

    /// A lane with its states on disk, started.
    private func lane(_ name: GatewayConfiguration.Lanes.Name, _ streams: Set<StreamName>) throws -> DurableLane {
        let plan = LanePlan(name, streams: streams, takesUnknown: false, in: GatewayConfiguration())
        let lane = try DurableLane(in: directory, plan: plan)
        try lane.start(at: unix)
        return lane
    }

    private func move() throws -> StateMove {
        try StateMove(
            of: Self.headphones, from: directory.store(of: .motion), to: directory.store(of: .bulk), producers: Producers())
    }

    /// Has a lane with `streams` take frames, commits, and closes it; what it published comes back.
    private func run(
        _ name: GatewayConfiguration.Lanes.Name, _ streams: Set<StreamName>, _ frames: [RecordedMessage]
    ) throws -> [String] {
        let lane = try lane(name, streams)
        let published = try lane.take(frames)
        try lane.commit(at: unix + 100)
        return published.map(\.lasting)
    }

    @Test("after a kill before the source is cleared the move is repeated: nothing is lost or published twice")
    func killed() throws {
        var devices = (0..<3).map { TestDevice("d\($0)") }
        let parts = (0..<4).map { part in
            (0..<5).flatMap { index in
                devices.indices.map { devices[$0].stillHead(uptime: 100 + Double(part) + Double(index) * 0.2) }
            }
        }
        let other = try TemporaryDirectory()
        let expected = try DurableLane(in: StateDirectory(in: other)).take(parts.flatMap(\.self))
            .filter { $0.kind != "connection/device" }.map(\.lasting)
        #expect(expected.count > 40)

        var published = try run(.motion, Self.headphones, parts[0])
        _ = try run(.bulk, [.batchedIMU], [devices[0].accelerometer(start: 99)])
        let interrupted = try move()
        #expect(interrupted.count == 3)
        try interrupted.writeTarget(at: .at(unix + 101))
        // The old lane is started once more, and reads what came meanwhile.
        published += try run(.motion, Self.headphones, parts[1])
        let repeated = try move()
        try repeated.writeTarget(at: .at(unix + 102))
        try repeated.clearSource(at: .at(unix + 102))
        #expect(repeated.dropped.isEmpty && interrupted.dropped.isEmpty)
        #expect(try directory.store(of: .motion).load().isEmpty)
        #expect(try move().count == 0)
        published += try run(.bulk, Self.headphones.union([.batchedIMU]), parts[1] + parts[2])
        // A third time nothing is left to move, and the new lane keeps what it has.
        let third = try move()
        try third.writeTarget(at: .at(unix + 103))
        try third.clearSource(at: .at(unix + 103))
        published += try run(.bulk, Self.headphones.union([.batchedIMU]), parts[3])
        #expect(published.sorted() == expected.sorted())
    }

    @Test("parts that cannot be added to the target are reported")
    func dropped() throws {
        var boots = (0..<3).map { TestDevice("d0", boot: "b\($0)", offset: 1_763_744_000 + Double($0) * 200) }
        _ = try run(.motion, Self.headphones, [boots[0].stillHead(uptime: 100)])
        _ = try run(
            .bulk, [.batchedIMU],
            [boots[0].accelerometer(start: 100), boots[1].accelerometer(start: 50), boots[2].accelerometer(start: 50)])
        let move = try move()
        #expect(Set(move.dropped.map(\.part)) == ["derive/headPose", "derive/connection.headphone"])
    }

    @Test("the files of a lane that has ended are removed")
    func removed() throws {
        _ = try run(.motion, Self.headphones, [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).contains("motion.sqlite"))
        directory.remove(.motion)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasPrefix("motion") } == [])
    }
}
