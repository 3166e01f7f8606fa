import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Changes of wear")
struct WearChangesTests {
    private static let day = 96

    /// What a consumer knows who keeps the last revision of each instant, and leaves out what was undone.
    private func known(_ changes: WearChanges) -> [Int: WearChanges.Change] {
        changes.changes.filter { !$0.value.isUndone }.mapValues { change in
            var change = change
            change.revision = 0
            return change
        }
    }

    /// The changes of a history that was derived in one go.
    private func expected(_ states: [WearState]) -> [Int: WearChanges.Change] {
        guard let first = states.firstIndex(where: { $0 != .unknown }), let last = states.lastIndex(where: { $0 != .unknown })
        else { return [:] }
        var found: [Int: WearChanges.Change] = [first: .init(state: states[first])]
        var start = first
        for block in first..<last where states[block + 1] != states[block] {
            found[block + 1] = .init(state: states[block + 1], previous: states[block], start: start)
            start = block + 1
        }
        return found
    }

    @Test("Days in any order, whole or in parts, give the changes of all of them in one go")
    func order() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<300 {
            let days = Int.random(in: 1...6, using: &random)
            var states: [WearState] = []
            while states.count < days * Self.day {
                let state = [WearState.worn, .notWorn, .unknown].randomElement(using: &random) ?? .worn
                states += Array(repeating: state, count: Int.random(in: 1...150, using: &random))
            }
            states = Array(states.prefix(days * Self.day))
            // What has arrived: parts of days, each derived with the days beside it.
            var present = Array(repeating: WearState.unknown, count: states.count)
            var changes = WearChanges()
            var consumer: [Int: WearChanges.Change] = [:]
            let parts = (0..<days * 4).shuffled(using: &random)
            for part in parts {
                for block in part * 24..<(part + 1) * 24 { present[block] = states[block] }
                let day = part / 4
                let blocks = day * Self.day - 3..<(day + 1) * Self.day + 3
                for block in changes.revise(blocks, { present.indices.contains($0) ? present[$0] : .unknown }) {
                    consumer[block] = changes.changes[block]
                }
            }
            #expect(known(changes) == expected(states))
            #expect(consumer == changes.changes, "every change was published")
        }
    }

    @Test("What was published before is not published again, and samples that were deleted take nothing back")
    func known() {
        var changes = WearChanges()
        let states = Array(repeating: WearState.worn, count: 40) + Array(repeating: .notWorn, count: 56)
        #expect(changes.revise(0..<96) { states[$0] } == [0, 40])
        #expect(changes.revise(0..<96) { states[$0] }.isEmpty)
        #expect(changes.revise(0..<96) { $0 < 50 ? .unknown : states[$0] }.isEmpty)
        #expect(changes.revise(0..<96) { _ in .unknown }.isEmpty)
        #expect(changes.newest == 40)
    }

    @Test("The number of changes that are remembered is limited, and the oldest does not come anew")
    func limit() {
        var changes = WearChanges()
        for day in 0..<20 {
            let blocks = day * Self.day..<(day + 1) * Self.day
            let revised = changes.revise(blocks) { $0 % 2 == 0 ? .worn : .notWorn }
            #expect(revised == Array(blocks), "day \(day)")
        }
        #expect(changes.changes.count == 512)
    }
}
