import SignalProcessing
import Testing

@Suite("A sample ledger")
struct SampleLedgerTests {
    private func ledger(_ times: [Double]) -> SampleLedger {
        var ledger = SampleLedger()
        for time in times { ledger.record(time: time, value: time, level: -time, longestStep: 0.01) }
        return ledger
    }

    private let steady = (0..<4000).map { Double($0) / 800 }

    @Test("covers what arrived and nothing else")
    func coverage() {
        let whole = ledger(steady)
        #expect(abs(whole.coverage(from: 1, to: 4, hertz: 800) - 1) < 1e-9)
        #expect(abs(whole.coverage(from: 4, to: 6, hertz: 800) - 0.5) < 1e-3)
        #expect(whole.coverage(from: 7, to: 8, hertz: 800) == 0)
        #expect(whole.coverage(from: 2, to: 2, hertz: 800) == 0)
        #expect(SampleLedger().coverage(from: 0, to: 1, hertz: 800) == 0)
    }

    @Test("counts a gap, long or short, and thinner samples as missing")
    func missing() {
        let gap = ledger(steady.filter { !(2.0..<2.1).contains($0) })
        #expect(abs(gap.coverage(from: 1.5, to: 2.5, hertz: 800) - 0.9) < 0.002)
        let short = ledger(steady.filter { !(2.0..<2.008).contains($0) })
        #expect(abs(short.coverage(from: 1.95, to: 2.05, hertz: 800) - 0.92) < 0.02)
        let half = ledger(steady.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element))
        #expect(abs(half.coverage(from: 1, to: 4, hertz: 800) - 0.5) < 0.02)
    }

    @Test("does not let dense samples make up for missing ones")
    func dense() {
        let times = steady.filter { $0 < 2 }.flatMap { [$0, $0 + 0.0006] } + steady.filter { $0 >= 3 }
        #expect(abs(ledger(times).coverage(from: 1, to: 4, hertz: 800) - 2 / 3) < 0.003)
    }

    @Test("answers as before about the time that it has not forgotten")
    func forgetting() throws {
        let whole = ledger(steady.filter { !(2.0..<2.1).contains($0) })
        for time in stride(from: 0.5, to: 5, by: 0.07) {
            var rest = whole
            rest.forget(before: time - 0.1)
            #expect(try #require(rest.beginning) > time - 0.3)
            for end in stride(from: time, to: 5.2, by: 0.11) {
                #expect(rest.coverage(from: time, to: end, hertz: 800) == whole.coverage(from: time, to: end, hertz: 800))
                let (some, all) = (rest.greatest(from: time, to: end), whole.greatest(from: time, to: end))
                #expect(some?.value == all?.value && some?.level == all?.level)
            }
        }
        // The newest stretch stays, so that later ones begin where they would have.
        var short = whole
        short.forget(before: 6)
        var long = whole
        for index in 4000..<4800 {
            short.record(time: Double(index) / 800, value: Double(index), level: 0, longestStep: 0.01)
            long.record(time: Double(index) / 800, value: Double(index), level: 0, longestStep: 0.01)
        }
        for time in stride(from: 5.0, to: 6, by: 0.013) {
            #expect(short.greatest(from: time, to: time)?.value == long.greatest(from: time, to: time)?.value)
        }
        var empty = SampleLedger()
        empty.forget(before: 1)
        #expect(empty.beginning == nil)
    }

    @Test("drops the oldest, which then counts as missing")
    func dropping() throws {
        let long = ledger((0..<16_000).map { Double($0) / 800 })
        let beginning = try #require(long.beginning)
        #expect(beginning > 13 && beginning < 14)
        #expect(long.coverage(from: 1, to: 2, hertz: 800) == 0)
        #expect(abs(long.coverage(from: 14, to: 19, hertz: 800) - 1) < 1e-9)
    }

    @Test("returns the greatest value and level to a tenth of a second")
    func greatest() throws {
        let greatest = try #require(ledger(steady).greatest(from: 2, to: 3))
        #expect((3...3.11).contains(greatest.value))
        #expect((-2 ... -1.89).contains(greatest.level))
        #expect(ledger(steady).greatest(from: 9, to: 10) == nil)
    }
}
