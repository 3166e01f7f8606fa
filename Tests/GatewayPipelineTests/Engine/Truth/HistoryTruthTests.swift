import Foundation
import GatewayTestSupport
import SignalProcessing
import TelemetryModel
import Testing

@testable import GatewayPipeline

/// Nights and a day of counts with known truth. `make truth` prints the figures.
@Suite("Truth: history", .slow)
struct HistoryTruthTests {
    @Test(
        "The onset and the length of sleep are within 10 min of the oracle's", .recordings(in: "second-half/nights"),
        arguments: [("p1n2", 60.4, 387.2), ("p6n1", 3.2, 412.4)])
    func night(name: String, onset: Double, length: Double) throws {
        let rows = try HistoryTruth.rows("second-half/nights/\(name).csv.gz")
        let messages = HistoryTruth.derive(rows)
        let sleep = try #require(messages.last { $0.kind == "sleep" })
        let found = ((sleep.number("start") ?? 0) - HistoryTruth.evening) / 60
        let minutes = (sleep.number("duration") ?? 0) / 60
        let hours = (rows.last?[0] ?? 0) / 3_600
        Truth.row(
            "sleep", data: "night \(name)", people: 1, hours: hours, "onset after an independent script's, min",
            Truth.number(found - onset, 1), goal: "-10 to 10")
        Truth.row(
            "sleep", data: "night \(name)", people: 1, hours: hours, "period longer than an independent script's, min",
            Truth.number(minutes - length, 1), goal: "-10 to 10")
        #expect(abs(found - onset) <= 10)
        #expect(abs(minutes - length) <= 10)
        let wear = messages.filter { $0.kind == "wear" }.map { $0.text("state") }
        #expect(wear == ["worn"], "all of the night is worn")
    }

    /// The nights are cut while the people sleep: the period has to end with the samples.
    @Test(
        "A night ends with its samples where they end in sleep", .recordings(in: "second-half/nights"),
        arguments: ["p1n2", "p6n1"])
    func cutNight(name: String) throws {
        let rows = try HistoryTruth.rows("second-half/nights/\(name).csv.gz")
        let ends = stride(from: 185.0, to: 415, by: 35)
        let short = try ends.map { (end: Double) -> Double in
            let sleep = try #require(HistoryTruth.derive(rows.filter { $0[0] < end * 60 }).last { $0.kind == "sleep" })
            return end - ((sleep.number("end") ?? 0) - HistoryTruth.evening) / 60
        }
        Truth.row(
            "sleep", data: "night \(name), cut at \(short.count) places", people: 1, "ends before its samples, min, the greatest",
            Truth.number(short.max() ?? .infinity, 1), goal: "<= 10")
        #expect(short.allSatisfy { $0 <= 10 })
    }

    /// Nobody has scored these nights by counts: the figures are for comparison with those by the angle.
    @Test("Counts per minute find sleep in the same periods", .recordings(in: "second-half/nights"), arguments: ["p1n2", "p6n1"])
    func nightByCounts(name: String) throws {
        let rows = try HistoryTruth.rows("second-half/nights/\(name).csv.gz")
        for method in [SleepMethod.sadeh, .coleKripke] {
            let sleep = try #require(HistoryTruth.derive(rows, method).last { $0.kind == "sleep" })
            let (asleep, duration) = (sleep.number("sleepDuration") ?? 0, sleep.number("duration") ?? 0)
            Truth.row(
                "sleep", data: "night \(name)", people: 1, hours: (rows.last?[0] ?? 0) / 3_600,
                "efficiency by \(method.rawValue)", Truth.number(asleep / duration))
            #expect(sleep.text("method") == method.rawValue)
            #expect(asleep >= 0.7 * duration && asleep < duration)
        }
    }

    @Test("Every minute is scored as ActiLife does", .recordings(in: "second-half/nights"), arguments: ["Sadeh", "ColeKripke"])
    func counts(algorithm: String) throws {
        let folder = try #require(SharedData.folder)
        let file = folder.appending(path: "second-half/actigraphy/GT3XPlus-RawData-Day01-\(algorithm).csv")
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst()
            .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let counts = lines.compactMap { Double($0[2]) }
        let expected = lines.compactMap { $0.last.map { $0 == "S" } }
        let found = algorithm == "Sadeh" ? ActigraphyScore.sadeh(counts) : ActigraphyScore.coleKripke(counts)
        let equal = zip(found, expected).count { $0 == $1 }
        Truth.row(
            "sleep", data: "ActiLife's \(algorithm)", people: 1, hours: 25, "minutes as ActiLife",
            "\(equal) of \(expected.count)",
            goal: "1500 of 1500")
        #expect(expected.count == 1_500)
        #expect(equal == 1_500)
    }

    @Test("Every minute that was not worn is found as ActiLife does, by three settings", .recordings(in: "second-half/nights"))
    func nonWear() throws {
        let folder = try #require(SharedData.folder).appending(path: "second-half/actigraphy")
        func rows(_ name: String) throws -> [[Substring]] {
            try String(contentsOf: folder.appending(path: "GT3XPlus-RawData-Day01-\(name).csv"), encoding: .utf8)
                .split(whereSeparator: \.isNewline).dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        }
        let counts = try rows("Sadeh").compactMap { Double($0[2]) }
        let periods = try rows("Choi-periods")
        for name in ["Choi Default", "Choi Custom1", "Choi Custom2"] {
            let own = periods.filter { $0[4] == name }
            let settings = try #require(own.first?[5...7].compactMap { Int($0) })
            let expected = own.flatMap { Array(repeating: $0[2] == "FALSE", count: Int($0[3]) ?? 0) }
            let found = ActigraphyNonWear.periods(in: counts, shortest: settings[0], window: settings[1], spike: settings[2])
            let equal = expected.indices.count { index in expected[index] == found.contains { $0.contains(index) } }
            Truth.row(
                "non-wear", data: "ActiLife's \(name) \(settings)", people: 1, hours: 25, "minutes as ActiLife",
                "\(equal) of \(expected.count)", goal: settings == [60, 30, 2] ? "1500 of 1500" : ">= 1455 of 1500")
            #expect(expected.count == 1_500)
            #expect(equal >= (settings == [60, 30, 2] ? 1_500 : 1_455))
        }
    }

    @Test(
        "A simulated night gives its own onset and end, also one that is restless or cut at its end",
        arguments: [
            ("with half an hour awake", 1_800.0, [Double]()), ("that ends asleep", 0, []),
            ("that ends restless", 0, [3_300, 2_100, 900]),
            ("that ends restless and with 5 min awake", 300, [3_300, 2_100, 900]),
        ])
    func simulated(name: String, after: Double, stirring: [Double]) throws {
        let night = SimulatedNight(from: HistoryTruth.evening, after: after, stirring: stirring)
        let messages = HistoryTruth.derive(night.samples.map { [$0.time - HistoryTruth.evening, $0.x, $0.y, $0.z] })
        let sleep = try #require(messages.last { $0.kind == "sleep" })
        let (start, end) = ((sleep.number("start") ?? 0) - night.onset, (sleep.number("end") ?? 0) - night.end)
        Truth.row(
            "sleep", data: "simulated night \(name)", "onset and end off by, min",
            "\(Truth.number(start / 60, 1)) and \(Truth.number(end / 60, 1))", goal: "-10 to 10")
        #expect(abs(start) <= 600)
        #expect(abs(end) <= 600)
    }
}
