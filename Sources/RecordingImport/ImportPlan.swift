/// What one path of a request becomes.
struct ImportPlan {
    /// The first line of each boot.
    var statuses: [RecordedLine] = []
    /// The files behind them.
    var sources: [FrameSource.Plan] = []

    mutating func add(_ other: Self) {
        statuses += other.statuses
        sources += other.sources
    }

    /// The parts that may stand without each other: the dives of a log, each with a boot of its own, or all of it.
    var parts: [Self] {
        guard statuses.count == sources.count, Set(sources.map(\.boot.boot)).count == sources.count else { return [self] }
        return zip(statuses, sources).map { Self(statuses: [$0], sources: [$1]) }
    }

    /// Why `other` cannot stand beside this one: a device has one clock, and runs of it follow each other. Nil where it can.
    func overlap(with other: Self) -> ImportProblem? {
        for source in other.sources {
            guard let before = sources.first(where: { $0.boot.device == source.boot.device && $0.span.overlaps(source.span) })
            else { continue }
            let reason =
                source.boot.epoch == nil
                ? "has no date, as \(before.file)" : "is of the same time of \(source.boot.device) as \(before.file)"
            let place = source.line.map { _ in ": the dive that begins here is left out" } ?? ": left out"
            return ImportProblem(
                "\(reason)\(place); import it alone, or with another --device", file: source.file, line: source.line)
        }
        return nil
    }

    /// The callbacks of planning and reading, and the files they read.
    struct Output {
        /// Called with each decision and each file that is skipped.
        var note: (String) -> Void
        /// Called with each problem.
        var problem: (ImportProblem) -> Void
        /// Called with each row of a companion that is dropped.
        var fault: (ImportProblem) -> Void
        /// Called with the number of bytes read.
        var onRead: (Int) -> Void

        /// The bytes of the file at `path`, which count as progress.
        func chunks(_ path: String) throws(ImportProblem) -> FileChunks {
            try FileChunks(path: path, onRead: onRead, onDamage: problem)
        }

        /// The table at `path`, whose bytes are not counted.
        func table(_ path: String) throws(ImportProblem) -> Table {
            let chunks = try FileChunks(path: path, onDamage: problem)
            return Table(file: path) { () throws(ImportProblem) in try chunks.next() }
        }

        /// The table at `path`, whose bytes count as progress.
        func countedTable(_ path: String) throws(ImportProblem) -> Table {
            let chunks = try self.chunks(path)
            return Table(file: path) { () throws(ImportProblem) in try chunks.next() }
        }
    }
}

extension ImportPlan {
    /// The plan of a log of one stream, whose first reading is at `first` by `clock`; `open` reads the header of its table anew.
    init(
        log path: String, stream: ImportStream, survey: TableSurvey<some LogReader>, first: Int64, request: ImportRequest,
        output: Output, open: @escaping (Table) throws(ImportProblem) -> some LogReader
    ) throws(ImportProblem) {
        let (boot, zero) = try survey.reader.clock.boot(of: path, device: request.device, first: first, start: request.start)
        var source = FrameSource.Plan(
            file: path, stream: stream, boot: boot, start: boot.start, order: survey.order,
            table: { () throws(ImportProblem) in
                let table = try output.countedTable(path)
                var reader = try open(table)
                reader.clock.epoch = zero
                return (table, reader)
            })
        source.end = survey.last.map { $0 - zero }
        source.mayHoldDives = stream == .submersion
        self.init(statuses: [boot.online(wrist: request.wrist)], sources: [source])
    }
}
