import Foundation
import GatewayTestSupport
import RecordingImport
import Testing

@Suite("Import of Sensor Logger")
struct SensorLoggerTests {
    private let samples = Motion.series(250, every: 0.02)

    private func close(_ left: [Double], _ right: [Double], _ tolerance: Double = 1e-8) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { abs($0 - $1) <= tolerance }
    }

    private func expect(_ result: Imported, _ stream: String, device: String? = nil, equals samples: [Motion]) {
        let column = { (vector: String, axis: String) in result.column(stream, vector, axis, device: device) }
        #expect(close(column("gravity", "y"), samples.map { $0.gravity[1] }), "\(result.notes)")
        #expect(close(column("userAcceleration", "z"), samples.map { $0.userAcceleration[2] }))
        #expect(close(column("attitude", "x"), samples.map { $0.attitude[0] }))
        #expect(close(column("attitude", "w"), samples.map { $0.attitude[3] }))
        #expect(close(column("rotationRate", "z"), samples.map { $0.rotationRate[2] }))
    }

    @Test("writes phone and watch as two devices, each with its own status, boot and clock")
    func folder() throws {
        let exports = try Exports([
            "WristMotion.csv": Motion.sensorLogger(samples),
            "Headphone.csv": Motion.sensorLogger(samples, location: "left") { $0.gravity = $0.gravity.map { $0 * 9.80665 } },
            "Barometer.csv": "time,seconds_elapsed,relativeAltitude,pressure\n1783160371400000000,0,0.5,1013.25\n",
            "Pedometer.csv": "time,seconds_elapsed,steps\n1783160372000000000,1,12\n1783160373000000000,2,14\n",
            "Annotation.csv": "time,seconds_elapsed,text\n1783160372000000000,1,hit\n", "Camera.txt": "",
        ])
        let result = try imported(.sensorLogger, [exports.path]) { $0.wrist = .left }
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.has("passed over Annotation.csv") && result.has("passed over Camera.txt"))
        expect(result, "device-motion", equals: samples)
        expect(result, "headphone-motion", equals: samples)
        #expect(result.payloads("device-motion", device: "d1-watch").count == 5)
        #expect(result.payloads("headphone-motion", device: "d1").count == 5)
        let samples = try #require(result.payloads("headphone-motion").first?["samples"] as? [String: Any])
        #expect(samples["sensorLocation"] as? String == "headphoneLeft")
        #expect(result.column("altimeter", "pressure", device: "d1") == [101.325])
        let steps = try #require(result.payloads("pedometer").first?["data"] as? [[String: Double]])
        #expect(steps.map { $0["numberOfSteps"] } == [12])
        #expect(steps[0]["endDate"] == 1_783_160_372)
        #expect(result.payloads("status", device: "d1-watch").first?["wristLocation"] as? String == "left")
        #expect(result.payloads("status", device: "d1").first?["wristLocation"] == nil)
        #expect(Set(result.lines.compactMap { ($0["payload"] as? [String: Any])?["boot"] as? String }).count == 2)
    }

    @Test("keeps order, numbers frames from 0, starts with status, and gives the same bytes again")
    func frames() throws {
        let exports = try Exports(["WristMotion.csv": Motion.sensorLogger(samples)])
        let result = try imported(.sensorLogger, [exports.path])
        let arrivals = result.lines.compactMap { $0["at"] as? Double }
        #expect(arrivals == arrivals.sorted())
        #expect(result.lines.first?["topic"] as? String == "wearables/d1-watch/in/status")
        #expect(result.lines.first?["retain"] as? Bool == true)
        #expect(result.payloads("device-motion").map { $0["seq"] as? Int } == [0, 1, 2, 3, 4])
        for payload in result.payloads("device-motion") {
            let offset = try #require(payload["sent"] as? Double) - (try #require(payload["uptime"] as? Double))
            #expect(abs(offset - 1_783_160_370) < 1e-5)
        }
        #expect(try imported(.sensorLogger, [exports.path]).text == result.text)
        #expect(try imported(.sensorLogger, [exports.path + "/WristMotion.csv"]).text == result.text)
    }

    @Test("measures what is standardised, before and after version 1.63", .slow, arguments: [false, true])
    func standardised(quaternion: Bool) throws {
        let exports = try Exports([
            "WristMotion.csv": Motion.sensorLogger(samples) { $0.standardise(quaternion: quaternion) },
            "Headphone.csv": Motion.sensorLogger(samples) { $0.standardise(quaternion: quaternion) },
        ])
        let result = try imported(.sensorLogger, [exports.path])
        expect(result, "device-motion", equals: samples)
        expect(result, "headphone-motion", equals: samples)
        #expect(result.notes.filter { $0.contains("standardised signs") }.count == 2)
        expect(try imported(.sensorLogger, [exports.path]) { $0.isStandardised = true }, "device-motion", equals: samples)
    }

    @Test("prefers --standardised to the samples, and reports that they contradict it")
    func override() throws {
        let exports = try Exports(["WristMotion.csv": Motion.sensorLogger(samples)])
        let result = try imported(.sensorLogger, [exports.path]) { $0.isStandardised = true }
        #expect(result.has("gravity and attitude contradict each other"))
        #expect(close(result.column("device-motion", "gravity", "z"), samples.map { -$0.gravity[2] }))
    }

    @Test("uses Metadata.csv only where the samples do not decide")
    func metadata() throws {
        let noise = Motion.sensorLogger(samples) { $0.gravity = [0.6, 0, 0.8] }
        let exports = try Exports(["WristMotion.csv": noise])
        let refused = try imported(.sensorLogger, [exports.path])
        #expect(refused.has("--standardised true or false"))
        #expect(refused.report.problems == 1)
        _ = try exports.write(Data("version,standardisation\n3,true\n".utf8), to: "Metadata.csv")
        let result = try imported(.sensorLogger, [exports.path])
        #expect(result.has("as Metadata.csv states"))
        #expect(result.column("device-motion", "gravity", "z").first == -0.8)
    }

    @Test("refuses a gravity that is in no unit")
    func unit() throws {
        let exports = try Exports(["WristMotion.csv": Motion.sensorLogger(samples) { $0.gravity = $0.gravity.map { $0 * 3 } }])
        let result = try imported(.sensorLogger, [exports.path])
        #expect(result.has("WristMotion.csv: |gravity| is 3.0, neither about 1 (G) nor about 9.81 (m/s2)"))
        #expect(result.lines.isEmpty)
        #expect(!result.report.isClean)
    }

    @Test("finds columns by name in any order, and reads nanoseconds exactly")
    func order() throws {
        let text = Motion.sensorLogger(
            [Motion(seconds: 0), Motion(seconds: 0.000_002)], start: 1_783_160_371_379_516_255,
            order: Motion.names.reversed())
        let exports = try Exports(["wrist_motion.CSV": text])
        let result = try imported(.sensorLogger, [exports.path])
        expect(result, "device-motion", equals: [Motion(seconds: 0), Motion(seconds: 0.000_002)])
        #expect(result.column("device-motion", "timestamp") == [1.379516, 1.379518])
    }

    @Test("follows a change of bud within a frame")
    func buds() throws {
        let left = Motion.sensorLogger([Motion(seconds: 0)], location: "left")
        let right = Motion.sensorLogger([Motion(seconds: 0.02)], location: "right").split(separator: "\n")[1]
        let exports = try Exports(["Headphone.csv": left + right])
        let samples = try #require(
            try imported(.sensorLogger, [exports.path]).payloads("headphone-motion").first?["samples"] as? [String: Any])
        #expect(samples["sensorLocation"] as? [String] == ["headphoneLeft", "headphoneRight"])
    }

    @Test("converts a watch's pressure by its size", arguments: [("101.3", 101.3), ("1013", 101.3)])
    func pressure(cell: String, expected: Double) throws {
        let exports = try Exports([
            "WatchBarometer.csv": "time,relativeAltitude,pressure\n1783160371400000000,0,\(cell)\n"
        ])
        let result = try imported(.sensorLogger, [exports.path])
        #expect(result.column("altimeter", "pressure", device: "d1-watch") == [expected])
    }

    @Test("keeps an altitude beside a pressure that is none, and the other way round")
    func halfAltitudes() throws {
        let cells = ["0,1013.25", "1,", "2,None", "3,1012", "nan,1011", "high,1010", ","]
        let rows = cells.enumerated().map { "\(1_783_160_371_400_000_000 + $0 * 100_000_000),\($1)" }
        let exports = try Exports(["Barometer.csv": "time,relativeAltitude,pressure\n\(rows.joined(separator: "\n"))\n"])
        let result = try imported(.sensorLogger, [exports.path])
        #expect(result.column("altimeter", "relativeAltitude") == [0, 1, 2, 3])
        #expect(result.column("altimeter", "pressure") == [101.325, 101.2, 101.1, 101])
        let report = try #require(result.report.files.first)
        #expect((report.bad, report.badCells) == (1, 1), "\(result.notes)")
        #expect(result.has(#"Barometer.csv:7: column "relativeAltitude": "high" is no number"#))
    }

    @Test("writes only the streams that are asked for")
    func streams() throws {
        let exports = try Exports([
            "WristMotion.csv": Motion.sensorLogger(samples), "Headphone.csv": Motion.sensorLogger(samples),
        ])
        let result = try imported(.sensorLogger, [exports.path]) { $0.streams = [.headphoneMotion] }
        #expect(result.payloads("device-motion").isEmpty)
        #expect(result.payloads("headphone-motion").count == 5)
    }

    /// A CSV file of one of the phone's sensors, with the columns in the app's order.
    private func phone(_ times: [Double], _ value: (Double) -> [Double]) -> String {
        "time,seconds_elapsed,z,y,x\n"
            + times.map { time in
                let (vector, nanos) = (value(time), 1_783_160_371_000_000_000 + Int64((time * 1e9).rounded()))
                return "\(nanos),\(time),\(vector[2]),\(vector[1]),\(vector[0])\n"
            }.joined()
    }

    private let instants = (0..<150).map { Double($0) * 0.01 }

    @Test("joins the phone's total acceleration, rotation rate and field at the instants of the gyroscope")
    func phoneSensors() throws {
        let exports = try Exports([
            // Android: m/s2, and +1 G along an axis that points up.
            "TotalAcceleration.csv": phone(instants.map { $0 + 0.004 }) { [9.80665 * $0, 0, 9.80665] },
            "AccelerometerUncalibrated.csv": "", "Accelerometer.csv": phone(instants) { _ in [0, 0, 0] },
            "Gyroscope.csv": phone(instants) { [0.5, -$0, 0] },
            "Magnetometer.csv": phone((0..<80).map { Double($0) * 0.02 }) { [20 + $0, -4, -43] },
            "WristMotion.csv": Motion.sensorLogger(samples),
        ])
        let result = try imported(.sensorLogger, [exports.path])
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.has("acceleration in m/s2, Android's signs, reversed here (measured over 150 rows)"))
        #expect(result.has("passed over Accelerometer.csv, AccelerometerUncalibrated.csv"))
        let times = result.column("device-motion", "timestamp", device: "d1")
        #expect(close(times, instants.map { 1 + $0 }))
        // The first instant is before any acceleration, and takes the nearest.
        let x = result.column("device-motion", "acceleration", "x", device: "d1")
        #expect(close(x, [-0.004] + instants.dropFirst().map { -$0 }))
        #expect(result.column("device-motion", "acceleration", "z", device: "d1").allSatisfy { $0 == -1 })
        #expect(close(result.column("device-motion", "rotationRate", "y", device: "d1"), instants.map { -$0 }))
        #expect(close(result.column("device-motion", "magneticField", "x", device: "d1"), instants.map { 20 + $0 }))
        expect(result, "device-motion", device: "d1-watch", equals: samples)
        #expect(result.report.files.map(\.samples) == [150, 250])
    }

    @Test("takes the unit of an iPhone's uncalibrated acceleration for its signs")
    func uncalibrated() throws {
        let exports = try Exports([
            "AccelerometerUncalibrated.csv": phone(instants) { _ in [0, 0, -1] },
            "Gyroscope.csv": phone(instants) { _ in [1, 0, 0] },
            "MagnetometerUncalibrated.csv": phone(instants) { _ in [300, 0, 0] },
        ])
        let result = try imported(.sensorLogger, [exports.path])
        #expect(result.has("acceleration in G, Core Motion's signs"))
        #expect(result.has("passed over MagnetometerUncalibrated.csv"))
        #expect(result.column("device-motion", "acceleration", "z").allSatisfy { $0 == -1 })
        #expect(result.column("device-motion", "magneticField", "x").isEmpty)
    }

    @Test(
        "adds an iPhone's gravity to its acceleration, in the signs that the export or the option states",
        arguments: [("ios,false", 1.0, nil), ("ios,true", -1, nil), ("android,false", -1, nil), ("", -1, true), ("", 1, false)])
    func gravity(metadata: String, sign: Double, isStandardised: Bool?) throws {
        let (x, z) = (0.5 * sign * 9.80665, -sign * 9.80665)
        var files = [
            "Accelerometer.csv": phone(instants.map { $0 + 0.002 }) { _ in [x, 0, 0] },
            "Gravity.csv": phone(instants) { _ in [0, 0, z] },
            "Gyroscope.csv": phone(instants) { _ in [0.5, 0, 0] },
        ]
        if !metadata.isEmpty { files["Metadata.csv"] = "platform,standardisation\n\(metadata)\n" }
        let exports = try Exports(files)
        let result = try imported(.sensorLogger, [exports.path]) { $0.isStandardised = isStandardised }
        #expect(result.report.isClean, "\(result.notes)")
        let column = { (axis: String) in result.column("device-motion", "acceleration", axis) }
        #expect(close(column("x"), instants.map { _ in 0.5 }) && close(column("z"), instants.map { _ in -1 }))
        guard metadata.isEmpty else { return }
        let unknown = try imported(.sensorLogger, [exports.path])
        #expect(unknown.has("its signs are not known; say --standardised") && unknown.lines.isEmpty)
    }

    @Test("reads a renamed file by its columns, and reports a second one of a kind")
    func renamed() throws {
        let wrist = Motion.sensorLogger(samples)
        let exports = try Exports(["anna.csv": wrist, "xyz.csv": phone(instants) { _ in [0, 0, 1] }])
        let named = try Exports(["WristMotion.csv": wrist])
        let expected = try imported(.sensorLogger, [named.path])
        let result = try imported([exports.path + "/anna.csv"])
        #expect(result.text == expected.text && result.report.isClean)
        #expect(result.has("anna.csv: has the columns of WristMotion.csv"), "\(result.notes)")
        #expect(try imported([exports.path + "/xyz.csv"]).has("name it as the app does, such as Gyroscope.csv"))
        let packed = try exports.write(ArchiveWriter.gz(Array(wrist.utf8)), to: "w.csv.gz")
        #expect(try imported([packed]).text == expected.text)
        let located = Motion.sensorLogger(samples, location: "left").replacing("devicelocation", with: "deviceLocation")
        #expect(try imported(.sensorLogger, text: located).payloads("headphone-motion").count == 5)
        let two = try Exports(["WristMotion (1).csv": wrist, "WristMotion.csv": wrist])
        let second = try imported([two.path])
        #expect(
            second.has("WristMotion.csv: is a second WristMotion.csv beside WristMotion (1).csv: left out"), "\(second.notes)")
        #expect(second.report.problems == 1 && second.report.files.count == 1)
    }

    @Test("reports what is wrong with each of the phone's files, and leaves out what was not measured")
    func phoneFaults() throws {
        let gyroscope = phone(instants) { _ in [1, 0, 0] }
        let alone = try Exports(["Gyroscope.csv": gyroscope])
        #expect(try imported(.sensorLogger, [alone.path]).has("holds no file of Sensor Logger that is read"))
        for path in [alone.path, alone.path + "/Gyroscope.csv"] {
            let result = try imported(.sensorLogger, [path])
            #expect(
                result.has("needs Gyroscope.csv and TotalAcceleration.csv, AccelerometerUncalibrated.csv, or Accelerometer.csv"))
        }
        let unit = try Exports(["Gyroscope.csv": gyroscope, "TotalAcceleration.csv": phone(instants) { _ in [0, 0, 3] }])
        let refused = try imported(.sensorLogger, [unit.path])
        #expect(
            refused.has("TotalAcceleration.csv: the median of |acceleration| is 3.0, neither about 1 (G) nor about 9.81 (m/s2)"))
        #expect(refused.lines.isEmpty && refused.report.problems == 1)
        let early = phone(Array(instants[..<50])) { _ in [0, 0, 9.80665] }
        let holed = try Exports([
            "Gyroscope.csv": gyroscope,
            "TotalAcceleration.csv": early.replacingOccurrences(of: ",0.1,9.80665,", with: ",0.1,much,"),
        ])
        let result = try imported(.sensorLogger, [holed.path])
        let report = try #require(result.report.files.first)
        // The acceleration ends at 0.49 s and counts for 0.1 s more.
        #expect(report.samples == 60 && report.blank == 90, "\(report)")
        #expect(result.has(#"TotalAcceleration.csv:12: column "z": "much" is no number"#), "\(result.notes)")
        #expect(report.dropped["with a cell that is no number"] == 1)
        #expect(!result.report.isClean)
    }
}
