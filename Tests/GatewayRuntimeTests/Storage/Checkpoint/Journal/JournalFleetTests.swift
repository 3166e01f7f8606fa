import FleetSimulator
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

/// A lane that stores messages in place of states beside one that stores states, with the same messages, commands and commits.
private struct LanePair {
    private let folder: TemporaryDirectory
    private var journaled, whole: (directory: StateDirectory, lane: DurableLane)
    private var policy = DurableLane.everybody
    /// Whether the policy has changed since the last commit.
    private var hasOtherPolicy = false

    init() throws {
        folder = try TemporaryDirectory()
        journaled = try Self.lane(in: folder.path("journaled"), policy, journals: true)
        whole = try Self.lane(in: folder.path("whole"), policy, journals: false)
    }

    private static func lane(
        in path: String, _ policy: AccessPolicy, journals: Bool
    ) throws -> (directory: StateDirectory, lane: DurableLane) {
        let directory = try StateDirectory(path: path, logger: DurableLane.logger)
        return (directory, try DurableLane(in: directory, policy: policy, journals: journals))
    }

    /// Runs `body` with each lane.
    func each(_ body: (DurableLane) throws -> Void) rethrows { for lane in [journaled.lane, whole.lane] { try body(lane) } }

    mutating func replace(_ policy: AccessPolicy, at unix: Double) throws {
        self.policy = policy
        hasOtherPolicy = true
        try each { try $0.run(.replace(policy), at: unix) }
    }

    mutating func commit(at unix: Double) throws {
        try each { try $0.commit(at: unix) }
        hasOtherPolicy = false
    }

    /// Ends both without a commit; returns the states that each would restore.
    func restorable() throws -> (journaled: [RestoredState], whole: [RestoredState]) {
        let store = try journaled.directory.store(of: .safety)
        try store.replayJournal(
            by: JournalReplay(settings: PipelineHarness.settings, policy: policy, share: .whole))
        #expect(try store.debts().isEmpty || hasOtherPolicy, "they were published before")
        return (try store.load(), try whole.directory.store(of: .safety).load())
    }

    /// Starts both again.
    mutating func restart(at unix: Double) throws {
        hasOtherPolicy = false
        journaled.lane = try DurableLane(in: journaled.directory, policy: policy, startedAt: unix)
        whole.lane = try DurableLane(in: whole.directory, policy: policy, journals: false, startedAt: unix)
    }
}

@Suite("Messages in place of states, with a simulated fleet")
struct JournalFleetTests {
    @Test("after every kill the states are those of a lane that stores states", arguments: UInt64(0)..<6)
    func kills(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var messages = Fleet(
            kinds: [.diver, .headphones, .watch, .diver, .runner, .diver], count: 6, startingAt: 1_763_749_000, duration: 60,
            seed: seed
        ).map { InboundMessage(topic: $0.topic(), payload: $0.payload, retain: $0.retain) }
        let times = (0..<messages.count).map { 1_763_749_001 + Double($0) * 60 / Double(messages.count) }
        for index in messages.indices.dropLast() where Int.random(in: 0..<20, using: &random) == 0 {
            messages.swapAt(index, index + 1)
        }
        var lanes = try LanePair()
        try lanes.each { try $0.start(at: 1_763_749_000) }
        var (next, committed, kills, now) = (0, 0, 0, 0.0)
        while next < messages.count {
            let end = min(next + Int.random(in: 1...8, using: &random), messages.count)
            now = max(now + 0.001, times[end - 1])
            try lanes.each { try $0.lane.process(Array(messages[next..<end]), at: .at(now), firesTimers: !end.isMultiple(of: 7)) }
            next = end
            switch Int.random(in: 0..<24, using: &random) {
            case 0: try lanes.each { try $0.run(.postponeWaits(0.3), at: now) }
            case 1: try lanes.each { try $0.run(.restoreRetained, at: now) }
            case 2:
                let wrist = next.isMultiple(of: 2) ? Side.left : .right
                try lanes.replace(AccessPolicy(unknown: .with { $0.wrist = wrist }), at: now)
            case 3...5: try lanes.each { try $0.run(.tick(LanePace()), at: now) }
            case 6: try lanes.each { try $0.run(.resume, at: now) }
            default: break
            }
            if Int.random(in: 0..<2, using: &random) == 0 {
                try lanes.commit(at: now)
                committed = next
            }
            if Int.random(in: 0..<24, using: &random) == 0 {
                let (journaled, whole) = try lanes.restorable()
                #expect(journaled.map(\.device) == whole.map(\.device))
                for (left, right) in zip(journaled, whole) where left.state != right.state {
                    Issue.record("\(left.device): \(left.state.differences(from: right.state))")
                }
                now += 0.02
                try lanes.restart(at: now)
                next = committed
                kills += 1
            }
        }
        #expect(kills > 2)
    }
}
