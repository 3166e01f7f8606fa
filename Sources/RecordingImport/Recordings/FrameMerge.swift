/// The lines of several sources as one recording, by arrival; lines of the same instant are in the order of the sources.
struct FrameMerge {
    private var statuses: [RecordedLine]
    private var sources: [FrameSource]
    private let onProblem: (ImportProblem) -> Void

    /// A merge that begins each boot with its status; a source that cannot be read to its end is reported and ends there.
    init(statuses: [RecordedLine], sources: [FrameSource], onProblem: @escaping (ImportProblem) -> Void) {
        // Sorting is stable, and taken from the end.
        self.statuses = Array(statuses.sorted { $0.at < $1.at }.reversed())
        self.sources = sources
        self.onProblem = onProblem
    }

    /// The next line; nil at the end.
    mutating func next() -> RecordedLine? {
        while true {
            let index = sources.indices.min { sources[$0].due < sources[$1].due }
            if let status = statuses.last, index.map({ status.at <= sources[$0].due }) ?? true {
                return statuses.removeLast()
            }
            guard let index else { return nil }
            if let line = step(index) { return line }
        }
    }

    private mutating func step(_ index: Int) -> RecordedLine? {
        var line: RecordedLine?
        var goesOn = false
        do throws(ImportProblem) {
            goesOn = try sources[index].advance(taking: &line)
        } catch {
            onProblem(error)
        }
        if !goesOn { sources.remove(at: index) }
        return line
    }
}
