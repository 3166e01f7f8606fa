import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("A minute of recorded acceleration")
struct HistoryMinuteTests {
    private let start = 1_763_748_900.0

    private func samples(_ indices: some Sequence<Int>, identified: Bool = true) -> RecordedAcceleration {
        let indices = Array(indices)
        func column(_ value: (Int) -> Double) -> [Double] { indices.map(value) }
        return RecordedAcceleration(
            identifier: identified ? indices.map { Int64($0 + 500) } : nil,
            startDate: indices.map { UnixTime(start + Double($0) * 0.02) },
            acceleration: VectorColumns(
                x: column { Double($0 % 7) / 100 }, y: column { -Double($0 % 5) / 50 }, z: column { Double($0) / 300 - 5 }))
    }

    private func minute(_ all: [RecordedAcceleration]) -> HistoryMinute {
        var minute = HistoryMinute(minute: HistoryMinute.minute(of: UnixTime(start)))
        for samples in all { _ = minute.add(samples, 0..<samples.count) }
        return minute
    }

    @Test("A row gives back the quantised samples", arguments: [true, false])
    func roundTrip(identified: Bool) throws {
        let whole = minute([samples(0..<3_000, identified: identified)])
        let row = HistoryRow(whole)
        #expect(try row.samples() == whole)
        #expect(row.count == 3_000)
        #expect(row.first.seconds == start)
        #expect(abs(row.last.seconds - start - 59.98) < 1e-6)
        #expect(whole.z[600] == Int16(-3 * 2_048))
        #expect(row.data.count < 3_000 * 4)
    }

    @Test("Any order of frames, and frames that overlap or come twice, give the same row", .slow, arguments: [true, false])
    func order(identified: Bool) {
        let expected = minute([samples(0..<3_000, identified: identified)])
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20 {
            var pieces = stride(from: 0, to: 3_000, by: 100).map { samples($0..<min(3_000, $0 + 130), identified: identified) }
            pieces += pieces.prefix(5)
            pieces.shuffle(using: &random)
            #expect(minute(pieces) == expected)
        }
    }

    @Test("A sample within 5 ms of another is the same one, and so is one with its identifier")
    func duplicates() {
        var minute = minute([samples(0..<10)])
        var moved = samples(0..<10)
        moved.startDate = moved.startDate.map { $0 + 0.004 }
        moved.identifier = moved.identifier?.map { $0 + 100 }
        #expect(minute.add(moved, 0..<10) == 0)
        moved = samples(0..<10)
        moved.startDate = moved.startDate.map { $0 + 30 }
        #expect(minute.add(moved, 0..<10) == 0)
        #expect(minute.count == 10)
    }

    @Test("Acceleration beyond 16 G is clipped, and marked")
    func clipped() throws {
        var hard = samples(0..<1)
        hard.acceleration.x = [20]
        hard.acceleration.y = [-64]
        let minute = minute([hard])
        #expect(minute.isClipped)
        #expect(minute.x == [.max] && minute.y == [.min])
        #expect(try HistoryRow(minute).samples() == minute)
    }

    @Test("A damaged row is an error, or has lost nothing")
    func damaged() throws {
        let whole = minute([samples(0..<500)])
        let row = HistoryRow(whole)
        var random = SeededGenerator(seed: 5)
        var errors = 0
        for _ in 0..<200 {
            var broken = row
            let place = Int.random(in: 0..<row.data.count, using: &random)
            broken.data[place] ^= UInt8.random(in: 1...255, using: &random)
            do {
                let found = try broken.samples()
                // Some bits of a zlib stream mean nothing.
                #expect(found == whole)
            } catch is DamagedHistory {
                errors += 1
            }
        }
        #expect(errors > 190)
        var empty = row
        empty.data = []
        #expect(throws: DamagedHistory.self) { try empty.samples() }
    }
}

@Suite("The order of a history's frames")
struct HistoryOrderTests {
    private func piece(_ sequence: Int) -> HistoryOrder.Piece {
        HistoryOrder.Piece(
            first: UInt64(sequence), last: UInt64(sequence), through: Int64(sequence * 10),
            throughDate: UnixTime(1_000 + Double(sequence)), fromDate: UnixTime(999.5 + Double(sequence)),
            since: UnixTime(5_000 + Double(sequence)))
    }

    @Test("What is stored ends before the first missing frame, whatever the order")
    func prefix() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20 {
            var order = HistoryOrder(boot: try #require(BootID("b")))
            for sequence in (0..<200).filter({ $0 != 50 }).shuffled(using: &random) {
                order.note(piece(sequence))
                order.note(piece(sequence))
                #expect(order.contains(UInt64(sequence)))
            }
            #expect(order.pieces.count == 2)
            #expect(order.prefix?.last == 49)
            #expect(order.prefix?.through == 490)
            #expect(order.prefix?.throughDate == UnixTime(1_049))
            #expect(order.deadline(60) != nil)
            let gap = order.giveUp()
            #expect(gap?.sequences == 50...50)
            #expect(gap?.from == UnixTime(1_049) && gap?.to == UnixTime(1_050.5))
            #expect(order.prefix?.last == 199)
            #expect(order.deadline(60) == nil)
        }
    }

    @Test("Before the first frame nothing is stored")
    func start() throws {
        var order = HistoryOrder(boot: try #require(BootID("b")))
        order.note(piece(3))
        #expect(order.prefix == nil)
        #expect(order.giveUp()?.sequences == 0...2)
        #expect(order.prefix?.last == 3)
    }
}
