import Foundation
import GatewayTestSupport
import SignalProcessing
import TelemetryModel
import Testing

@testable import GatewayPipeline

/// Nights, walks and a day of counts with known truth. `make truth` prints the figures.
@Suite("Truth: history", .slow)
struct HistoryTruthTests {
    private static let comment: Comment = "needs shared/data/second-half (or FATHOM_SHARED_DATA)"
    private static let isThere =
        SharedData.folder.map { FileManager.default.fileExists(atPath: $0.appending(path: "second-half/nights").path) } ?? false
    /// 2025-11-21 22:00 UTC.
    private static let evening = 1_763_762_400.0

    private func report(_ text: String) { print("truth: \(text)") }

    /// The rows of a compressed CSV file, without its header.
    private func rows(_ path: String) throws -> [[Double]] {
        let folder = try #require(SharedData.folder)
        let process = Process()
        process.executableURL = URL(filePath: "/bin/gzip")
        process.arguments = ["-dc", folder.appending(path: "second-half/\(path)").path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").dropFirst()
            .map { $0.split(separator: ",").compactMap { Double($0) } }
    }

    /// What is derived from samples that a device sends in one burst.
    private func derive(_ rows: [[Double]], from start: Double, _ method: SleepMethod = .zAngle) -> [DerivedJSON] {
        var device = HistoryDevice(start: start - 1_000)
        var last = -Double.infinity
        let samples = rows.compactMap { row -> HistoryDevice.Sample? in
            defer { last = max(last, row[0]) }
            return row[0] - last >= 0.005 ? .init(start + row[0], row[1], row[2], row[3]) : nil
        }
        let sent = (samples.last?.time ?? start) + 10
        var policy = DevicePolicy.everything
        policy.consents = [.sleep]
        var settings = PipelineHarness.settings
        settings.derive[SleepDerivation.self].method = method
        var harness = PipelineHarness(settings: settings, policy: PipelineHarness.policy("watch-1", policy))
        let frames = device.frames(samples, sent: sent)
        return harness.send(frames) + harness.tick(at: sent + Double(frames.count) + 120)
    }

    @Test(
        "The onset and the length of sleep are within 10 min of the oracle's", .enabled(if: isThere, comment),
        arguments: [("p1n2", 60.4, 387.2), ("p6n1", 3.2, 412.4)])
    func night(name: String, onset: Double, length: Double) throws {
        let messages = derive(try rows("nights/\(name).csv.gz"), from: Self.evening)
        let sleep = try #require(messages.last { $0.kind == "sleep" })
        let found = ((sleep.number("start") ?? 0) - Self.evening) / 60
        let minutes = (sleep.number("duration") ?? 0) / 60
        report(
            "\(name): onset after \(String(format: "%.1f", found)) min (oracle \(onset)), period \(String(format: "%.1f", minutes)) min "
                + "(oracle \(length)), sleep \(String(format: "%.1f", (sleep.number("sleepDuration") ?? 0) / 60)) min, awakenings "
                + "\(sleep.number("awakenings") ?? -1)")
        #expect(abs(found - onset) <= 10)
        #expect(abs(minutes - length) <= 10)
        let wear = messages.filter { $0.kind == "wear" }.map { $0.text("state") }
        #expect(wear == ["worn"], "all of the night is worn")
    }

    /// Nobody has scored these nights by counts: the figures are for comparison with those by the angle.
    @Test("Counts per minute find sleep in the same periods", .enabled(if: isThere, comment), arguments: ["p1n2", "p6n1"])
    func nightByCounts(name: String) throws {
        let rows = try rows("nights/\(name).csv.gz")
        for method in [SleepMethod.sadeh, .coleKripke] {
            let sleep = try #require(derive(rows, from: Self.evening, method).last { $0.kind == "sleep" })
            let (asleep, duration) = (sleep.number("sleepDuration") ?? 0, sleep.number("duration") ?? 0)
            report(
                "\(name) by \(method.rawValue): sleep \(Int(asleep / 60)) of \(Int(duration / 60)) min, awakenings "
                    + "\(sleep.number("awakenings") ?? -1)")
            #expect(sleep.text("method") == method.rawValue)
            #expect(asleep >= 0.7 * duration && asleep < duration)
        }
    }

    @Test("Steps of twelve walks are within 3 % on average", .enabled(if: isThere, comment))
    func steps() throws {
        let folder = try #require(SharedData.folder).appending(path: "second-half/steps")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".gz") }.sorted()
        var errors: [Double] = []
        for name in names {
            let rows = try rows("steps/\(name)")
            let truth = (rows.last?[4] ?? 0) - (rows.first?[4] ?? 0)
            let day = derive(rows, from: Self.evening).last { $0.kind == "day" }
            let found = day?.number("estimatedSteps") ?? 0
            errors.append(abs(found - truth) / truth)
            report("\(name): \(Int(found)) steps of \(Int(truth))")
        }
        let mean = errors.reduce(0, +) / Double(max(1, errors.count))
        report("steps: mean error \(String(format: "%.2f", mean * 100)) % in \(errors.count) walks")
        #expect(errors.count >= 12)
        #expect(mean <= 0.03)
    }

    @Test("Every minute is scored as ActiLife does", .enabled(if: isThere, comment), arguments: ["Sadeh", "ColeKripke"])
    func counts(algorithm: String) throws {
        let folder = try #require(SharedData.folder)
        let file = folder.appending(path: "second-half/actigraphy/GT3XPlus-RawData-Day01-\(algorithm).csv")
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst()
            .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let counts = lines.compactMap { Double($0[2]) }
        let expected = lines.compactMap { $0.last.map { $0 == "S" } }
        let found = algorithm == "Sadeh" ? ActigraphyScore.sadeh(counts) : ActigraphyScore.coleKripke(counts)
        let equal = zip(found, expected).count { $0 == $1 }
        report("\(algorithm): \(equal) of \(expected.count) minutes as ActiLife")
        #expect(expected.count == 1_500)
        #expect(equal == 1_500)
    }

    @Test("Every minute that was not worn is found as ActiLife does, by three settings", .enabled(if: isThere, comment))
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
            report("\(name) \(settings): \(equal) of \(expected.count) minutes as ActiLife")
            #expect(expected.count == 1_500)
            #expect(equal >= (settings == [60, 30, 2] ? 1_500 : 1_455))
        }
    }

    @Test("A simulated night gives its own onset and end")
    func simulated() throws {
        let night = SimulatedNight(from: Self.evening)
        let messages = derive(night.samples.map { [$0.time - Self.evening, $0.x, $0.y, $0.z] }, from: Self.evening)
        let sleep = try #require(messages.last { $0.kind == "sleep" })
        report(
            "simulated night: onset off by \(Int((sleep.number("start") ?? 0) - night.onset)) s, end off by "
                + "\(Int((sleep.number("end") ?? 0) - night.end)) s, awakenings \(sleep.number("awakenings") ?? -1) of 2")
        #expect(abs((sleep.number("start") ?? 0) - night.onset) <= 600)
        #expect(abs((sleep.number("end") ?? 0) - night.end) <= 600)
    }
}
