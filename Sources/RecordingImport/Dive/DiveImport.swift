import TelemetryModel

/// Plans the import of a dive log.
struct DiveImport: FileImport {
    /// Logs may begin with lines of settings that are no comments.
    private static let headerLines = 100
    /// More than this, in pascals, is in a cylinder: it would be 290 m of water.
    private static let mostPascals = 30e5

    let request: ImportRequest
    let output: ImportPlan.Output

    /// A log of several dives, or a table with a depth, or with two pressures: one alone may be of a barometer.
    static func recognizes(_ beginning: [UInt8], name: String) -> Bool {
        if DiveLogImport.recognizes(beginning, name: name) { return true }
        let isDive = try? Table.beginning(beginning).readHeader(within: headerLines) { header throws(ImportProblem) in
            if DiveBinding.isOfDepths(header) { return true }
            let columns = try DiveBinding(header, requested: [], needsTime: false).columns
            return columns[.depth] != nil || columns[.surfacePressure] != nil
        }
        return isDive ?? false
    }

    /// The plan for the file at `path`.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan {
        if DiveLogImport.recognizes(try FileChunks.beginning(of: path), name: path) {
            return try DiveLogImport(request: request, output: output).plan(path)
        }
        guard request.streams?.contains(.submersion) ?? true else {
            throw ImportProblem("only submersion is read from dive logs", file: path)
        }
        var log = DiveLog(request)
        let survey = try survey(path, &log)
        guard let first = survey.first else {
            throw survey.fault ?? ImportProblem("no row holds a depth, a pressure or a temperature", file: path)
        }
        for note in survey.reader.clock.notes(start: request.start) { output.note("\(path): \(note)") }
        return try ImportPlan(
            log: path, stream: .submersion, survey: survey, first: first, request: request, output: output
        ) { [log] table throws(ImportProblem) in try Self.open(table, log, request) }
    }

    private static func open(
        _ table: Table, _ log: DiveLog, _ request: ImportRequest
    ) throws(ImportProblem) -> DiveReader {
        var binding = try table.readHeader(within: headerLines) { header throws(ImportProblem) in
            try DiveBinding(header, requested: request.diveColumns, needsTime: request.interval == nil)
        }
        if log.leavesPressureOut { binding.remove(.pressure) }
        var reader = DiveReader(binding, surfacePressure: log.surfacePressure, request: request)
        reader.clock.dateOrder = log.dateOrder
        return reader
    }

    /// Reads all of the log, to decide what its dates and pressures are, and reports that.
    private func survey(_ path: String, _ log: inout DiveLog) throws(ImportProblem) -> TableSurvey<DiveReader> {
        let table = try output.countedTable(path)
        let reader = try Self.open(table, log, request)
        var found = DivePressures()
        var restarts = RestartSurvey()
        let survey = try TableSurvey(table, reader) { placed in
            restarts.add(placed)
            if case .water(let water) = placed.timed.reading { found.add(water) }
        }
        if let fault = survey.reader.clock.ambiguous {
            guard log.dateOrder == nil, let order = survey.reader.clock.dateOrder else {
                throw ImportProblem(fault.detail, file: path, column: fault.column)
            }
            log.dateOrder = order
            return try self.survey(path, &log)
        }
        if !survey.reader.clock.isAbsolute, let line = restarts.line {
            throw ImportProblem(
                "the times begin again here: several dives in one table are read where each row has date and time, "
                    + "or as Subsurface's CSV has them; split the file", file: path, line: line)
        }
        if let depth = reader.binding.columns[.depth]?.column, let fault = survey.reader.depths.fault(of: depth) {
            throw ImportProblem(fault, file: path, column: depth.name)
        }
        for column in reader.binding.withoutUnit { output.note("\(column); the column is left out") }
        if !reader.binding.others.isEmpty {
            let others = reader.binding.others.prefix(20).map { ImportProblem.quoted($0) }.joined(separator: ", ")
            output.note("\(path): the columns \(others) are not read; --columns FIELD=COLUMN:UNIT names one that is")
        }
        if let pressure = reader.binding.columns[.pressure], found.greatest > Self.mostPascals {
            let reason = "up to \(FileReport.text(found.greatest / 1e5)) bar is the pressure of a cylinder"
            let problem = ImportProblem("\(reason), and there is no depth", file: path, column: pressure.column.name)
            guard reader.binding.columns[.depth] != nil else { throw problem }
            output.note("\(ImportProblem("\(reason): left out", file: path, column: pressure.column.name))")
            log.leavesPressureOut = true
        } else if let fault = log.decide(found, request) {
            throw ImportProblem(fault, file: path)
        } else if let note = found.note(log) {
            output.note("\(path): \(note)")
        }
        return survey
    }
}

/// What was decided about a dive log before it is read.
struct DiveLog {
    /// Whether day or month comes first in its dates; nil where neither is said or shown.
    var dateOrder: DateOrder?
    /// Whether its pressure is that of a cylinder.
    var leavesPressureOut = false
    /// The pressure at the surface until the log has one.
    private(set) var surfacePressure: WaterReading.Measured?

    /// What the request says.
    init(_ request: ImportRequest) {
        dateOrder = request.times.dateOrder
        if case .pascals(let pascals) = request.surfacePressure {
            surfacePressure = WaterUnits.measured(pascals, unit: "Pa")
        }
    }

    /// Takes the lowest pressure of the log where that is asked for; returns why it cannot be taken.
    mutating func decide(_ found: DivePressures, _ request: ImportRequest) -> String? {
        guard case .lowest = request.surfacePressure, let lowest = found.lowest else { return nil }
        guard SurfacePressure.air.contains(lowest) else {
            return "the lowest pressure is \(FileReport.text(lowest / 100)) hPa, which is not that of air: say --surface-pressure"
        }
        surfacePressure = WaterUnits.measured(lowest, unit: "Pa")
        return nil
    }
}

/// The pressures of a dive log.
struct DivePressures {
    /// The lowest in pascals; nil without any.
    private(set) var lowest: Double?
    /// The greatest in pascals; 0 without any.
    private(set) var greatest = 0.0
    /// Whether there is a depth.
    private(set) var hasDepth = false
    private var hasSurface = false

    /// Adds a row.
    mutating func add(_ water: WaterReading) {
        if water.depth != nil { hasDepth = true }
        if water.surfacePressure != nil { hasSurface = true }
        guard let pressure = water.pressure, let scale = WaterUnits.pascals[pressure.unit] else { return }
        let pascals = pressure.value * scale
        lowest = min(lowest ?? pascals, pascals)
        greatest = max(greatest, pascals)
    }

    /// What is to be said where no depth follows from the pressures, or of how one does.
    func note(_ log: DiveLog) -> String? {
        guard let lowest, !hasDepth else { return nil }
        if let surface = log.surfacePressure {
            return "the pressure at the surface is taken as \(FileReport.text(surface.value / 100)) hPa"
        }
        guard !hasSurface else { return nil }
        return "no depth follows from the absolute pressure without that at the surface: say --surface-pressure 1013hPa, or "
            + "--surface-pressure lowest, here \(FileReport.text(lowest / 100)) hPa"
    }
}
