import Foundation
import GatewayTestSupport
@testable import RecordingImport
import Testing

@Suite("Order of rows")
struct OrderTests {
    /// The places of `count` rows, in an order that is far from theirs and the same each time.
    private func shuffled(_ count: Int) -> [Int] {
        var state: UInt64 = 7
        return (0..<count).map { index in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33, index)
        }.sorted { $0 < $1 }.map(\.1)
    }

    private func log(_ times: [Double]) -> String {
        "time (s),depth (m)\n" + times.map { "\($0),\(2 + $0.truncatingRemainder(dividingBy: 7))\n" }.joined()
    }

    private func times(_ result: Imported) -> [Double] {
        result.payloads("submersion").flatMap { $0["measurements"] as? [[String: Any]] ?? [] }
            .compactMap { $0["timestamp"] as? Double }.map { $0 - 1 }
    }

    private func imported(_ text: String) throws -> Imported {
        try RecordingImportTests.imported(.dive, text: text) { ($0.start, $0.isOpenEnd) = (1_767_261_600, true) }
    }

    @Test func `Ten rows that stand after the next ten are sorted`() throws {
        let order = Array(0..<20) + Array(30..<40) + Array(20..<30) + Array(40..<60)
        let result = try imported(log(order.map(Double.init)))
        #expect(result.report.isClean, "\(result.notes)")
        #expect(times(result) == (0..<60).map(Double.init))
        #expect(result.report.files.first?.outOfOrder == 10)
        #expect(result.report.files.first?.summary.contains("10 out of order, sorted") == true)
    }

    @Test(arguments: [2, 300, 5000]) func `A log from back to front, and a shuffled one, are sorted`(count: Int) throws {
        for order in [Array((0..<count).reversed()), shuffled(count)] {
            let result = try imported(log(order.map(Double.init)))
            #expect(result.report.isClean, "\(result.notes)")
            #expect(times(result) == (0..<count).map(Double.init))
        }
    }

    @Test(.slow) func `A shuffled table of more rows than are sorted at a time is read in parts`() throws {
        let count = 150_000
        var opened = 0
        var reported: [ImportProblem] = []
        let rows = shuffled(count).map { "\($0)" } + ["x"]
        let text = Array("t\n\(rows.joined(separator: "\n"))\n".utf8)
        let sequence = ReadingSequence(
            order: .shuffled, report: FileReport(file: "f", device: "d", stream: .submersion), onFault: { reported.append($0) }
        ) { () throws(ImportProblem) in
            opened += 1
            let table = Table.beginning(text)
            return (table, Seconds(column: try table.readHeader { header throws(ImportProblem) in try header.require(["t"])[0] }))
        }
        var next: Int64 = 0
        while let reading = try sequence.next() {
            #expect(reading.micros == next)
            next += 1
        }
        #expect(next == Int64(count))
        #expect(opened == 3)
        #expect(sequence.report.rows == count + 1)
        #expect(sequence.report.bad == 1 && reported.count == 1)
    }

    /// Reads a column of microseconds.
    private struct Seconds: RowReader {
        let column: Column

        mutating func reading(of row: Row) throws(RowFault) -> TimedReading? {
            TimedReading(micros: Int64(try row.number(column)), reading: .water(WaterReading()))
        }
    }

    @Test(arguments: [(10, 3600.0), (10, -3600.0), (0, 3600.0), (1, -3600.0), (58, 3600.0), (59, -3600.0), (30, 31_536_000.0)])
    func `One time that is far off loses its row and no other`(place: Int, offset: Double) throws {
        var rows = (0..<60).map { 7200 + Double($0) * 0.02 }
        rows[place] += offset
        let result = try imported(log(rows))
        let report = try #require(result.report.files.first)
        #expect((report.samples, report.bad) == (59, 1), "\(result.notes)")
        #expect(result.has("log.csv:\(place + 2): the time is"), "\(result.notes)")
        rows.remove(at: place)
        #expect(times(result) == times(try imported(log(rows))))
    }

    @Test func `Two times that are far off, side by side, lose their rows`() throws {
        var rows = (0..<60).map { 7200 + Double($0) * 0.02 }
        rows[20] += 3600
        rows[21] += 3600
        let result = try imported(log(rows))
        #expect(result.report.files.first?.samples == 58)
        #expect(result.has("log.csv:22:") && result.has("log.csv:23:"), "\(result.notes)")
    }

    @Test func `A pause is no fault, and is listed with the greatest holes first`() throws {
        let rows = (0..<20).map(Double.init) + (3600..<3620).map(Double.init) + (3630..<3640).map(Double.init)
        let result = try imported(log(rows))
        #expect(result.report.isClean, "\(result.notes)")
        let report = try #require(result.report.files.first)
        #expect(report.interval == 1)
        #expect(report.holes.map(\.seconds) == [3581, 11])
        #expect(report.holes.first?.at == 1_767_261_619)
        #expect(
            report.summary.contains(
                "2 holes of more than twice the interval of 1.0 s: 3581.0 s from 2026-01-01T10:00:19Z, 11.0 s from 2026-01-01T11:00:19Z"
            ),
            "\(report.summary)")
        #expect(report.summary.contains("2026-01-01T10:00:00Z to 2026-01-01T11:00:39Z"))
    }

    @Test func `Rows behind a hole of months are read, as those of another dive in one table`() throws {
        let rows = (0..<20).map(Double.init) + (5_184_000..<5_184_020).map(Double.init)
        let result = try imported(log(rows))
        #expect(result.report.isClean, "\(result.notes)")
        #expect(times(result) == rows)
    }

    @Test func `Files of Sensor Logger are sorted, and lose a time that is far off`() throws {
        let samples = Motion.series(60, every: 0.02)
        let lines = Motion.sensorLogger(samples).split(separator: "\n").map(String.init)
        let swapped = lines[..<21] + lines[31..<41] + lines[21..<31] + lines[41...]
        let sorted = try Exports(["WristMotion.csv": swapped.joined(separator: "\n") + "\n"])
        let result = try RecordingImportTests.imported(.sensorLogger, [sorted.path])
        #expect(result.report.isClean, "\(result.notes)")
        let times = result.column("device-motion", "timestamp")
        #expect(times.count == 60 && times == times.sorted())
        var late = lines
        late[11] = late[11].replacingOccurrences(of: "17831603715", with: "17831639715")
        #expect(late[11] != lines[11])
        let ahead = try Exports(["WristMotion.csv": late.joined(separator: "\n") + "\n"])
        let dropped = try RecordingImportTests.imported(.sensorLogger, [ahead.path])
        #expect(dropped.report.files.first?.samples == 59)
        #expect(dropped.has("WristMotion.csv:12: the time is 3600 s after those of the rows around it"), "\(dropped.notes)")
    }
}
