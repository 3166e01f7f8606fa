import Foundation
import RecordingImport
import Testing

@Suite("Import of SensorLog")
struct SensorLogTests {
    private static let header =
        "loggingTime(txt)|motionTimestamp_sinceReboot(s)|"
        + ["X", "Y", "Z"].map { "motionRotationRate\($0)(rad/s)|motionUserAcceleration\($0)(G)" }.joined(separator: "|")
        + "|motionAttitudeReferenceFrame(txt)|motionQuaternionX(R)|motionQuaternionY(R)|motionQuaternionZ(R)|motionQuaternionW(R)"
        + "|motionGravityX(G)|motionGravityY(G)|motionGravityZ(G)|label"

    private func row(_ index: Int, zone: String = "+0100") -> String {
        let millis = 750 + index * 20
        let fraction = "\(1000 + millis % 1000)".dropFirst()
        return "2021-04-08 19:16:\(16 + millis / 1000).\(fraction) \(zone)|\(17295.5 + Double(index) * 0.02)"
            + "|0.5|0.125|-0.25|-0.5|1.5|0.25|XArbitraryZVertical|0|0|0|1|0|0|-1|3"
    }

    private func text(_ rows: Int) -> String { ([Self.header] + (0..<rows).map { row($0) }).joined(separator: "\n") + "\n" }

    @Test("becomes device motion on the device's own clock, with the time of day beside it")
    func rows() throws {
        let result = try imported(.sensorLog, text: text(120)) { $0.wrist = .right }
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.notes.isEmpty)
        #expect(result.payloads("status").first?["wristLocation"] as? String == "right")
        let frames = result.payloads("device-motion")
        #expect(frames.count == 3)
        #expect(frames.first?["uptime"] as? Double == 17296.48)
        #expect(frames.first?["sent"] as? Double == 1_617_905_777.73)
        #expect(result.column("device-motion", "timestamp").prefix(2) == [17295.5, 17295.52])
        #expect(result.column("device-motion", "rotationRate", "y").first == -0.25)
        #expect(result.column("device-motion", "userAcceleration", "y").first == -0.5)
        #expect(result.column("device-motion", "gravity", "z").allSatisfy { $0 == -1 })
        let samples = try #require(frames.first?["samples"] as? [String: Any])
        #expect(samples["referenceFrame"] as? String == "xArbitraryZVertical")
        #expect(samples["sensorLocation"] as? String == "default")
    }

    @Test("skips blank cells, repeated samples and a last row cut short without reporting them")
    func normal() throws {
        let blank = row(3).replacingOccurrences(of: "|0.5|", with: "||")
        let rows = [Self.header, row(0), row(1), row(1), blank, row(4), "2021-04-08 19:16:17.1 +0100|17295.6|0.5|0.1"]
        let result = try imported(.sensorLog, text: rows.joined(separator: "\n"))
        let report = try #require(result.report.files.first)
        #expect(result.report.isClean, "\(result.notes)")
        #expect((report.rows, report.samples, report.blank, report.repeated) == (6, 3, 1, 1))
        #expect(report.isCutShort)
    }

    @Test("reports and drops faulty rows, with line and column")
    func bad() throws {
        let rows = [
            Self.header, row(1), row(2).replacingOccurrences(of: "-0.25", with: "abc"), "1|2|3",
            row(2).replacingOccurrences(of: "|0|0|0|1|", with: "|0|0|0|3|"), row(0),
            row(5).replacingOccurrences(of: "-0.5", with: "nan"),
            row(6).replacingOccurrences(of: "-0.5", with: "1e300"), row(7),
        ]
        let result = try imported(.sensorLog, text: rows.joined(separator: "\r\n") + "\r\n")
        let report = try #require(result.report.files.first)
        #expect(report.samples == 3)
        #expect((report.bad, report.blank) == (4, 1))
        #expect(!result.report.isClean)
        #expect(result.has(#"log.csv:3: column "motionRotationRateY(rad/s)": "abc" is no number"#))
        #expect(result.has("log.csv:4: 3 cells under a header of 17 columns"))
        #expect(result.has("log.csv:5: column \"motionQuaternionX(R)\": the quaternion is 3.0 long"))
        #expect(result.column("device-motion", "timestamp") == [17295.5, 17295.52, 17295.64])
    }

    @Test("takes commas, any order and units that can be converted")
    func units() throws {
        let header = Self.header.replacingOccurrences(of: "|", with: ",")
            .replacingOccurrences(of: "motionRotationRateX(rad/s)", with: "motionRotationRateX(deg/s)")
            .replacingOccurrences(of: "motionRotationRateY(rad/s)", with: "motionRotationRateY(deg/s)")
            .replacingOccurrences(of: "motionRotationRateZ(rad/s)", with: "motionRotationRateZ(deg/s)")
        let result = try imported(
            .sensorLog, text: "\u{FEFF}\(header)\n\(row(0).replacingOccurrences(of: "|", with: ","))\n")
        let rate = try #require(result.column("device-motion", "rotationRate", "z").first)
        #expect(abs(rate - 1.5 * .pi / 180) < 1e-9)
    }

    @Test(
        "refuses unknown units, missing or duplicate columns, and files that are not CSV",
        arguments: [
            ("motionGravityX(G)", "motionGravityX(lbf)", #"column "motionGravityX(lbf)": the unit "lbf" is none of"#),
            ("motionGravityX(G)", "motionGravityX(m/s^2)", #""motionGravityY(G)": its unit is not that of the other axes"#),
            ("motionGravityX(G)", "gravityX(G)", "no column motionGravityX; the header has"),
            ("|label", "|motionGravityX(G)", #"log.csv:1: column "motionGravityX": stands there more than"#),
            ("loggingTime(txt)", "{\"loggingTime\":1}", "is JSON"),
            ("loggingTime(txt)", "PK\u{3}\u{4}", "is an archive"),
            ("loggingTime(txt)", "\0", "is no text"),
        ])
    func refused(part: String, replacement: String, message: String) throws {
        let result = try imported(.sensorLog, text: text(2).replacingOccurrences(of: part, with: replacement))
        #expect(result.has(message), "\(result.notes)")
        #expect(result.report.problems == 1)
        #expect(result.lines.isEmpty)
    }

    @Test("works without a time of day, and reports that")
    func noWallClock() throws {
        let text = text(2).replacingOccurrences(of: "2021-04-08 19:16:", with: "at ")
        let result = try imported(.sensorLog, text: text)
        #expect(result.has("the device's own clock only"))
        #expect(result.payloads("device-motion").first?["sent"] == nil)
        #expect(result.lines.first?["at"] as? Double == 17295.5)
    }

    @Test("reads a time of day without a zone as UTC or in the zone that is said, and takes a start")
    func noZone() throws {
        let text = text(2).replacingOccurrences(of: " +0100", with: "")
        let sent = { (result: Imported) in result.payloads("device-motion").first?["sent"] as? Double }
        let utc = try imported(.sensorLog, text: text)
        #expect(utc.has("loggingTime names no zone and is read as UTC; say --zone NAME for another"))
        #expect(sent(utc) == 1_617_909_376.77)
        let berlin = try imported(.sensorLog, text: text) { $0.times.zone = LocalZone("Europe/Berlin") }
        #expect(sent(berlin) == 1_617_902_176.77)
        let start = try imported(.sensorLog, text: text) { $0.start = 1_523_201_497 }
        #expect(sent(start) == 1_523_201_497.02)
        #expect(start.notes.isEmpty)
    }

    @Test("takes the time of day of most rows, not of one that is far off")
    func oneTimeOff() throws {
        let off = text(60).replacingOccurrences(of: "19:16:17.010", with: "17:16:17.010")
        #expect(off != text(60))
        let sent = try imported(.sensorLog, text: off).payloads("device-motion").first?["sent"] as? Double
        #expect(sent == 1_617_905_777.73)
    }

    @Test("refuses a header that the samples contradict")
    func wrongHeader() throws {
        let result = try imported(.sensorLog, text: text(5).replacingOccurrences(of: "|0|0|-1|3", with: "|0|0|-9.81|3"))
        #expect(result.has("the units of the header are wrong"))
    }

    @Test("reports an empty file", arguments: ["", "\n\n", "# only a comment\n"])
    func empty(text: String) throws {
        #expect(try imported(.sensorLog, text: text).has("holds no header and no row"))
    }

    @Test("reports a file with only a header")
    func headerAlone() throws {
        #expect(try imported(.sensorLog, text: Self.header).has("no row holds device motion"))
    }

    /// Rows without device motion: the accelerometer measures 4 ms before the gyroscope, and later from row 50 on.
    private func raw(_ rows: Int, unit: String = "G", scale: Double = 1) -> String {
        let axes = ["X", "Y", "Z"]
        let header =
            "loggingTime(txt),accelerometerTimestamp_sinceReboot(s),"
            + axes.map { "accelerometerAcceleration\($0)(\(unit))," }.joined()
            + "gyroTimestamp_sinceReboot(s)," + axes.map { "gyroRotation\($0)(rad/s)," }.joined()
            + axes.map { "magnetometer\($0)(µT)" }.joined(separator: ",")
        let lines = (0..<rows).map { index in
            let time = 100 + Double(index) * 0.01
            let measured = time + (index < 50 ? -0.004 : 0.004)
            let fraction = "\(100 + index)".dropFirst()
            return
                "2021-04-08 19:16:16.\(fraction)0 +0100,\(measured),\((measured - 100) * scale),0,\(-scale),\(time),0.5,0,-0.25,300,0,0"
        }
        return ([header] + lines).joined(separator: "\n") + "\n"
    }

    @Test("without device motion becomes raw motion at the instants of the gyroscope")
    func sensors() throws {
        let result = try imported(.sensorLog, text: raw(100))
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.has("no device motion; accelerometer and gyroscope become raw motion"))
        let times = result.column("device-motion", "timestamp")
        #expect(times.count == 100 && times.first == 100 && times.last == 100.99)
        #expect(result.column("device-motion", "rotationRate", "x").allSatisfy { $0 == 0.5 })
        #expect(result.column("device-motion", "acceleration", "z").allSatisfy { $0 == -1 })
        let x = result.column("device-motion", "acceleration", "x")
        // The last value as it was measured, or the one between it and the value before.
        #expect(zip(x, times).allSatisfy { abs($0 - ($1 - 100) + ($1 < 100.495 ? 0.004 : 0)) < 1e-8 })
        let samples = try #require(result.payloads("device-motion").first?["samples"] as? [String: Any])
        #expect(Set(samples.keys) == ["timestamp", "rotationRate", "acceleration"])
        #expect(result.payloads("device-motion").first?["sent"] != nil)
    }

    @Test("refuses a header that the accelerometer contradicts, and leaves out rows with one sensor")
    func sensorFaults() throws {
        #expect(try imported(.sensorLog, text: raw(5, scale: 9.81)).has("the units of the header are wrong"))
        let metric = try imported(.sensorLog, text: raw(5, unit: "m/s^2", scale: 9.80665))
        #expect(metric.column("device-motion", "acceleration", "z").allSatisfy { abs($0 + 1) < 1e-8 })
        let holed = try imported(.sensorLog, text: raw(5).replacingOccurrences(of: ",100.02,0.5,", with: ",100.02,,"))
        #expect(holed.report.files.first?.blank == 1)
        #expect(holed.column("device-motion", "timestamp") == [100, 100.01, 100.03, 100.04])
    }
}
