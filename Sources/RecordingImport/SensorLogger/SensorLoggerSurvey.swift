import SignalProcessing

/// A first look at a file of Sensor Logger: where its times begin, and what its units are.
struct SensorLoggerSurvey {
    private static let mostRows = 4096

    /// The earliest time, unix microseconds.
    let start: Int64
    /// The latest time, unix microseconds.
    let end: Int64
    /// How the rows are ordered.
    let order: RowOrder
    /// How its numbers become Core Motion's; those of an acceleration without gravity as the numbers of gravity do.
    var convention = MotionConvention()
    /// kPa for each unit of a pressure.
    private(set) var kilopascals = 1.0
    /// The decision in words; nil where none was needed.
    private(set) var note: String?

    /// Reads the rows of `table`; throws when no row can be read, or when they belong to no known unit.
    init(
        _ table: Table, file: SensorLoggerFile, isStandardised: Bool?, metadata: SensorLoggerMetadata
    ) throws(ImportProblem) {
        let reader = try table.readHeader { header throws(ImportProblem) in try SensorLoggerReader(header, file: file) }
        var evidence = MotionEvidence()
        var pressures: [Double] = []
        let survey = try TableSurvey(table, reader) { placed in
            guard evidence.count + pressures.count < Self.mostRows else { return }
            switch placed.timed.reading {
            case .motion(let sample): evidence.add(sample)
            case .vector(let vector): evidence.add(acceleration: vector)
            case .altitude(let sample): if let pressure = sample.pressure { pressures.append(pressure) }
            case .pedometer, .water, .surfaced, .workout, .raw: break
            }
        }
        guard let first = survey.first else { throw ImportProblem("none of its rows can be read", file: table.file) }
        (start, end, order) = (first, survey.last ?? first, survey.order)
        if file.stream == .altimeter, !pressures.isEmpty {
            kilopascals = try Self.kilopascals(pressures, file: table.file)
            note = "pressure in \(kilopascals == 1 ? "kPa" : "mbar") (measured over \(pressures.count) rows)"
        } else if file == .gravity {
            let unit = try evidence.totalAccelerationUnit(file: table.file)
            let (isReversed, reason) = try Self.gravitySigns(
                unit, isStandardised: isStandardised, metadata: metadata, file: table.file)
            convention.accelerationScale = isReversed ? -unit.scale : unit.scale
            note =
                "gravity, and the acceleration beside it, in \(unit.rawValue), "
                + "\(isReversed ? "Android's signs, reversed here" : "Core Motion's signs") (\(reason))"
        } else if file.sensor == .acceleration, file != .accelerometer {
            let unit = try evidence.totalAccelerationUnit(file: table.file)
            // Android's signs, and those of "Standardise Units & Frames", go with m/s2.
            convention.accelerationScale = unit == .gravities ? 1 : -unit.scale
            note =
                "acceleration in \(unit.rawValue), \(unit == .gravities ? "Core Motion's signs" : "Android's signs, reversed here") "
                + "(measured over \(evidence.count) rows)"
        } else if file == .headphone || file == .wristMotion {
            let decision = try SensorLoggerDecision(
                evidence, isHeadphone: file == .headphone, isStandardised: isStandardised,
                metadata: metadata.isStandardised, file: table.file)
            (convention, note) = (decision.convention, decision.note)
        }
    }

    /// Whether gravity points up: iPhones write it in m/s2 with either sign.
    private static func gravitySigns(
        _ unit: AccelerationUnit, isStandardised: Bool?, metadata: SensorLoggerMetadata, file: String
    ) throws(ImportProblem) -> (isReversed: Bool, reason: String) {
        if let isStandardised { return (isStandardised, "as --standardised states") }
        if unit == .gravities { return (false, "as the unit shows") }
        if metadata.isAndroid == true { return (true, "as Metadata.csv states") }
        if let isStandardised = metadata.isStandardised { return (isStandardised, "as Metadata.csv states") }
        throw ImportProblem(
            "without Metadata.csv its signs are not known; say --standardised true where z of a phone that lies on its back is "
                + "positive, otherwise false", file: file)
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
