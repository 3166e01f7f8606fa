import FleetSimulator
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("A broker that delivers again behind newer frames, with a simulated fleet")
struct RedeliveryFleetTests {
    private static let settings = PipelineSettings.with { $0.intake.redeliverySeconds = 60 }

    @Test("after any number of kills nothing is missing", arguments: Array(UInt64(0)..<6) + [188])
    func kills(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let frames = Fleet(
            kinds: [.diver, .watch, .diver, .runner, .diver, .watch], count: 6, startingAt: 1_763_749_000, duration: 40,
            seed: seed
        ).map { InboundMessage(topic: $0.topic(), payload: $0.payload, retain: $0.retain) }
        let start = 1_763_749_001.0
        let folder = try TemporaryDirectory()
        let directory = try StateDirectory(in: folder)
        var lane = try DurableLane(in: directory, settings: Self.settings, startedAt: start)
        // What the broker delivers next, and what it has delivered without an acknowledgement.
        var (queue, unacknowledged) = (frames, [InboundMessage]())
        var (delivered, kills) = (0, 0)
        while !queue.isEmpty {
            let now = start + Double(delivered) * 40 / Double(frames.count)
            let batch = Array(queue.prefix(Int.random(in: 1...8, using: &random)))
            queue.removeFirst(batch.count)
            try lane.lane.process(batch, at: .at(now))
            delivered += batch.count
            unacknowledged += batch
            if Int.random(in: 0..<6, using: &random) == 0 { _ = try lane.run(.tick(LanePace()), at: now) }
            if Int.random(in: 0..<3, using: &random) == 0 {
                try lane.commit(at: now)
                unacknowledged = []
            }
            guard kills < 8, Int.random(in: 0..<10, using: &random) == 0 else { continue }
            kills += 1
            lane = try DurableLane(in: directory, settings: Self.settings)
            try lane.start(at: now, changesOwner: Bool.random(using: &random))
            try lane.run(.resume, at: now)
            try lane.run(.awaitRedelivery(extendsWaits: true), at: now)
            queue.insert(contentsOf: unacknowledged, at: min(Int.random(in: 10...60, using: &random), queue.count))
            unacknowledged = []
        }
        let end = start + Double(delivered) * 40 / Double(frames.count)
        #expect(kills > 2)
        lane.published.clear()
        try lane.lane.run(.tick(LanePace()), at: .at(end + 100))
        #expect(!lane.published.all.contains { $0.kind == "gap" })
        #expect(lane.snapshot.counters.missingFrames == 0)
    }
}
