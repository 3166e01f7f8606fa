/// Plans the import of a log of dives: Subsurface's XML and CSV, UDDF, Shearwater's XML and CSV. Each dive is a boot of its own.
struct DiveLogImport: FileImport {
    /// The device time of a dive's first whole second, in microseconds: no device sends at 0.
    private static let lead: Int64 = 1_000_000
    /// So many dives that are left out are reported one by one.
    private static let mostReports = 5

    let request: ImportRequest
    let output: ImportPlan.Output

    /// Whether a file with these first bytes is such a log.
    static func recognizes(_ beginning: [UInt8], name: String) -> Bool { DiveLogKind(beginning) != nil }

    /// The plan for the file at `path`.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan {
        guard request.streams?.contains(.submersion) ?? true else {
            throw ImportProblem("only submersion is read from dive logs", file: path)
        }
        let dives = DiveCollector(file: path, device: request.device, times: request.times, onFault: output.fault)
        let problem = try read(path, into: dives)
        var found = dives.dives.filter { $0.span != nil }
        guard !found.isEmpty else { throw problem ?? ImportProblem("holds no sample of a dive", file: path) }
        if let problem { output.problem(problem) }
        let undated = found.count { Self.date(of: $0) == nil }
        if let start = request.start, found.count > 1, undated != 1 {
            throw ImportProblem(
                "--start \(start) dates one dive, and the file has \(found.count), \(undated) of them without a date", file: path)
        }
        note(dives, path)
        try setSurfacePressures(of: &found, path)
        return try plan(found, undated: undated, spool: dives.spool, path: path)
    }

    /// Gives the dives whose depths are absolute pressures that at the surface, where it is said.
    private func setSurfacePressures(of dives: inout [LoggedDive], _ path: String) throws(ImportProblem) {
        let lacking = dives.indices.filter { dives[$0].isOfPressures && dives[$0].surfacePressure == nil }
        guard !lacking.isEmpty else { return }
        var (log, pressures) = (DiveLog(request), DivePressures())
        for dive in dives where dive.isOfPressures {
            guard let least = dive.least else { continue }
            pressures.add(WaterReading(pressure: WaterReading.Measured(value: least, unit: dive.depthUnit)))
        }
        if let fault = log.decide(pressures, request) { throw ImportProblem(fault, file: path) }
        guard log.surfacePressure != nil else {
            return output.note(
                "\(path): no depth follows from the absolute pressures of \(lacking.count) dives without that at the surface: say "
                    + "--surface-pressure 1013hPa, or lowest")
        }
        if let note = pressures.note(log) { output.note("\(path): \(note)") }
        for index in lacking { dives[index].surfacePressure = log.surfacePressure }
    }

    /// Why the file is not read to its end; nil where it is. What was read before is kept.
    private func read(_ path: String, into dives: DiveCollector) throws(ImportProblem) -> ImportProblem? {
        let chunks = try output.chunks(path)
        let first = try chunks.next()
        guard let kind = DiveLogKind(first) else { throw ImportProblem("is no log of dives that is known", file: path) }
        output.note("\(path): \(kind.rawValue)")
        var pending: [UInt8]? = first
        let next = { () throws(ImportProblem) -> [UInt8] in
            guard let first = pending else { return try chunks.next() }
            pending = nil
            return first
        }
        var problem: ImportProblem?
        do throws(ImportProblem) {
            switch kind {
            case .subsurfaceXML: try read(XMLScanner(file: path, chunks: next), SubsurfaceXML(), into: dives)
            case .uddf: try read(XMLScanner(file: path, chunks: next), UDDF(), into: dives)
            case .shearwaterXML: try read(XMLScanner(file: path, chunks: next), ShearwaterXML(), into: dives)
            case .subsurfaceCSV: try DiveTables.subsurface(Table(file: path, chunks: next), into: dives)
            case .shearwaterCSV: try DiveTables.shearwater(Table(file: path, chunks: next), into: dives)
            }
        } catch {
            problem = error
        }
        try dives.finish()
        return problem
    }

    private func read(_ scanner: XMLScanner, _ reader: some DiveXML, into dives: DiveCollector) throws(ImportProblem) {
        var reader = reader
        defer { if let note = scanner.note { output.note("\(scanner.file): \(note)") } }
        while let event = try scanner.next() { try reader.take(event, into: dives) }
    }

    private func note(_ dives: DiveCollector, _ path: String) {
        if dives.lacksZone { output.note("\(path): \(request.times.note)") }
        let empty = dives.dives.filter { $0.span == nil }
        let unread = empty.filter { $0.report.bad > 0 }
        if let first = unread.first {
            output.problem(
                ImportProblem("no sample of \(unread.count) dives can be read, this one first", file: path, line: first.line))
        }
        let bare = empty.count { $0.report.bad == 0 }
        if bare > 0 { output.note("\(path): \(bare) dives without a sample are left out") }
        for (what, count) in dives.leftOut.sorted(by: { $0.key < $1.key }) {
            output.note("\(path): \(count) \(what) are left out")
        }
    }

    private func plan(
        _ dives: [LoggedDive], undated: Int, spool: Spool<DiveSample>, path: String
    ) throws(ImportProblem) -> ImportPlan {
        var hash = ContentHash()
        try hash.add(file: path)
        var plan = ImportPlan()
        var last: (dive: LoggedDive, end: Double)?
        var leftOut = 0
        func leaveOut(_ dive: LoggedDive, _ reason: String) {
            leftOut += 1
            guard leftOut <= Self.mostReports else { return }
            let text = "the dive that begins here, number \(dive.number), is left out: \(reason)"
            output.problem(ImportProblem(text, file: path, line: dive.line))
        }
        let isOne = dives.count == 1
        let start = { (dive: LoggedDive) in
            isOne ? request.start ?? Self.date(of: dive) : Self.date(of: dive) ?? request.start
        }
        let order = { (dive: LoggedDive) in (start(dive) ?? .infinity, dive.number) }
        for dive in dives.sorted(by: { order($0) < order($1) }) {
            guard let span = dive.span else { continue }
            let (first, end) = (dive.micros(span.lowerBound), dive.micros(span.upperBound))
            let start = start(dive)
            if start == nil {
                let reason =
                    dive.start.map { _ in "the date is not between 2001 and 2099" }
                    ?? dive.dateFault ?? "the dive has no date"
                guard isOne else {
                    let remedy = undated == 1 ? "--start gives it one" : "--start gives one to a single dive"
                    let advice = dive.dateFault == nil ? "; \(remedy), as does the program that wrote the log" : ""
                    leaveOut(dive, reason + advice)
                    continue
                }
                let problem = ImportProblem("\(reason); --start gives it another", file: path, line: dive.line)
                dive.dateFault == nil ? output.note("\(problem)") : output.problem(problem)
            }
            if let last, let start, start + Double(first) / 1e6 <= last.end {
                leaveOut(dive, "it begins before that on line \(last.dive.line) ends")
                continue
            }
            if let start { last = (dive, start + Double(end) / 1e6) }
            var own = hash
            own.add(Array("#\(dive.number)".utf8))
            plan.add(self.plan(dive, spool: spool, path: path, boot: own.boot, start: start, first: first))
        }
        if leftOut > Self.mostReports {
            output.problem(ImportProblem("\(leftOut - Self.mostReports) more dives are left out like them", file: path))
        }
        return plan
    }

    /// The date of a dive; nil where it has none that can be.
    private static func date(of dive: LoggedDive) -> Double? { dive.start.flatMap { Importer.dates.contains($0) ? $0 : nil } }

    private func plan(
        _ dive: LoggedDive, spool: Spool<DiveSample>, path: String, boot: String, start: Double?, first: Int64
    ) -> ImportPlan {
        // A whole second, so that uptime and wall clock have the same decimals.
        let zero = start.map { Int64(($0 * 1e6).rounded()) } ?? 0
        let epoch = (zero + first) / 1_000_000 * 1_000_000 - Self.lead
        let boot = RecordedBoot(
            device: request.device, boot: boot, epoch: start == nil ? nil : epoch, start: zero + first - epoch)
        var source = FrameSource.Plan(file: path, stream: .submersion, boot: boot, start: boot.start) { _, _ in
            DiveReadings(dive, spool.samples(of: UInt32(dive.number - 1)), offset: zero - epoch)
        }
        source.line = dive.line
        source.end = dive.span.map { boot.start + dive.micros($0.upperBound) - first }
        return ImportPlan(statuses: [boot.online(wrist: request.wrist)], sources: [source])
    }
}

/// The readings of one dive.
private final class DiveReadings: Readings {
    private let dive: LoggedDive
    private let samples: SpoolReader<DiveSample>
    private let offset: Int64

    var report: FileReport { dive.report }

    /// The samples of `dive`, whose second 0 is at `offset` of the device's clock, in microseconds.
    init(_ dive: LoggedDive, _ samples: SpoolReader<DiveSample>, offset: Int64) {
        (self.dive, self.samples, self.offset) = (dive, samples, offset)
    }

    func next() throws(ImportProblem) -> TimedReading? {
        try samples.next().map { dive.reading($0, at: dive.micros($0.micros) + offset) }
    }
}
