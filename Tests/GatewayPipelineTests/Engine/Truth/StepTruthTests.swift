import Foundation
import GatewayTestSupport
import Testing

@testable import GatewayPipeline

/// Steps of people who were counted, and of people who did not walk. `make truth` prints the figures.
@Suite("Truth: steps", .slow)
struct StepTruthTests {
    private static let handWork = ["brush_teeth", "comb_hair", "drink_glass", "pour_water"]

    private struct Count {
        var name: String
        var truth: Double
        var found = 0.0
        var confidence: Double?
        var seconds = 0.0

        init(_ name: String, truth: Double, _ rows: [[Double]]) {
            (self.name, self.truth, seconds) = (name, truth, rows.last?[0] ?? 0)
            let days = HistoryTruth.derive(rows, from: HistoryTruth.evening - 50_000)
            let day = days.last { $0.kind == "day" }
            found = day?.number("estimatedSteps") ?? 0
            confidence = day?.number("stepsConfidence")
        }

        var error: Double { abs(found - truth) }
    }

    private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }

    /// Walks whose steps were counted by hand, and other work. Its authors' balanced error is the mean of the errors of both.
    @Test("The balanced error of SensorWatch is at most 14 steps", .recordings(in: "people/sensorwatch"))
    func sensorWatch() throws {
        let folder = try #require(SharedData.folder).appending(path: "people/sensorwatch")
        let lines = try String(contentsOf: folder.appending(path: "steps.csv"), encoding: .utf8).split(
            whereSeparator: \.isNewline)
        let counts = try lines.dropFirst().map { line in
            let cells = line.split(separator: ",")
            let rows = try HistoryTruth.rows("people/sensorwatch/\(cells[0]).csv.gz").map { [$0[0], $0[1], 0, 0] }
            return Count(String(cells[0]), truth: Double(cells[1]) ?? 0, rows)
        }
        let walks = counts.filter { $0.name.contains("walking") }
        let others = counts.filter { !$0.name.contains("walking") }
        let balanced = (mean(walks.map(\.error)) + mean(others.map(\.error))) / 2
        let hours = counts.reduce(0) { $0 + $1.seconds } / 3_600
        Truth.row(
            "day", data: "sensorwatch set 1", people: 1, hours: hours, "balanced error of the steps", Truth.number(balanced, 1),
            goal: "<= 14")
        let work = others.reduce(0) { $0 + $1.seconds } / 3_600
        Truth.row(
            "day", data: "sensorwatch, no walks", people: 1, hours: work, "steps an hour",
            Truth.number(others.reduce(0) { $0 + $1.found } / work, 0))
        reportConfidence(walks, data: "sensorwatch set 1", people: 1)
        #expect(counts.count == 30)
        #expect(balanced <= 14)
    }

    @Test("Hand work has at most 6 steps a minute", .recordings(in: "people/hmp"))
    func handWork() throws {
        var (steps, minutes) = (0.0, 0.0)
        for kind in Self.handWork + ["walk"] {
            let trials = try HistoryTruth.trials(kind)
            let found = Count(kind, truth: 0, HistoryTruth.joined(trials, gap: 60)).found
            let hours = HistoryTruth.seconds(trials) / 3_600
            if kind == "walk" {
                // Nobody counted these steps; people take 90 to 120 steps a minute.
                Truth.row(
                    "day", data: "hmp walk", people: 16, hours: hours, "steps a minute", Truth.number(found / hours / 60, 1))
                #expect(found / hours / 60 > 75)
            } else {
                Truth.row("day", data: "hmp \(kind)", people: 16, hours: hours, "steps an hour", Truth.number(found / hours, 0))
                steps += found
                minutes += hours * 60
            }
        }
        Truth.row(
            "day", data: "hmp hand work", people: 16, hours: minutes / 60, "steps a minute", Truth.number(steps / minutes, 1),
            goal: "<= 6")
        #expect(steps / minutes <= 6)
    }

    @Test("Steps of twelve walks are within 3 % on average", .recordings(in: "second-half/steps"))
    func oxford() throws {
        let walks = try SharedData.names("second-half/steps").filter { $0.hasSuffix(".gz") }.map { name in
            let rows = try HistoryTruth.rows("second-half/steps/\(name)")
            return Count(name, truth: (rows.last?[4] ?? 0) - (rows.first?[4] ?? 0), rows)
        }
        let error = mean(walks.map { $0.error / $0.truth })
        let hours = walks.reduce(0) { $0 + $1.seconds } / 3_600
        Truth.row(
            "day", data: "Oxford walks", people: 2, hours: hours, "mean error of the steps, %", Truth.number(100 * error),
            goal: "<= 3")
        reportConfidence(walks, data: "Oxford walks", people: 2)
        let sure = walks.filter { ($0.confidence ?? 0) >= 0.9 }
        #expect(walks.count >= 12)
        #expect(error <= 0.03)
        #expect(sure.count >= 8 && Double(sure.count { $0.error <= 0.05 * $0.truth }) >= 0.9 * Double(sure.count))
    }

    /// The share of walks within 5 %, of those with a confidence of 0.9 or more and of the others.
    private func reportConfidence(_ walks: [Count], data: String, people: Int) {
        for (name, range) in [("0.9 or more", 0.9..<2), ("0.5 to 0.9", 0.5..<0.9), ("under 0.5", 0..<0.5)] {
            let some = walks.filter { range.contains($0.confidence ?? 0) }
            let right = some.count { $0.error <= 0.05 * $0.truth }
            Truth.row(
                "day", data: data, people: people, "walks within 5 %, of those with a stepsConfidence of \(name)",
                "\(right) of \(some.count)", goal: range.lowerBound == 0.9 ? ">= 90 %" : "")
        }
    }
}
