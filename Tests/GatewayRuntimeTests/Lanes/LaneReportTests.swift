import GatewayPipeline
import GatewayTestSupport
import Mosquitto
import TelemetryModel
import Testing

@testable import GatewayRuntime

/// One lane carries a diver and a watch whose history is reported. The clock moves by 4 ms whenever it is read, so that a slice of 10 ms has
/// three steps.
@Suite("A lane that reports a history")
struct LaneReportTests {
    /// 2025-11-21 20:00 UTC.
    private static let evening = 1_763_755_200.0
    private let night = SimulatedNight(from: evening, hours: 3)
    private let fixture = LaneSessionFixture(clockStep: 0.004)
    private let due: Double
    private var watch = HistoryDevice(start: evening - 1_000)
    private let diver: TestDevice

    /// The night is received, and its report is due.
    init() {
        let sent = night.end + 2_000
        due = sent + 100
        diver = TestDevice("diver-1", offset: sent - 100)
        fixture.clock.set(to: sent)
        fixture.session.connected(sessionPresent: false)
        fixture.session.receive(watch.frames(night.samples, sent: sent).map { MQTTMessage($0) })
        for _ in 0..<10 where !Self.writes(fixture.session.review(isStopping: false)) { pass(0.5) }
        fixture.clock.set(to: due)
        fixture.published.clear()
    }

    private static func writes(_ decision: DeliveryDecision) -> Bool {
        if case .write = decision.acknowledgements { true } else { false }
    }

    /// Lets time pass.
    private func pass(_ seconds: Double) { fixture.clock.set(to: fixture.clock.now.unix.seconds + seconds) }

    /// How many messages were processed.
    private var received: Int { fixture.lane.snapshot.counters.received }

    private var kinds: [String] { fixture.published.all.map(\.kind) }

    /// A frame of another boot of the watch that is sent now, with a minute before the night.
    private func lateFrame(_ number: Int = 0) -> MQTTMessage {
        var device = HistoryDevice(boot: "late", start: Self.evening - 1_000)
        let start = Self.evening - 60 * Double(number + 1)
        return MQTTMessage(
            device.frame((0..<120).map { .init(start + 0.5 * Double($0), 0, 0, -1) }[...], sent: due, seq: number))
    }

    /// Reviews until `isOver`; returns how often.
    private func review(until isOver: (DeliveryDecision) throws -> Bool) throws -> Int {
        for count in 1...20_000 where try isOver(fixture.session.review(isStopping: false)) { return count }
        Issue.record("it does not end")
        return 0
    }

    /// Reviews until everything is acknowledged.
    private func settle() throws {
        _ = try review { decision in
            pass(0.2)
            return Self.writes(decision)
        }
    }

    @Test("reads between slices of it, and processes at once what it reads")
    func reads() throws {
        var diver = diver
        let before = received
        var depths = 0
        let reviews = try review { decision in
            if kinds.contains("day") { return true }
            // Nothing is waited for.
            #expect(decision.mayRead)
            #expect(decision.reviewAt.map { $0 <= .now } == true)
            fixture.session.receive([MQTTMessage(diver.depth(3, uptime: 200 + Double(depths) / 20))])
            depths += 1
            #expect(received == before + depths)
            #expect(kinds.contains("depth-state"))
            return false
        }
        #expect(reviews > 60, "270 minutes were read in \(reviews) slices")
        #expect(kinds.count { $0 == "day" } == 2)
    }

    @Test("lets a frame of that history wait, unacknowledged, and processes it behind the report")
    func waits() throws {
        _ = fixture.session.review(isStopping: false)
        fixture.session.receive([lateFrame()])
        _ = try review { decision in
            let isReported = kinds.contains("day")
            #expect(isReported || !Self.writes(decision))
            return isReported
        }
        #expect(fixture.published.all.filter { $0.kind == "day" }.map { $0.number("revision") } == [0, 0])
        try settle()
        fixture.published.clear()
        fixture.clock.set(to: due + 2_000)
        _ = try review { _ in kinds.contains("day") }
        #expect(fixture.published.all.filter { $0.kind == "day" }.map { $0.number("revision") } == [1])
    }

    @Test("gives way to frames that would fill the broker's window, and reports when no more come")
    func window() throws {
        _ = fixture.session.review(isStopping: false)
        fixture.session.receive((0..<100).map(lateFrame))
        try settle()
        #expect(!kinds.contains("day"))
        fixture.clock.set(to: due + 2_000)
        _ = try review { _ in kinds.contains("day") }
        #expect(fixture.published.all.filter { $0.kind == "day" }.map { $0.number("revision") } == [0, 0])
    }

    @Test("gives way to a frame that has waited for five seconds, and to a stop", arguments: [false, true])
    func givesWay(isStopping: Bool) throws {
        _ = fixture.session.review(isStopping: false)
        fixture.session.receive([lateFrame()])
        #expect(!Self.writes(fixture.session.review(isStopping: false)))
        if !isStopping { pass(5) }
        for _ in 0..<3 where !Self.writes(fixture.session.review(isStopping: isStopping)) {
            pass(0.5)
        }
        #expect(Self.writes(fixture.session.review(isStopping: isStopping)))
        #expect(!kinds.contains("day"))
    }

    @Test("drops frames that wait when the connection ends: the broker delivers them again")
    func disconnected() throws {
        _ = fixture.session.review(isStopping: false)
        let before = received
        fixture.session.receive([lateFrame()])
        fixture.session.disconnected()
        fixture.session.connected(sessionPresent: true)
        fixture.session.receive([lateFrame()])
        _ = try review { _ in kinds.contains("day") }
        fixture.published.clear()
        try settle()
        #expect(received == before + 1)
        fixture.clock.set(to: due + 2_000)
        _ = try review { _ in kinds.contains("day") }
        #expect(fixture.published.all.filter { $0.kind == "day" }.map { $0.number("revision") } == [1])
    }
}
