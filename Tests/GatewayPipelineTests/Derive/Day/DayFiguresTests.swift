@testable import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Figures of a day")
struct DayFiguresTests {
    @Test("A sample just before midnight is none of the day after it")
    func midnight() throws {
        let day = 20_000
        let days = try #require(HistoryDays([day]))
        let midnight = Double(day) * HistoryDay.seconds
        // One of 5 G 40 microseconds before midnight, then 5 s of 1 G.
        let still = (1...249).map { Double($0) / 50 }
        let samples = RecordedAcceleration(
            startDate: ([-0.00004] + still).map { UnixTime(midnight + $0) },
            acceleration: VectorColumns(
                x: [5.0] + still.map { _ in 0.0 }, y: Array(repeating: 0.0, count: 250), z: [0.0] + still.map { _ in -1.0 }))
        var before = HistoryMinute(minute: day * HistoryDay.minutes - 1)
        var after = HistoryMinute(minute: day * HistoryDay.minutes)
        _ = before.add(samples, 0..<1)
        _ = after.add(samples, 1..<250)
        var summary = HistorySummary(of: days, passes: [0: DayPass(of: days)])
        for minute in [before, after] { summary.add(minute) }
        summary.endMinutes()
        while summary.isBehind { summary.catchUp() }
        let figures = try #require((summary.passes[0] as? DayPass)?.figures[day])
        #expect(figures.enmo.first == 0)
    }
}
