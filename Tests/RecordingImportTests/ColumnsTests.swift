import Foundation
import RecordingImport
import Testing

@Suite("Import of raw motion by named columns")
struct ColumnsTests {
    private static let columns =
        "t=time:ms,ax=-AccX:mg,ay=-AccY:mg,az=-AccZ:mg,gx=GyrX:deg/s,gy=GyrY:deg/s,gz=GyrZ:deg/s"
    private static let text = """
        time,AccX,AccY,AccZ,GyrX,GyrY,GyrZ
        0,0,0,1000,180,0,0
        10,500,0,1000,0,90,0
        20,0,-250,1000,0,0,-180

        """

    private func imported(
        _ text: String, _ columns: String = columns, _ change: (inout ImportRequest) throws -> Void = { _ in }
    ) throws -> Imported {
        try RecordingImportTests.imported(.columns, text: text) {
            $0.sensorColumns = try NamedColumn.list(columns)
            try change(&$0)
        }
    }

    @Test func `Columns become raw motion in Core Motion's units, with the signs that are named`() throws {
        let result = try imported(Self.text) { $0.wrist = .left }
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.column("device-motion", "timestamp") == [1, 1.01, 1.02])
        #expect(result.column("device-motion", "acceleration", "x") == [0, -0.5, 0])
        #expect(result.column("device-motion", "acceleration", "y") == [0, 0, 0.25])
        #expect(result.column("device-motion", "acceleration", "z") == [-1, -1, -1])
        #expect(result.column("device-motion", "rotationRate", "x") == [3.141592654, 0, 0])
        #expect(result.column("device-motion", "rotationRate", "y") == [0, 1.570796327, 0])
        #expect(result.column("device-motion", "rotationRate", "z") == [0, 0, -3.141592654])
        let samples = try #require(result.payloads("device-motion").first?["samples"] as? [String: Any])
        #expect(Set(samples.keys) == ["timestamp", "rotationRate", "acceleration"])
        #expect(result.payloads("status").first?["wristLocation"] as? String == "left")
        #expect(result.payloads("device-motion").first?["sent"] == nil)
        #expect(result.has("the log has no date; say --start"))
        #expect(result.has("the mean acceleration is -0.167, 0.083, -1.0 G over 3 rows"))
        let dated = try imported(Self.text) { $0.start = 1_763_749_000 }
        #expect(dated.payloads("device-motion").first?["sent"] as? Double == 1_763_749_000.02)
    }

    private static let fused =
        "t=time:s,qx=quaternionX,qy=quaternionY,qz=quaternionZ,qw=quaternionW,gx=rotationRateX:rad/s,gy=rotationRateY:rad/s,"
        + "gz=rotationRateZ:rad/s,ux=-accelerationX:m/s2,uy=accelerationY:m/s2,uz=accelerationZ:m/s2,gravx=gravityX:G,"
        + "gravy=gravityY:G,gravz=gravityZ:G"

    private func fusedLog(_ change: (inout Motion) -> Void = { _ in }) -> String {
        "time,\(Motion.names.joined(separator: ","))\n"
            + Motion.series(20, every: 0.04).map { sample in
                var sample = sample
                sample.userAcceleration = sample.userAcceleration.map { $0 * 9.80665 }
                change(&sample)
                return "\(sample.seconds),\(sample.values.map { "\($0)" }.joined(separator: ","))\n"
            }.joined()
    }

    @Test(arguments: [ImportStream.deviceMotion, .headphoneMotion])
    func `Fused motion has its attitude, its acceleration and its gravity`(stream: ImportStream) throws {
        let result = try imported(fusedLog(), Self.fused) { $0.streams = [stream] }
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.has("gravity and attitude agree in Core Motion's signs (20 rows)"))
        let samples = Motion.series(20, every: 0.04)
        let close = { (name: String, axis: String, expected: [Double]) in
            let found = result.column(stream.rawValue, name, axis)
            return found.count == expected.count && zip(found, expected).allSatisfy { abs($0 - $1) < 1e-8 }
        }
        #expect(close("attitude", "y", samples.map { $0.attitude[1] }))
        #expect(close("attitude", "w", samples.map { $0.attitude[3] }))
        #expect(close("userAcceleration", "x", samples.map { -$0.userAcceleration[0] }))
        #expect(close("userAcceleration", "z", samples.map { $0.userAcceleration[2] }))
        #expect(close("gravity", "y", samples.map { $0.gravity[1] }))
        #expect(close("rotationRate", "z", samples.map { $0.rotationRate[2] }))
    }

    @Test func `Fused motion that is incomplete, in other units or with other signs is named`() throws {
        let incomplete = Self.fused.replacingOccurrences(of: "qw=quaternionW,", with: "")
            .replacingOccurrences(of: ",gravz=gravityZ:G", with: "")
        #expect(try imported(fusedLog(), incomplete).has("no column for qw, gravz"))
        let metric = try imported(fusedLog { $0.gravity = $0.gravity.map { $0 * 9.80665 } }, Self.fused)
        #expect(metric.has("are the units of gravx, gravy and gravz right?"))
        let turned = try imported(fusedLog { $0.gravity = $0.gravity.map { -$0 } }, Self.fused)
        #expect(turned.has("these are not Core Motion's signs"))
    }

    @Test func `Swapped axes are other columns, and another stream is named`() throws {
        let result = try imported(
            Self.text, "t=time:ms,ax=AccZ:mg,ay=AccX:mg,az=AccY:mg,gx=GyrZ:rad/s,gy=GyrX:rad/s,gz=GyrY:rad/s"
        ) { $0.streams = [.headphoneMotion] }
        #expect(result.column("headphone-motion", "acceleration", "x") == [1, 1, 1])
        #expect(result.column("headphone-motion", "rotationRate", "y") == [180, 0, 0])
    }

    @Test(
        arguments: [
            ("0.5", "s", 1.5), ("500", "ms", 1.5), ("500000", "us", 1.5), ("500000000", "ns", 1.5),
            ("1763749000.25", "unix_s", 1.25),
            ("1763749000250", "unix_ms", 1.25), ("1763749000250000", "unix_us", 1.25),
            ("1763749000250000000", "unix_ns", 1.25), ("2025-11-21T18:16:40.25Z", "iso", 1.25),
        ])
    func `Times of every unit are device time`(cell: String, unit: String, seconds: Double) throws {
        let text = "t,x,y,z,p,q,r\n\(cell),0,0,-1,0,0,0\n"
        let result = try imported(text, "t=t:\(unit),ax=x:G,ay=y:G,az=z:G,gx=p:rad/s,gy=q:rad/s,gz=r:rad/s")
        #expect(result.column("device-motion", "timestamp") == [seconds], "\(result.notes)")
        let sent = result.payloads("device-motion").first?["sent"] as? Double
        #expect(sent == (seconds == 1.25 ? 1_763_749_000.25 : nil))
    }

    @Test(arguments: [("1763749000250", "unix_us"), ("1763749000", "unix_ms"), ("9763749000", "unix_s")])
    func `A unix time in another unit is no time`(cell: String, unit: String) throws {
        let text = "t,x,y,z,p,q,r\n\(cell),0,0,-1,0,0,0\n"
        let result = try imported(text, "t=t:\(unit),ax=x:G,ay=y:G,az=z:G,gx=p:rad/s,gy=q:rad/s,gz=r:rad/s")
        #expect(result.has("is the unit \(unit) right?"), "\(result.notes)")
    }

    @Test func `Units may stand in the names of columns, and times may be an interval`() throws {
        let text = "a (m/s^2);b (m/s^2);c (m/s^2);d [°/s];e [°/s];f [°/s]\n0;0;9,80665;90;0;0\n0;0;9,80665;0;0;0\n"
        let result = try imported(text, "ax=a,ay=b,az=-c,gx=d,gy=e,gz=f") { $0.interval = 0.02 }
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.column("device-motion", "timestamp") == [1, 1.02])
        #expect(result.column("device-motion", "acceleration", "z") == [-1, -1])
        #expect(result.column("device-motion", "rotationRate", "x") == [1.570796327, 0])
    }

    @Test func `A slower magnetometer's last value holds, and before the first a frame has none`() throws {
        let columns = Self.columns + ",mx=MagX:mgauss,my=MagY:mgauss,mz=MagZ:mgauss"
        let rows = (0..<200).map { index in
            "\(index * 10),0,0,1000,1,0,0,"
                + (index < 50 ? ",," : index == 50 ? "200,-40,-430" : index == 150 ? "210,-40,-430" : ",,")
        }
        let text = "time,AccX,AccY,AccZ,GyrX,GyrY,GyrZ,MagX,MagY,MagZ\n" + rows.joined(separator: "\n") + "\n"
        let result = try imported(text, columns)
        #expect(result.report.isClean, "\(result.notes)")
        let frames = result.payloads("device-motion").compactMap { $0["samples"] as? [String: Any] }
        #expect(frames.map { $0["magneticField"] != nil } == [false, true])
        #expect(
            result.column("device-motion", "magneticField", "x") == Array(repeating: 20, count: 50)
                + Array(repeating: 21, count: 50))
        #expect(result.column("device-motion", "magneticField", "z").allSatisfy { $0 == -43 })
    }

    @Test func `Bad rows are dropped with file, line and column, and blank ones are normal`() throws {
        let rows = [
            "time,AccX,AccY,AccZ,GyrX,GyrY,GyrZ", "0,0,0,1000,0,0,0", "10,x,0,1000,0,0,0", "20,,,,,,", "30,0,,1000,0,0,0",
            "40,0,0,1000,0,0,nan", "50,0,0,1e300,0,0,0", "60,0,0,1000,0,0,0", "60,0,0,1000,0,0,0", "30,0,0,1000,0,0,0", "70,0,0",
        ]
        let result = try imported(rows.joined(separator: "\n"))
        let report = try #require(result.report.files.first)
        #expect((report.rows, report.samples, report.blank, report.repeated, report.bad) == (10, 3, 1, 1, 4))
        #expect(report.isCutShort)
        #expect(result.has(#"log.csv:3: column "AccX": "x" is no number"#))
        #expect(result.has(#"log.csv:5: column "AccY": the cell is blank"#))
        #expect(result.column("device-motion", "timestamp") == [1, 1.03, 1.06])
        #expect(!result.report.isClean)
    }

    @Test(
        arguments: [
            ("ax=-AccX:mg,", "", #"no column for ax; the header has "time""#),
            ("t=time:ms,", "", "no column for t; the header has"),
            ("t=time:ms", "t=time", "its name has no unit; say --columns t=time:UNIT with one of iso, min, ms, ns, s, unix_ms"),
            ("ax=-AccX:mg", "ax=AccX", "say --columns ax=AccX:UNIT with one of G, m/s2, mg"),
            ("ax=-AccX:mg", "ax=-Acc:mg", "no column Acc; the header has"),
            ("ay=-AccY:mg", "ay=-AccX:mg", #"column "AccX": is given to both ax and ay"#),
            (":mg", ":m/s2", "the median of |acceleration| is 105.11 G by the units given, expected about 1"),
            (":mg", ":G", "are the units of ax, ay and az right?"),
            ("gz=GyrZ:deg/s", "gz=GyrZ:deg/s,mx=GyrZ:uT", "is given to both gz and mx"),
        ])
    func `What is missing or cannot be is reported with the option for it`(
        part: String, replacement: String, message: String
    ) throws {
        let result = try imported(Self.text, Self.columns.replacingOccurrences(of: part, with: replacement))
        #expect(result.has(message), "\(result.notes)")
        #expect(result.has("log.csv"))
        #expect(result.lines.isEmpty)
        #expect(!result.report.isClean)
    }

    @Test func `Times that begin again, as of two recordings in one file, are noted`() throws {
        let rows = [0, 5].flatMap { (first: Int) in (0..<20).map { "\(first + 10 * $0),0,0,1000,0,0,0\n" } }
        let result = try imported("time,AccX,AccY,AccZ,GyrX,GyrY,GyrZ\n" + rows.joined())
        #expect(result.has("log.csv:22: the times begin again here"), "\(result.notes)")
        #expect(try !imported(Self.text).has("begin again"))
    }

    @Test func `A magnetic field has three axes, and a file one stream`() throws {
        let text = Self.text.replacingOccurrences(of: "GyrZ\n", with: "GyrZ,MagX\n")
        #expect(try imported(text, Self.columns + ",mx=MagX:uT").has("no column for my, mz"))
        let both = try imported(Self.text) { $0.streams = [.headphoneMotion, .deviceMotion] }
        #expect(both.has("--streams must be device-motion or headphone-motion"))
        #expect(try imported(Self.text) { $0.streams = [.submersion] }.has("--streams must be device-motion"))
        #expect(try imported("time,AccX,AccY,AccZ,GyrX,GyrY,GyrZ\n").has("no row holds acceleration and rotation rate"))
        #expect(try imported("time,AccX,AccY,AccZ,GyrX,GyrY,GyrZ\n1,a,0,0,0,0,0\n").has(#"log.csv:2: column "AccX""#))
    }

    @Test(arguments: [
        "ax", "ax=", "aw=x:G", "ax=a:G,ax=b:G", "ax=a:rad/s", "gx=a:mg", "mx=a:mG", "t=a:h", "", "ax=:mg", "qx", "ux=a:rad/s",
        "gravx=a:uT",
    ])
    func `A list that is none is refused`(list: String) {
        #expect(throws: ImportProblem.self) { try NamedColumn<SensorField>.list(list) }
    }
}
