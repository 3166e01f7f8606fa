import Foundation
@testable import RecordingImport
import Testing

@Suite("Cells, units and ends of dive logs")
struct DiveCellTests {
    private struct Log {
        var depths: [String] = []
        var pressures: [String] = []
        var surfaces: [String] = []
        var temperatures: [String] = []
        var ends: [Double] = []
        var result: Imported

        init(_ result: Imported) {
            self.result = result
            let value = { (quantity: Any?) -> String? in
                guard let quantity = quantity as? [String: Any], let value = quantity["value"] as? Double else { return nil }
                return "\(value) \(quantity["unit"] as? String ?? "?")"
            }
            for payload in result.payloads("submersion") {
                let measurements = payload["measurements"] as? [[String: Any]] ?? []
                depths += measurements.compactMap { value($0["depth"]) }
                pressures += measurements.compactMap { value($0["pressure"]) }
                surfaces += measurements.compactMap { value($0["surfacePressure"]) }
                temperatures += (payload["temperatures"] as? [[String: Any]] ?? []).compactMap { value($0["temperature"]) }
                for event in payload["events"] as? [[String: Any]] ?? [] where event["state"] as? String == "notSubmerged" {
                    ends.append((event["timestamp"] as? Double ?? 0) - 1)
                }
            }
        }
    }

    private func log(_ text: String, _ change: (inout ImportRequest) throws -> Void = { _ in }) throws -> Log {
        Log(
            try imported(.dive, text: text) {
                $0.start = 1_767_261_600
                try change(&$0)
            })
    }

    @Test(arguments: [
        "", "NaN", "nan", "NA", "N/A", "n/a", "None", "null", "--", "-", "unavailable", "Unknown", "#N/A", "\"\"", "\" NaN \"",
    ])
    func `A word for no value leaves its cell out, not its row`(word: String) throws {
        let log = try log("time (s),depth (m),temperature (C)\n0,0.1,20\n1,2.0,\(word)\n2,0.1,20\n")
        #expect(log.depths == ["0.1 m", "2.0 m", "0.1 m"])
        #expect(log.temperatures == ["20.0 C", "20.0 C"])
        #expect(log.result.report.isClean, "\(log.result.notes)")
        let depth = try self.log("time (s),depth (m),temperature (C)\n0,0.1,20\n1,\(word),21\n2,0.1,20\n")
        #expect(depth.depths == ["0.1 m", "0.1 m"])
        #expect(depth.temperatures == ["20.0 C", "21.0 C", "20.0 C"])
    }

    @Test(arguments: ["warm", "1e999", "0x10", "inf", "2 0"])
    func `A cell that is no number is reported, and the others of its row are read`(cell: String) throws {
        let log = try log("time (s),depth (m),temperature (C)\n0,0.1,20\n1,2.0,\(cell)\n2,0.1,20\n")
        #expect(log.depths == ["0.1 m", "2.0 m", "0.1 m"])
        #expect(log.temperatures.count == 2)
        #expect(log.result.has(#"log.csv:3: column "temperature (C)""#), "\(log.result.notes)")
        let report = try #require(log.result.report.files.first)
        #expect((report.bad, report.badCells) == (0, 1))
        #expect(!log.result.report.isClean)
        #expect(report.summary.contains("1 cells left out"))
    }

    @Test func `A short row loses the column that it lacks, and a last row that was cut its last cell`() throws {
        let log = try log("time (s),depth (m),temperature (C),note\n0,0.1,20,a\n1,12.5\n2,0.1,20,b\n3,0.1,21,c\n4,12.5,2")
        #expect(log.depths == ["0.1 m", "12.5 m", "0.1 m", "0.1 m", "12.5 m"])
        #expect(log.temperatures == ["20.0 C", "20.0 C", "21.0 C"])
        // Where no row has the last column, the last is not cut.
        #expect(try self.log("time (s),depth (m),note\n0,0.1\n1,12.5").depths == ["0.1 m", "12.5 m"])
    }

    @Test(arguments: [
        ("Temperature (degC)", "20.0 C"), ("Temperature (ºC)", "20.0 C"), ("Temperature [°C]", "20.0 C"),
        ("Temperature (˚C)", "20.0 C"),
        ("Temperature (° C)", "20.0 C"), ("Temperature (℃)", "20.0 C"), ("Temperature (deg F)", "20.0 F"),
        ("Temperature (°F)", "20.0 F"),
        ("water_temp_k", "20.0 K"), ("Water Temp (Celsius)", "20.0 C"),
    ])
    func `Degrees are read however they are written`(name: String, expected: String) throws {
        #expect(try log("time (s),depth (m),\(name)\n0,0.1,20\n").temperatures == [expected])
    }

    @Test func `A degree sign in Latin-1 is one`() throws {
        let bytes = Array("time (s);depth (m);Temperature (".utf8) + [0xB0] + Array("C)\n0;0.1;20\n".utf8)
        let exports = try Exports()
        let path = try exports.write(Data(bytes), to: "log.csv")
        let log = Log(try imported(.dive, [path]) { $0.start = 1 })
        #expect(log.temperatures == ["20.0 C"])
        #expect(try imported(.dive, [path]) { $0.diveColumns = try DiveColumn.list("depth=depth (m):m") }.report.isClean)
    }

    @Test(arguments: [
        ("Depth (cm)", "150", "1.5 m"), ("Depth (fathoms)", "2", "3.6576 m"), ("Depth (feet)", "5", "5.0 ft"),
        ("depth_cm", "20", "0.2 m"),
        ("Depth (metres)", "5", "5.0 m"),
    ])
    func `Depths in other units become metres`(name: String, cell: String, expected: String) throws {
        #expect(try log("time (s),\(name)\n0,\(cell)\n") { $0.isOpenEnd = true }.depths == [expected])
    }

    @Test(arguments: [
        ("inHg", "29.92", "101320.75888 Pa"), ("mmHg", "760", "101325.014435 Pa"), ("dbar", "10.13", "101300.0 Pa"),
        ("mbar", "1013", "1013.0 mbar"),
        ("psi", "14.7", "14.7 psi"),
    ])
    func `Pressures in other units become pascals`(unit: String, cell: String, expected: String) throws {
        let log = try log("time (s),Pressure (hPa),Surface Pressure (\(unit))\n0,1013,\(cell)\n1,1113,\(cell)\n")
        #expect(log.surfaces == [expected, expected])
    }

    @Test func `A column whose unit is not known is reported with the option that sets it`() throws {
        let named = try log("time (s),depth (m),Temperature (warmth)\n0,0.1,20\n")
        #expect(named.result.has(#"log.csv:1: column "Temperature (warmth)": the unit "warmth" is not known; say --columns"#))
        let bare = try log("time (s),depth (m),Water Temp\n0,0.1,20\n")
        #expect(bare.result.has("say --columns temperature=Water Temp:UNIT with one of C, F, K; the column is left out"))
        #expect(bare.temperatures.isEmpty)
        let said = try log("time (s),depth (m),Water Temp\n0,0.1,20\n") {
            $0.diveColumns = try DiveColumn.list("temperature=Water Temp:C")
        }
        #expect(said.temperatures == ["20.0 C"] && said.depths == ["0.1 m"])
        let time = try log("time (fortnights),depth (m)\n0,0.1\n")
        #expect(time.result.has(#"the unit "fortnights" is not known; say --columns time=time (fortnights):UNIT"#))
    }

    @Test func `The pressure of a cylinder is left out, and alone is no dive`() throws {
        let text = "time (s),depth (m),pressure (bar)\n0,0.1,203\n1,2,\n2,0.1,20\n"
        let log = try log(text)
        #expect(log.pressures.isEmpty && log.depths.count == 3)
        #expect(log.result.has(#"column "pressure (bar)": up to 203.0 bar is the pressure of a cylinder: left out"#))
        #expect(log.result.report.isClean)
        let alone = try self.log("time (s),pressure (bar)\n0,203\n1,202\n")
        #expect(alone.result.has("is the pressure of a cylinder, and there is no depth") && alone.result.lines.isEmpty)
    }

    private static let pressures = "time (s),pressure (mbar)\n0,1013\n2,1113\n4,1413\n6,1012\n"

    @Test func `Absolute pressure alone needs that at the surface`() throws {
        #expect(
            try log(Self.pressures).result.has("say --surface-pressure 1013hPa, or --surface-pressure lowest, here 1012.0 hPa"))
        let said = try log(Self.pressures) { $0.surfacePressure = try SurfacePressure("1.013 bar") }
        #expect(said.surfaces == Array(repeating: "101300.0 Pa", count: 4))
        let lowest = try log(Self.pressures) { $0.surfacePressure = .lowest }
        #expect(lowest.surfaces == Array(repeating: "101200.0 Pa", count: 4))
        #expect(lowest.result.has("taken as 1012.0 hPa"))
        // Taken at 5 m, the surface would be 5 m too deep, and every depth too shallow.
        let under = try log("time (s),pressure (mbar)\n0,1513\n2,1613\n") { $0.surfacePressure = .lowest }
        #expect(under.result.has("the lowest pressure is 1513.0 hPa, which is not that of air") && under.result.lines.isEmpty)
        let own = try log("time (s),pressure (mbar),surface pressure (mbar)\n0,1013,1000\n") {
            $0.surfacePressure = try SurfacePressure("1013hPa")
        }
        #expect(own.surfaces == ["1000.0 mbar"])
    }

    @Test(arguments: ["", "1013", "hPa", "1013 furlong", "10 bar", "0 hPa", "nan hPa", "-1013hPa", "lowestt"])
    func `What is no pressure of air is refused`(text: String) {
        #expect(throws: ImportProblem.self) { try SurfacePressure(text) }
    }

    @Test(arguments: [
        ("0.42", 1.0, [3.0]), ("1.9", 1, [3]), ("0.2", 1, [3]), ("0.1", 1, []), ("2.5", 1, []), ("2.5", 10, [30]), ("9", 10, []),
        ("17", 60, [180]), ("19", 60, []), ("17", 90, []), ("30", 3600, []), ("1.9", 3600, [10_800]),
    ])
    func `A log that ends just under the surface gets the end of the submersion`(
        last: String, interval: Double, ends: [Double]
    ) throws {
        let text = "time (s),depth (m)\n0,1.2\n\(interval),5.2\n\(interval * 2),\(last)\n"
        let log = try log(text)
        #expect(log.ends == ends, "\(log.result.notes)")
        #expect(log.result.report.files.first.map { [$0.seconds, Double($0.samples)] } == [interval * 2, 3])
        #expect(log.result.report.isClean)
        #expect(log.result.has("--open-end leaves it out") == !ends.isEmpty)
        #expect(log.result.has("too deep for the end of a dive") == (Double(last) ?? 0 > 2 && ends.isEmpty))
        #expect(try self.log(text) { $0.isOpenEnd = true }.ends.isEmpty)
    }

    @Test func `A log of pressures ends at the depth that they show`() throws {
        let log = try log("time (s),pressure (mbar),surface pressure (mbar)\n0,1013,1013\n2,1513,1013\n4,1053,1013\n")
        #expect(log.ends == [6])
        #expect(try #require(log.result.report.files.first?.deepest) > 4.9)
    }

    // MARK: What a table shows of how it is to be read

    @Test(arguments: [
        ("time (s),depth (m)\n0,-1\n10,-11\n20,-0.5\n", "the depths are negative, down to -11.0: where they count upwards say"),
        ("time (s);depth (cm)\n0;150\n10;1,050\n20;150\n", "\"1,050\" beside whole numbers may have a comma for thousands"),
        ("time (s),depth (m)\n0,0.1\n10,30\n20,0.1\n5,0.1\n15,9\n25,0.1\n", "log.csv:5: the times begin again here"),
        ("time (s),depth (m)\n5,0.1\n15,30\n25,0.1\n0,0.1\n10,9\n20,0.1\n", "log.csv:5: the times begin again here"),
        (
            "time (us),depth (m)\n4294000000,2\n4294500000,9\n4294900000,9\n400000,30\n900000,9\n1400000,0.1\n",
            "log.csv:5: the times begin again here"
        ),
        (
            "time (ms),depth (m)\n4294940000,2\n4294950000,9\n4294960000,9\n2704,30\n12704,9\n22704,0.1\n",
            "log.csv:5: the times begin again here"
        ),
    ])
    func `A table whose depths would be read wrongly is refused`(text: String, message: String) throws {
        let log = try log(text)
        #expect(log.result.has(message), "\(log.result.notes)")
        #expect(log.depths.isEmpty && log.result.report.problems == 1)
    }

    @Test func `Depths that count upwards are inverted`() throws {
        let log = try log("time (s),depth (m)\n0,-1\n10,-11\n20,0\n") {
            $0.diveColumns = try DiveColumn.list("depth=-depth:m")
        }
        #expect(log.depths == ["1.0 m", "11.0 m", "0.0 m"])
    }

    @Test func `A decimal comma in quotes is one, and three digits after it may be thousands`() throws {
        let log = try log("time (s),depth (m)\n0,\"1,5\"\n1,\"0,25\"\n2,\"1,050\"\n3,\"0,125\"\n")
        #expect(log.depths == ["1.5 m", "0.25 m", "0.125 m"])
        #expect(log.result.has("with or without thousands"), "\(log.result.notes)")
    }

    @Test func `A row with more cells than columns, as of decimal commas without quotes, is dropped and reported`() throws {
        let log = try log("time (s),depth (m),temperature (C)\n0,0.1,20\n1,12,5,20\n2,12,5,20,1\n3,11,20,\n4,0.1,20\n")
        #expect(log.depths == ["0.1 m", "11.0 m", "0.1 m"])
        #expect(log.result.has("log.csv:3: 4 cells under a header of 3 columns: one with a comma"), "\(log.result.notes)")
        #expect(log.result.report.files.first?.dropped == ["with too many cells": 2])
    }

    @Test func `Columns that are not read are named, and rows that repeat one are counted`() throws {
        let rows = "0,0.1,20,3\n1,2,20,3\n1,2,20,3\n,,,\n2,0.1,20,3\n"
        let log = try log("time (s),depth (m),Ambient Temp. (Celcius),battery\n" + rows)
        #expect(log.temperatures.count == 3)
        #expect(log.result.has("the columns \"battery\" are not read"), "\(log.result.notes)")
        let report = try #require(log.result.report.files.first)
        #expect((report.repeated, report.blank, report.bad) == (1, 1, 0))
    }

    @Test func `The end of a dive is added before a hole, but not where the diver is deep`() throws {
        let dive = { (start: Int, end: String) in "\(start),1\n\(start + 1),9\n\(start + 2),\(end)\n" }
        let log = try log("time (s),depth (m)\n" + dive(0, "1.2") + dive(3600, "1.2"))
        #expect(log.ends == [3, 3603])
        #expect(try self.log("time (s),depth (m)\n" + dive(0, "6") + dive(3600, "1.2")).ends == [3603])
        #expect(try self.log("time (s),depth (m)\n" + dive(0, "1.2") + dive(100, "1.2")).ends == [103])
    }

    @Test(arguments: ["Depth", "Depth (msw)", "Profondeur; Depth"])
    func `A depth without a unit is asked for`(name: String) throws {
        let exports = try Exports(["log.csv": "Time (s);\(name)\n0;1\n"])
        var notes: [String] = []
        _ = Importer(try ImportRequest(paths: ["\(exports.path)/log.csv"]), note: { notes.append($0) }).run { _ in true }
        #expect(notes.contains { $0.contains("say --columns depth=Depth") }, "\(notes)")
    }

    @Test func `A time some minutes off those of the rows around it loses its row`() throws {
        let rows = (0..<40).map { "\($0 == 20 ? 500 : $0 * 10),\(2 + $0 % 3)\n" }
        let log = try log("time (s),depth (m)\n" + rows.joined())
        #expect(log.depths.count == 39)
        #expect(log.result.has("log.csv:22: the time is 300 s after"), "\(log.result.notes)")
    }

    @Test func `Lines may end with a carriage return alone`() throws {
        #expect(try log("time (s),depth (m)\r0,0.1\r1,2.5\r2,0.1").depths == ["0.1 m", "2.5 m", "0.1 m"])
    }
}
