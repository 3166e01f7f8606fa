import GatewayTestSupport
import Testing

@testable import GatewayRuntime

@Suite("Rounds of a batch")
struct FairRoundsTests {
    private struct Message: Equatable {
        var owner: Int
        var number: Int
    }

    private func rounds(_ owners: [Int]) -> [[Message]] {
        FairRounds(owners.enumerated().map { Message(owner: $0.element, number: $0.offset) }, by: \.owner).rounds
    }

    @Test("one owner's many messages do not hold up another's few")
    func flood() {
        let owners = Array(repeating: 0, count: 150) + [1] + Array(repeating: 0, count: 40) + [2, 2]
        let rounds = rounds(owners)
        #expect(rounds.map(\.count) == [3, 2, 188])
        #expect(rounds[0].map(\.owner) == [0, 1, 2])
        #expect(rounds[1].map(\.owner) == [0, 2])
    }

    @Test("where all have as many it is one round, in turns", arguments: [1, 7, 20])
    func even(count: Int) {
        let owners = (0..<count * 10).map { $0 % 10 }
        #expect(rounds(owners) == [owners.enumerated().map { Message(owner: $0.element, number: $0.offset) }])
        #expect(rounds([]).isEmpty)
    }

    @Test("nothing is lost, every owner keeps its order, and the last of a round is done with it", arguments: 0..<100)
    func order(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let owners = (0..<Int.random(in: 1...200, using: &generator)).map { _ in
            min(Int.random(in: 0..<12, using: &generator), Int.random(in: 0..<12, using: &generator))
        }
        let rounds = rounds(owners)
        let all = rounds.flatMap(\.self)
        #expect(all.map(\.number).sorted() == Array(owners.indices))
        for owner in Set(owners) {
            let own = all.filter { $0.owner == owner }.map(\.number)
            #expect(own == own.sorted())
            // As many of any other owner came before its last message as it has itself, at the most.
            guard let last = all.lastIndex(where: { $0.owner == owner }) else { continue }
            for other in Set(owners) {
                #expect(all[...last].count { $0.owner == other } <= own.count)
            }
        }
        for (round, next) in zip(rounds, rounds.dropFirst()) {
            #expect(Set(next.map(\.owner)).isStrictSubset(of: Set(round.map(\.owner))))
        }
    }
}
