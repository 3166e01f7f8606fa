import SignalProcessing

/// A first look at a file of Sensor Logger: where its times begin, and what its units are.
struct SensorLoggerSurvey {
    private static let mostRows = 4096

    /// The time of the first row that can be read, unix microseconds.
    private(set) var start: Int64
    /// How its numbers become Core Motion's.
    private(set) var convention = MotionConvention()
    /// kPa for each unit of a pressure.
    private(set) var kilopascals = 1.0
    /// The decision in words; nil where none was needed.
    private(set) var note: String?

    /// Reads the first rows of `table`; throws when no row can be read, or when they belong to no known unit.
    init(
        _ table: Table, file: SensorLoggerFile, isStandardised: Bool?, metadata: Bool?
    ) throws(ImportProblem) {
        let reader = try table.readHeader { header throws(ImportProblem) in try SensorLoggerReader(header, file: file) }
        var evidence = MotionEvidence()
        var pressures: [Double] = []
        var first: Int64?
        var rows = 0
        while rows < Self.mostRows, let row = try table.next() {
            rows += 1
            guard let reading = try? reader.reading(of: row) else { continue }
            first = first ?? reading.micros
            switch reading.reading {
            case .motion(let sample): evidence.add(sample)
            case .vector(let vector): evidence.add(acceleration: vector)
            case .altitude(let sample): pressures.append(sample.pressure)
            case .pedometer, .water, .raw: break
            }
        }
        guard let first else { throw ImportProblem("none of its rows can be read", file: table.file) }
        start = first
        if file.stream == .altimeter {
            kilopascals = try Self.kilopascals(pressures, file: table.file)
            note = "pressure in \(kilopascals == 1 ? "kPa" : "mbar") (measured over \(pressures.count) rows)"
        } else if file.sensor == .acceleration {
            let unit = try evidence.totalAccelerationUnit(file: table.file)
            // Android's signs, and those of "Standardise Units & Frames", go with m/s2.
            convention.accelerationScale = unit == .gravities ? 1 : -unit.scale
            note =
                "acceleration in \(unit.rawValue), \(unit == .gravities ? "Core Motion's signs" : "Android's signs, reversed here") "
                + "(measured over \(evidence.count) rows)"
        } else if file == .headphone || file == .wristMotion {
            let decision = try SensorLoggerDecision(
                evidence, isHeadphone: file == .headphone, isStandardised: isStandardised, metadata: metadata,
                file: table.file)
            (convention, note) = (decision.convention, decision.note)
        }
    }

    private static func kilopascals(_ pressures: [Double], file: String) throws(ImportProblem) -> Double {
        let median = pressures.sorted()[pressures.count / 2]
        switch median {
        case 30...120: return 1
        case 300...1200: return 0.1
        default: throw ImportProblem("pressures of about \(median) are neither kPa nor mbar", file: file, column: "pressure")
        }
    }
}
