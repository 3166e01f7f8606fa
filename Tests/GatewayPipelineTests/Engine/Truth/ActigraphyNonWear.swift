/// When an ActiGraph was not worn, by its counts per minute (Choi 2011). `wear` is by the acceleration itself; this is
/// for comparison with ActiLife.
enum ActigraphyNonWear {
    private struct Run {
        var isWorn: Bool
        var range: Range<Int>
    }

    /// The times of at least `shortest` minutes without counts, as indices of `counts`. A spike of at most `spike` minutes with counts is
    /// part of them if at least `window` minutes before it and behind it have none; zeros shorter than `spike` between two spikes belong
    /// to the spike.
    static func periods(
        in counts: [Double], shortest: Int = 60, window: Int = 30, spike: Int = 2
    ) -> [Range<Int>] {
        let raw = joined(counts.enumerated().map { Run(isWorn: $0.element > 0, range: $0.offset..<$0.offset + 1) })
        let spikes = joined(
            raw.map { run in Run(isWorn: run.isWorn || run.range.count < spike, range: run.range) })
        let quiet = spikes.indices.map { index in
            var run = spikes[index]
            func isQuiet(_ neighbour: Int) -> Bool {
                spikes.indices.contains(neighbour) && spikes[neighbour].range.count >= window
            }
            if run.isWorn, run.range.count <= spike, isQuiet(index - 1), isQuiet(index + 1) { run.isWorn = false }
            return run
        }
        return joined(quiet).filter { !$0.isWorn && $0.range.count >= shortest }.map(\.range)
    }

    /// Neighbours of one kind as one.
    private static func joined(_ runs: [Run]) -> [Run] {
        runs.reduce(into: []) { joined, run in
            if let last = joined.last, last.isWorn == run.isWorn {
                joined[joined.count - 1].range = last.range.lowerBound..<run.range.upperBound
            } else {
                joined.append(run)
            }
        }
    }
}
