import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

/// A device whose streams are in another lane than the one that derives its connection.
@Suite("The connection of a device after a start")
struct RestoredConnectionTests {
    private let (folder, directory): (TemporaryDirectory, StateDirectory)
    private var device = TestDevice("d1", offset: 1_000)
    private var (safety, motion): (DurableLane, DurableLane)

    init() throws {
        (folder, directory) = try StateDirectory.temporary()
        safety = try DurableLane(in: directory, plan: Self.plan(.safety))
        motion = try DurableLane(in: directory, plan: Self.plan(.motion))
    }

    private static func plan(_ name: GatewayConfiguration.Lanes.Name) throws -> LanePlan {
        try #require(LanePlan.lanes(of: GatewayConfiguration()).first { $0.name == name })
    }

    /// Headphone motion at each second from `first` to `last`, of which the safety lane learns at once; what that publishes comes back.
    @discardableResult
    private mutating func stream(from first: Double, to last: Double, isQueued: Bool = false) throws -> [DerivedJSON] {
        try stride(from: first, through: last, by: 1).flatMap { try send(device.stillHead(uptime: $0), isQueued: isQueued) }
    }

    private mutating func send(_ frame: RecordedMessage, isQueued: Bool = false) throws -> [DerivedJSON] {
        try motion.lane.process([frame.message], at: .at(frame.at), firesTimers: !isQueued)
        return try connections(safety.run(.recordActivity(motion.lane.takeActivities()), at: frame.at))
    }

    /// Streams from 100 s to 160 s; the connection that is stored then is that of 100 s.
    private mutating func streamUncommitted() throws {
        try stream(from: 100, to: 100)
        try safety.commit(at: 1_100.1)
        try stream(from: 101, to: 160)
        for lane in [safety, motion] { try lane.commit(at: 1_160.1) }
    }

    /// The same lanes of a gateway that is started at `unix`.
    private mutating func restart(at unix: Double) throws {
        safety = try DurableLane(in: directory, plan: Self.plan(.safety), startedAt: unix)
        motion = try DurableLane(in: directory, plan: Self.plan(.motion), startedAt: unix)
    }

    private func tick(at unix: Double) throws -> [DerivedJSON] { try connections(safety.run(.tick(LanePace()), at: unix)) }

    private func connections(_ messages: [DerivedJSON]) -> [DerivedJSON] { messages.filter { $0.kind.hasPrefix("connection/") } }

    @Test("one that publishes all the time is not silent after a kill")
    mutating func killed() throws {
        try streamUncommitted()
        try restart(at: 1_161)
        #expect(try tick(at: 1_161.5).isEmpty)
        #expect(try stream(from: 162, to: 200).isEmpty)
        #expect(try tick(at: 1_229).isEmpty)
        let silent = try tick(at: 1_231)
        #expect(silent.map { $0.text("state") } == ["silent"])
        #expect(silent.first?.number("deviceTime").map { $0 >= 230 } == true, "\(silent)")
    }

    @Test("while another lane may not have received what the device sent, it is not silent")
    mutating func late() throws {
        try stream(from: 100, to: 110)
        #expect(try safety.run(.awaitActivity(true), at: 1_111).isEmpty)
        #expect(try tick(at: 1_145).isEmpty)
        for uptime in 111...144 {
            var late = device.stillHead(uptime: Double(uptime))
            late.at = 1_145
            #expect(try send(late).isEmpty)
        }
        #expect(try safety.run(.awaitActivity(false), at: 1_145).isEmpty)
        #expect(try tick(at: 1_173).isEmpty)
        #expect(try tick(at: 1_180).map { $0.text("state") } == ["silent"])
    }

    @Test("one that sent nothing is silent when the other lanes have received everything")
    mutating func silent() throws {
        try stream(from: 100, to: 110)
        #expect(try safety.run(.awaitActivity(true), at: 1_111).isEmpty)
        #expect(try tick(at: 1_145).isEmpty)
        #expect(try safety.run(.awaitActivity(false), at: 1_160).isEmpty)
        let silent = try tick(at: 1_160)
        #expect(silent.map { $0.text("state") } == ["silent"])
        #expect(silent.first?.number("deviceTime") == 140)
    }

    @Test("one whose last stored frame had come late is not silent when the next comes in time")
    mutating func delayed() throws {
        var late = device.stillHead(uptime: 100)
        late.at += 40
        _ = try send(late)
        for lane in [safety, motion] { try lane.commit(at: 1_140.1) }
        try restart(at: 1_161)
        // By that frame it is 131 s on the device's clock, and 171 s by the next.
        #expect(try tick(at: 1_171).isEmpty)
        #expect(try stream(from: 171, to: 180).isEmpty)
        #expect(try tick(at: 1_209).isEmpty)
        #expect(try tick(at: 1_211).map { $0.text("state") } == ["silent"])
    }

    @Test("one that sends nothing more after a kill is silent a whole period after the queue is read")
    mutating func gone() throws {
        try streamUncommitted()
        try restart(at: 1_161)
        #expect(try safety.run(.tick(LanePace(firesTimers: false)), at: 1_200).isEmpty)
        #expect(try tick(at: 1_210).isEmpty)
        #expect(try tick(at: 1_239.5).isEmpty)
        let silent = try tick(at: 1_241)
        #expect(silent.map { $0.text("state") } == ["silent"])
        #expect(silent.first?.number("deviceTime").map { $0 > 239 && $0 <= 240.1 } == true, "\(silent)")
    }

    @Test("what was queued while the gateway did not run is no silence, whichever lane reads it first")
    mutating func queued() throws {
        try streamUncommitted()
        try restart(at: 1_300)
        let status = device.status(uptime: 250)
        try safety.lane.process([status.message], at: .at(1_300.1), firesTimers: false)
        #expect(safety.published.all.filter { $0.kind == "connection/device" }.isEmpty)
        #expect(try stream(from: 161, to: 165, isQueued: true).isEmpty)
        #expect(try stream(from: 260, to: 301, isQueued: true).isEmpty)
        #expect(try stream(from: 302, to: 303).isEmpty)
        #expect(try tick(at: 1_304).isEmpty)
    }

    @Test("a clock that is set back begins a run here too, also of a device with a status", arguments: [false, true])
    mutating func setBack(hasStatus: Bool) throws {
        if hasStatus { try safety.lane.process([device.status(uptime: 99).message], at: .at(1_099), firesTimers: true) }
        try stream(from: 100, to: 110)
        device.offset += 60
        var found: [DerivedJSON] = []
        for uptime in 51...80 {
            let unix = 1_060 + Double(uptime)
            found += try stream(from: Double(uptime), to: Double(uptime))
            try motion.lane.run(.tick(LanePace()), at: .at(unix + 0.5))
            found += try safety.run(.recordActivity(motion.lane.takeActivities()), at: unix + 0.5) + tick(at: unix + 0.5)
        }
        #expect(found.map { $0.text("cause") } == ["clockSetBack"])
        let source = try #require(found.first?.fields["source"] as? [String: Any])
        #expect(source["run"] as? Int == 2 && source["stream"] as? String == "headphone-motion")
        #expect(try tick(at: 1_169).isEmpty)
        #expect(try tick(at: 1_171).map { $0.text("state") } == ["silent"])
    }

    @Test("a stop stores what other lanes have reported")
    mutating func stopped() throws {
        try streamUncommitted()
        try safety.run(.end, at: 1_160.2)
        try safety.commit(at: 1_160.2)
        let stored = try #require(try safety.lane.store?.load().first?.state)
        let due = stored.boot.derivations[DeviceConnectionDerivation.self]?.due(settings: DeviceConnectionSettings())
        #expect(due.map { $0.seconds > 189 } == true, "\(String(describing: due))")
    }

    @Test("one that left memory is not silent by what was stored of it")
    mutating func evicted() throws {
        try stream(from: 100, to: 101)
        try safety.commit(at: 1_101.1)
        for uptime in [110.0, 125, 140] {
            _ = try send(
                device.frame("headphone-connection", uptime: uptime, #""event":"didConnect","timestamp":\#(uptime)"#))
        }
        for unix in [1_150.0, 1_151] { try safety.evict(at: unix) }
        #expect(safety.snapshot.activeDevices == 0)
        #expect(try stream(from: 152, to: 160).isEmpty)
    }
}
