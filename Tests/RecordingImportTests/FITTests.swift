import Foundation
import GatewayTestSupport
import RecordingImport
import Testing

@Suite("Import of FIT files")
struct FITTests {
    private static let start = 1_700_000_000

    private func values(_ result: Imported, _ key: String) -> [Double] {
        result.measurements.compactMap { ($0[key] as? [String: Any])?["value"] as? Double }
    }

    private func imported(
        _ bytes: [UInt8], _ change: (inout ImportRequest) throws -> Void = { _ in }
    ) throws -> Imported {
        let exports = try Exports()
        let path = try exports.write(Data(bytes), to: "log.fit")
        return try RecordingImportTests.imported(.fit, [path], change)
    }

    /// m, degrees and Pa of a dive to 30 m.
    private static let dive = (0...600).map { second -> FITWriter.DiveSample in
        let depth = 30 * sin(Double(second) / 600 * .pi)
        return (start + second, (depth * 1000).rounded() / 1000, Int8(20 - second / 100), UInt32(101_325 + depth * 10_052))
    }

    @Test("a dive has the depths, pressures, temperatures and times that its CSV has", arguments: [false, true])
    func dives(isBigEndian: Bool) throws {
        let fit = try imported(FITWriter.dive(Self.dive, isBigEndian: isBigEndian).file())
        let rows = Self.dive.map { "\($0.time),\($0.depth ?? 0),\($0.temperature ?? 0),\($0.pressure ?? 0)" }
        let csv = try RecordingImportTests.imported(
            .dive, text: "unix_s,depth_m,temperature_c,absolute_pressure_pa\n" + rows.joined(separator: "\n"))
        #expect(fit.report.isClean, "\(fit.notes)")
        #expect(values(fit, "depth") == values(csv, "depth"))
        #expect(values(fit, "depth").count == 601 && values(fit, "depth").max() == 30)
        #expect(values(fit, "pressure") == values(csv, "pressure"))
        #expect(fit.measurements.map { $0["timestamp"] as? Double } == csv.measurements.map { $0["timestamp"] as? Double })
        let temperatures = { (result: Imported) in
            result.payloads("submersion").flatMap { $0["temperatures"] as? [NSDictionary] ?? [] }
        }
        #expect(temperatures(fit).count == 601 && temperatures(fit) == temperatures(csv))
        #expect(
            fit.payloads("submersion").map { $0["sent"] as? Double } == csv.payloads("submersion").map { $0["sent"] as? Double })
    }

    @Test(
        "a recorded dive has the depths that its CSV has", .slow, .recorded,
        arguments: ["garmin_ccr_62m_1hz", "garmin_apnea_26dives_17m"])
    func recorded(name: String) throws {
        let samples = try SharedData.rows("dives/\(name).csv").compactMap { row -> FITWriter.DiveSample? in
            guard let time = row.first ?? nil else { return nil }
            return (Int(time), row[1], row[2].map { Int8($0) }, row[3].map { UInt32($0) })
        }
        let fit = try imported(FITWriter.dive(samples).file())
        let csv = try RecordingImportTests.imported(.dive, [#require(SharedData.folder).path + "/dives/\(name).csv"])
        #expect(fit.report.isClean && values(fit, "depth").count > 2000)
        #expect(values(fit, "depth") == values(csv, "depth"))
        #expect(values(fit, "pressure") == values(csv, "pressure"))
        #expect(fit.measurements.map { $0["timestamp"] as? Double } == csv.measurements.map { $0["timestamp"] as? Double })
    }

    @Test("records without a value cost that value alone")
    func missing() throws {
        let result = try imported(
            FITWriter.dive([
                (Self.start, 1, nil, nil), (Self.start + 1, nil, 20, nil), (Self.start + 2, nil, nil, nil),
                (Self.start + 3, nil, nil, 120_000),
            ]).file())
        #expect(result.report.isClean)
        #expect(values(result, "depth") == [1])
        #expect(values(result, "pressure") == [120_000])
        #expect(result.report.files.first?.blank == 1)
    }

    @Test("records of one instant with the same values are one, and counted")
    func repeated() throws {
        let samples = [(0, 5.0), (1, 6), (1, 6), (1, 7), (2, 7)].map { second, depth -> FITWriter.DiveSample in
            (Self.start + second, depth, 20, nil)
        }
        let result = try imported(FITWriter.dive(samples).file())
        #expect(values(result, "depth") == [5, 6, 7, 7], "\(result.notes)")
        #expect(result.report.files.first?.repeated == 1 && result.report.isClean)
    }

    @Test("pressures without depths need the pressure at the surface, and say so")
    func pressuresAlone() throws {
        let bytes = FITWriter.dive((0..<5).map { (Self.start + $0, nil, 20, UInt32(101_000 + 20_000 * $0)) }).file()
        let bare = try imported(bytes)
        #expect(bare.has("say --surface-pressure 1013hPa, or --surface-pressure lowest, here 1010.0 hPa"), "\(bare.notes)")
        #expect(bare.report.files.first?.deepest == nil)
        let surfaces = { (result: Imported) in
            result.measurements.compactMap { ($0["surfacePressure"] as? [String: Any])?["value"] as? Double }
        }
        let lowest = try imported(bytes) { $0.surfacePressure = .lowest }
        #expect(surfaces(lowest) == Array(repeating: 101_000, count: 5))
        #expect(lowest.report.files.first?.deepest.map { abs($0 - 80_000 / (1025 * 9.80665)) < 0.01 } ?? false)
        let said = try imported(bytes) { $0.surfacePressure = .pascals(100_000) }
        #expect(surfaces(said) == Array(repeating: 100_000, count: 5) && said.has("is taken as 1000.0 hPa"))
        let deep = FITWriter.dive([(Self.start, nil, 20, 300_000), (Self.start + 1, nil, 20, 310_000)]).file()
        let refused = try imported(deep) { $0.surfacePressure = .lowest }
        #expect(refused.has("the lowest pressure is 3000.0 hPa, which is not that of air") && refused.lines.isEmpty)
    }

    /// A run of 120 s at 3 m/s and 88.5 double steps a minute, uphill, that pauses from second 60 to 90.
    private func run(sport: UInt8 = 1, cadence: UInt8 = 88) -> FITWriter {
        var writer = FITWriter()
        writer.defineActivity()
        let start: UInt32 = 1_068_934_400
        writer.timer(0, at: start)
        for second in UInt32(0)...120 where second <= 60 || second >= 90 {
            if second == 90 { writer.timer(0, at: start + 90) }
            let moved = second <= 60 ? second : second - 30
            writer.record(
                .init(
                    time: start + second, centimeters: moved * 300, millimetersASecond: 3000, cadence: cadence, fraction: 64,
                    altitude: UInt16(5 * (500 + 400) + moved)))
            if second == 60 { writer.timer(4, at: start + 60) }
        }
        writer.timer(4, at: start + 120)
        writer.session(start, seconds: 120, sport: sport)
        return writer
    }

    @Test("a run is steps, distance, pace, altitude and a workout that pauses")
    func activity() throws {
        let result = try imported(run().file())
        #expect(result.report.isClean, "\(result.notes)")
        let counts = result.payloads("pedometer").flatMap { $0["data"] as? [[String: Any]] ?? [] }
        #expect(counts.count == 92)
        // 90 s of movement at 2.95 steps a second.
        #expect(counts.last?["numberOfSteps"] as? Int == 265)
        #expect(counts.last?["distance"] as? Double == 270)
        #expect(counts.last?["currentCadence"] as? Double == 2.95)
        #expect(abs((counts.last?["currentPace"] as? Double ?? 0) - 1 / 3.0) < 1e-6)
        let unix = 1_068_934_400.0 + Double(FITWriter.zero)
        #expect(counts.first?["startDate"] as? Double == unix)
        #expect(counts.last?["endDate"] as? Double == unix + 120)
        let altitudes = result.column("altimeter", "relativeAltitude")
        #expect(altitudes.count == 92 && altitudes.first == 0 && altitudes.last == 18)
        #expect(result.column("altimeter", "pressure").isEmpty)
        let workouts = result.payloads("workout")
        #expect(workouts.map { $0["state"] as? String } == ["running", "paused", "running", "ended"])
        #expect(workouts.map { $0["activity"] as? String } == Array(repeating: "running", count: 4))
        #expect(workouts.map { $0["timestamp"] as? Double } == [1, 61, 91, 121])
        #expect(result.lines.filter { $0["retain"] as? Bool == true }.count == 5)
    }

    @Test("the pressure of an activity with altitudes is that of the air")
    func airPressure() throws {
        var writer = FITWriter()
        writer.define(0, 20, [(253, 4, 0x86), (78, 4, 0x86), (91, 4, 0x86)])
        for second in UInt32(0)..<5 {
            writer.message(
                0,
                writer.bytes(UInt32(1_068_934_400) + second) + writer.bytes(UInt32(5 * (500 + 100)) + second)
                    + writer.bytes(UInt32(100_000)))
        }
        let result = try imported(writer.file())
        #expect(result.column("altimeter", "pressure") == Array(repeating: 100, count: 5))
        #expect(result.column("altimeter", "relativeAltitude") == [0, 0.2, 0.4, 0.6, 0.8].map { ($0 * 1e9).rounded() / 1e9 })
        #expect(result.payloads("submersion").isEmpty)
    }

    @Test("the cadence of a bicycle is no step, and that of no runner neither")
    func otherCadence() throws {
        let cycling = try imported(run(sport: 2).file())
        #expect(cycling.payloads("pedometer").isEmpty)
        #expect(cycling.has("no sport on foot: no steps"))
        #expect(cycling.payloads("altimeter").isEmpty == false)
        let impossible = try imported(run(cadence: 200).file())
        #expect(impossible.payloads("pedometer").isEmpty)
    }

    @Test("records out of order are sorted, and one of another year is dropped with its place")
    func order() throws {
        var samples = Array(Self.dive.prefix(100))
        samples.swapAt(10, 30)
        samples.insert((Self.start + 400 * 86_400, 2, nil, nil), at: 0)
        samples.insert((Self.start - 400 * 86_400, 2, nil, nil), at: 50)
        let result = try imported(FITWriter.dive(samples).file())
        #expect(values(result, "depth") == Self.dive.prefix(100).compactMap(\.depth))
        #expect(result.report.files.first?.dropped == ["far from the other times": 2])
        #expect(result.has("byte 54: a record far from the other times"), "\(result.notes)")
        #expect(result.lines.last?["at"] as? Double == Double(Self.start + 99))
    }

    @Test("FIT files behind each other are boots, in order of time; the later of two that overlap is left out")
    func chained() throws {
        let dive = { (offset: Int) in
            FITWriter.dive((0..<10).map { (Self.start + offset + $0, Double(offset + $0), nil, nil) }).file()
        }
        let result = try imported(dive(1000) + dive(0) + dive(1005))
        #expect(values(result, "depth") == (0..<10).map(Double.init) + (1000..<1010).map(Double.init))
        #expect(Set(result.payloads("status").compactMap { $0["boot"] as? String }).count == 2)
        #expect(result.has("FIT file 3 in it overlaps another in time"))
        #expect(result.report.problems == 1)
    }

    @Test("of files whose times overlap the later is left out")
    func overlapping() throws {
        let exports = try Exports()
        let paths = try [0, 5, 20].map { (offset: Int) in
            let dive = FITWriter.dive((0..<10).map { (Self.start + offset + $0, Double(offset + $0), nil, nil) })
            return try exports.write(Data(dive.file()), to: "\(offset).fit")
        }
        let result = try RecordingImportTests.imported(.fit, paths)
        #expect(values(result, "depth") == (0..<10).map(Double.init) + (20..<30).map(Double.init))
        #expect(result.has("5.fit: is of the same time of d1 as"), "\(result.notes)")
        #expect(result.report.problems == 1)
    }

    @Test("a file that is cut short, damaged or not closed is read as far as it goes, and reported")
    func damaged() throws {
        let bytes = FITWriter.dive(Self.dive).file()
        let cut = try imported(Array(bytes[..<(bytes.count / 2)]))
        #expect(cut.has("the file is cut short"))
        #expect(!cut.report.isClean && values(cut, "depth").count > 290)
        var damaged = bytes
        damaged[500] ^= 1
        let result = try imported(damaged)
        #expect(result.has("the checksum is wrong: the file was damaged"))
        #expect(!result.report.isClean && values(result, "depth").count > 590)
        #expect(values(try imported(FITWriter.dive(Self.dive).file(length: 0)), "depth").count == 601)
    }

    @Test(
        "says why nothing is read",
        arguments: [
            (Array("unix_s,depth_m\n".utf8), "is a dive log"),
            (FITWriter().file(), "no record holds a depth"), ([], "is no FIT file"),
        ])
    func nothing(bytes: [UInt8], message: String) throws {
        let result = try imported(bytes)
        #expect(result.has(message), "\(result.notes)")
        #expect(!result.report.isClean && result.lines.isEmpty)
    }

    @Test("times since the device's start get a date by --start, and the same file the same bytes")
    func undated() throws {
        let bytes = FITWriter.dive((0..<5).map { (FITWriter.zero + 1000 + $0, 2, nil, nil) }).file()
        let result = try imported(bytes)
        #expect(result.has("say --start"))
        #expect(result.payloads("submersion").first?["sent"] == nil)
        let dated = try imported(bytes) { $0.start = 1_800_000_000 }
        // The surface follows a second after the last record.
        #expect(dated.lines.last?["at"] as? Double == 1_800_000_005)
        #expect(dated.text == (try imported(bytes) { $0.start = 1_800_000_000 }).text)
    }

    @Test("--start replaces dates, and FIT files behind each other stay as far apart")
    func redated() throws {
        let dive = { (offset: Int) in
            FITWriter.dive((0..<10).map { (Self.start + offset + $0, Double(offset + $0), nil, nil) }).file()
        }
        let result = try imported(dive(1000) + dive(0)) { ($0.start, $0.isOpenEnd) = (1_800_000_000, true) }
        #expect(result.payloads("status").compactMap { $0["sent"] as? Double } == [1_800_000_000, 1_800_001_000])
        #expect(result.lines.last?["at"] as? Double == 1_800_001_009)
        #expect(result.has("its first record is at --start"), "\(result.notes)")
    }

    @Test("only the streams that are wanted")
    func streams() throws {
        let result = try imported(run().file()) { $0.streams = [.pedometer] }
        #expect(result.payloads("workout").isEmpty && result.payloads("altimeter").isEmpty)
        #expect(!result.payloads("pedometer").isEmpty)
    }
}
