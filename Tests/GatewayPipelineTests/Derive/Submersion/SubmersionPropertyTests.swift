import Foundation
import GatewayPipeline
import GatewayTestSupport
import StateCoding
import TelemetryModel
import Testing

@Suite struct SubmersionPropertyTests {
    private static let seeds = Array(UInt64(1)...60)

    @Test("invalid data anywhere never make a published state shallower than valid data alone", arguments: seeds)
    func badDataIsNeverSafer(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let good = SubmersionWalk.entries(using: &random, count: 300, hasEvents: seed.isMultiple(of: 3))
        var clean = SubmersionHarness(maximumDepth: seed.isMultiple(of: 2) ? 6 : 40)
        var dirty = clean
        var goodInARow = 100
        for entry in good {
            if Int.random(in: 0..<8, using: &random) == 0 {
                dirty.feed(measurements: [SubmersionWalk.badMeasurement(at: entry.time - 0.01, using: &random)])
                goodInARow = 0
            }
            clean.feed(entry)
            dirty.feed(entry)
            goodInARow += 1
            let isSafe =
                dirty.derivation.state == .unknown || dirty.derivation.state >= clean.derivation.state
                || clean.derivation.state == .unknown
            #expect(isSafe, "at \(entry.time.seconds): \(dirty.derivation.state) over \(clean.derivation.state)")
            if goodInARow > 60 { #expect(dirty.last?.quality != .fault) }
        }
        #expect(dirty.derivation.counters.faults > 0)
    }

    @Test("an out-of-the-water event is never accepted of a diver just measured at 2 m", arguments: seeds)
    func falseSurface(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var harness = SubmersionHarness(maximumDepth: 40)
        for entry in SubmersionWalk.entries(using: &random, count: 300, hasEvents: seed.isMultiple(of: 2)) {
            harness.feed(entry)
            guard case .measurement(let measurement) = entry, let depth = measurement.depth, depth >= 2 else { continue }
            let before = harness.derivation.state
            harness.event(.notSubmerged, entry.time.seconds + Double.random(in: 0...0.3, using: &random))
            #expect(harness.derivation.state == before)
            #expect(harness.last?.quality == .fault)
        }
    }

    @Test("frames may be split anywhere", arguments: seeds)
    func splitting(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let entries = SubmersionWalk.mixed(using: &random, count: 300)
        var whole = SubmersionHarness(maximumDepth: 6)
        whole.feed(entries)
        var split = SubmersionHarness(maximumDepth: 6)
        var rest = entries[...]
        while let first = rest.first {
            let frame = rest.prefix(Int.random(in: 1...20, using: &random))
            if Bool.random(using: &random) { split.wait(until: first.time.seconds) }
            split.feed(Array(frame))
            rest = rest.dropFirst(frame.count)
        }
        #expect(split.events == whole.events)
        #expect(split.derivation == whole.derivation)
        #expect(whole.events.count > 20)
    }

    @Test("the state may be written and read back anywhere", .slow, arguments: seeds)
    func coding(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let entries = SubmersionWalk.mixed(using: &random, count: 300)
        var kept = SubmersionHarness(maximumDepth: 40)
        var saved = kept
        for (index, entry) in entries.enumerated() {
            kept.feed(entry)
            saved.feed(entry)
            if index.isMultiple(of: 7) {
                let data = try StateCoder.encode(saved.derivation)
                saved.derivation = try StateCoder.decode(SubmersionDerivation.self, from: data)
                #expect(data.count < 8192)
            }
        }
        #expect(saved.events == kept.events)
        #expect(saved.derivation == kept.derivation)
    }

    @Test("every published number is finite", arguments: seeds)
    func finite(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var harness = SubmersionHarness(maximumDepth: 40)
        harness.feed(SubmersionWalk.mixed(using: &random, count: 600))
        for event in harness.events {
            #expect(event.isFinite)
        }
    }
}
