/// What one path of a request becomes.
struct ImportPlan {
    /// The first line of each session.
    var statuses: [RecordedLine] = []
    /// The files behind them.
    var sources: [FrameSource.Plan] = []

    mutating func add(_ other: Self) {
        statuses += other.statuses
        sources += other.sources
    }

    /// What planning and reading tell, and the files they read.
    struct Output {
        /// Hears what was decided or passed over.
        var note: (String) -> Void
        /// Hears what could not be read.
        var problem: (ImportProblem) -> Void
        /// Hears of bytes that became frames.
        var onRead: (Int) -> Void

        /// The table at `path`, for a look at it.
        func table(_ path: String) throws(ImportProblem) -> Table {
            let chunks = try FileChunks(path: path)
            return Table(file: path) { () throws(ImportProblem) in try chunks.next() }
        }

        /// The table at `path`, whose bytes count as progress.
        func countedTable(_ path: String) throws(ImportProblem) -> Table {
            let chunks = try FileChunks(path: path, onRead: onRead)
            return Table(file: path) { () throws(ImportProblem) in try chunks.next() }
        }
    }
}
