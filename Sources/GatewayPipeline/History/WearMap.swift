import TelemetryModel

/// Whether a device was worn, in each 15 min (van Hees 2013).
///
/// It was not in an hour in which at least two axes have a standard deviation of less than 13 mG and a range of less than 50 mG.
///
/// Hours begin every 15 min. All of a still hour counts as not worn.
package struct WearMap: Sendable {
    /// The epochs of 15 min.
    static let blockEpochs = 180
    /// The blocks of a window: an hour.
    static let blocksPerWindow = 4
    /// The share of an hour that must have samples.
    private static let fewestSeconds = 3_240
    private static let deviation = 0.013 * HistoryMinute.unitsPerG
    private static let range = 0.050 * HistoryMinute.unitsPerG

    /// The state of each 15 min from the first epoch on.
    let states: [WearState]

    /// The states in `epochs`.
    init(_ epochs: Epochs) {
        var blocks: [(epoch: Epoch, seconds: Int)] = []
        for start in stride(from: 0, to: epochs.count, by: Self.blockEpochs) {
            var (sum, seconds) = (Epoch(), 0)
            for epoch in epochs.values[start..<min(start + Self.blockEpochs, epochs.count)] where epoch.count > 0 {
                sum.add(epoch)
                seconds += epoch.coveredSeconds
            }
            blocks.append((sum, seconds))
        }
        var states = Array(repeating: WearState.unknown, count: blocks.count)
        for first in 0..<max(0, blocks.count - Self.blocksPerWindow + 1) {
            let window = first..<first + Self.blocksPerWindow
            guard blocks[window].reduce(0, { $0 + $1.seconds }) >= Self.fewestSeconds else { continue }
            var sum = Epoch()
            for block in blocks[window] { sum.add(block.epoch) }
            let isStill = Self.isStill(sum)
            for block in window where isStill || states[block] == .unknown { states[block] = isStill ? .notWorn : .worn }
        }
        self.states = states
    }

    private static func isStill(_ sum: Epoch) -> Bool {
        let still = (0..<3).filter { sum.deviation($0) < deviation && Double(sum.high[$0] - sum.low[$0]) < range }
        return still.count >= 2
    }

    /// The state in epoch `index`.
    func state(_ index: Int) -> WearState { states[index / Self.blockEpochs] }
}
