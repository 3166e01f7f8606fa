/// The counts per minute of an ActiGraph, from the acceleration of one axis: the algorithm that its maker has published (Neishabouri 2022,
/// Scientific Reports 12:11958), with the normal filter.
///
/// Samples of any rate are brought to 30 Hz in straight lines. After a gap of more than 0.5 s the filter settles anew.
package struct ActigraphyCounts: Sendable {
    /// The band from 0.29 to 1.63 Hz as published.
    private static let feedForward = [
        -0.009341062898525, -0.025470289659360, -0.004235264826105, 0.044152415456420, 0.036493718347760, -0.011893961934740,
        -0.022917390623150, -0.006788163862310,
    ]
    private static let feedback = [
        1, -3.63367395910957, 5.03689812757486, -3.09612247819666, 0.50620507633883, 0.32421701566682, -0.15685485875559,
        0.01949130205890,
    ]
    /// Units of the counter in a G.
    private static let unitsPerG = 3.0 / 4_096 / (2.6 / 256) * 237.5
    private static let units = 4.0...128
    private static let order = 8
    private static let hertz = 30.0
    private static let cellsPerBlock = 3
    private static let blocksPerMinute = 600
    private static let longestGap = 0.5

    private struct Minute {
        var sum = 0.0
        var blocks = 0
    }

    private var minutes: [Int: Minute] = [:]
    private var last: (time: Double, value: Double)?
    /// The last inputs and outputs, the newest at `newest`, the earlier ones behind it.
    private var inputs = Array(repeating: 0.0, count: order)
    private var outputs = Array(repeating: 0.0, count: order)
    private var newest = 0
    private var block = 0.0

    /// No sample.
    package init() {}

    /// Adds a sample: its time in s from the start of a minute on, and the acceleration in G. One that is not later than those before is
    /// ignored.
    package mutating func add(time: Double, _ value: Double) {
        guard let last else {
            begin(time: time, value)
            return
        }
        guard time > last.time else { return }
        guard time - last.time <= Self.longestGap else {
            begin(time: time, value)
            return
        }
        var cell = Self.cell(after: last.time)
        while Double(cell) / Self.hertz <= time {
            let part = (Double(cell) / Self.hertz - last.time) / (time - last.time)
            take(last.value + (value - last.value) * part, cell)
            cell += 1
        }
        self.last = (time, value)
    }

    /// The counts of minute `number`; nil where less than half of it is known. Counts of a part stand for the whole.
    package func counts(_ number: Int) -> Double? {
        guard let minute = minutes[number], 2 * minute.blocks >= Self.blocksPerMinute else { return nil }
        return (minute.sum * Double(Self.blocksPerMinute) / Double(minute.blocks)).rounded(.down)
    }

    /// The first cell after `time`.
    private static func cell(after time: Double) -> Int { Int((time * hertz + 1e-6).rounded(.down)) + 1 }

    /// Starts with a sample, as if it had been the same for long.
    private mutating func begin(time: Double, _ value: Double) {
        last = (time, value)
        let value = Self.rounded(value)
        inputs = inputs.map { _ in value }
        let gain = Self.feedForward.reduce(0, +) / Self.feedback.reduce(0, +)
        outputs = outputs.map { _ in value * gain }
        // A block of which the beginning is missing does not count.
        block = .nan
    }

    private mutating func take(_ value: Double, _ cell: Int) {
        newest = (newest + Self.order - 1) % Self.order
        inputs[newest] = Self.rounded(value)
        var output = 0.0
        for index in 0..<Self.order { output += Self.feedForward[index] * inputs[(newest + index) % Self.order] }
        for index in 1..<Self.order { output -= Self.feedback[index] * outputs[(newest + index) % Self.order] }
        outputs[newest] = output
        let size = abs(output) * Self.unitsPerG
        let place = cell % Self.cellsPerBlock
        if place == 0 { block = 0 }
        block += size < Self.units.lowerBound ? 0 : min(size, Self.units.upperBound).rounded(.down)
        guard place == Self.cellsPerBlock - 1, !block.isNaN else { return }
        let minute = cell / Self.cellsPerBlock / Self.blocksPerMinute
        minutes[minute, default: Minute()].sum += (block / Double(Self.cellsPerBlock)).rounded(.down)
        minutes[minute, default: Minute()].blocks += 1
    }

    private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
}
