/// The lines of several sources as one recording, by arrival; lines of the same instant are in the order of the sources.
struct FrameMerge {
    private var statuses: [RecordedLine]
    /// Those that have not begun, the next one last: a log of dives has thousands, of which one is read at a time.
    private var waiting: [(place: Int, source: FrameSource)]
    private var active: [(place: Int, source: FrameSource)] = []
    private let onProblem: (ImportProblem) -> Void

    /// A merge that begins each boot with its status; a source that cannot be read to its end is reported and ends there.
    init(statuses: [RecordedLine], sources: [FrameSource], onProblem: @escaping (ImportProblem) -> Void) {
        // Sorting is stable, and taken from the end.
        self.statuses = Array(statuses.sorted { $0.at < $1.at }.reversed())
        waiting = sources.enumerated().map { (place: $0.offset, source: $0.element) }
            .sorted { ($0.source.due, $0.place) > ($1.source.due, $1.place) }
        self.onProblem = onProblem
    }

    /// The next line; nil at the end.
    mutating func next() -> RecordedLine? {
        while true {
            while let next = waiting.last, active.allSatisfy({ next.source.due <= $0.source.due }) {
                active.append(waiting.removeLast())
            }
            let index = active.indices.min {
                (active[$0].source.due, active[$0].place) < (active[$1].source.due, active[$1].place)
            }
            if let status = statuses.last, index.map({ status.at <= active[$0].source.due }) ?? true {
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
            goesOn = try active[index].source.advance(taking: &line)
        } catch {
            onProblem(error)
        }
        if !goesOn { active.remove(at: index) }
        return line
    }
}
