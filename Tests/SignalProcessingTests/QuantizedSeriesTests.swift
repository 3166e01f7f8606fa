import StateCoding
import Testing

@testable import SignalProcessing

@Suite("Quantized series as they are stored")
struct QuantizedSeriesTests {
    /// As earlier versions have stored a series.
    private struct Earlier: Codable {
        var scales: [Double]
        var values: [UInt8]
    }

    private struct Steps: Codable {
        var scales: [Double] = [1, 1]
        var steps: [UInt8]
    }

    private func series(_ rows: [SIMD2<Double>]) -> QuantizedSeries {
        var series = QuantizedSeries(scales: [1, 0.5])
        for row in rows { series.append(row) }
        return series
    }

    @Test("every value comes back, the greatest steps too", arguments: [0, 1, 2, 500])
    func roundTrip(count: Int) throws {
        let extremes: [Double] = [-32_768, 32_767, 0, -1, 63, 64, -64, -65, 8_191, 8_192]
        let series = series((0..<count).map { SIMD2(extremes[$0 % 10], extremes[($0 * 7 + 3) % 10] / 2) })
        #expect(try StateCoder.decode(QuantizedSeries.self, from: StateCoder.encode(series)) == series)
    }

    @Test("small steps take a byte each")
    func size() throws {
        let smooth = series((0..<1_000).map { SIMD2(Double($0 % 50), Double($0 % 30)) })
        #expect(try StateCoder.encode(smooth).count < 2_100)
    }

    @Test("what an earlier version has stored is read")
    func earlier() throws {
        let stored = Earlier(scales: [1, 0.5], values: [1, 0, 0xFE, 0xFF, 0xFF, 0x7F, 0, 0x80])
        let read = try StateCoder.decode(QuantizedSeries.self, from: StateCoder.encode(stored))
        #expect(read.column(0) == [1, 32_767] && read.column(1) == [-1, -16_384])
    }

    @Test(
        "a row that is cut, a number without an end and one beyond 16 bits are errors",
        arguments: [
            [2], [2, 0x80], [0x80, 0x80, 0x80, 0x01, 0], [0x80, 0x80, 0x04, 0, 0x80, 0x80, 0x04, 0],
        ] as [[UInt8]])
    func damaged(steps: [UInt8]) throws {
        let stored = try StateCoder.encode(Steps(steps: steps))
        #expect(throws: StateCodingError.self) { try StateCoder.decode(QuantizedSeries.self, from: stored) }
    }
}
