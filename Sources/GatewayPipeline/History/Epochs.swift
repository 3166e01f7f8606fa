import TelemetryModel

/// The epochs of several days, and the angle of the forearm in each.
package struct Epochs: Sendable {
    /// The epochs of a day.
    static let perDay = 17_280

    /// The first day, in days since 1970.
    let firstDay: Int
    private(set) var values: [Epoch]
    /// The mean angle between the z axis and the horizontal plane, in degrees; NaN where it is not known.
    var angles: [Double]

    /// Empty epochs of `days`.
    init(days: Range<Int>) {
        firstDay = days.lowerBound
        values = Array(repeating: Epoch(), count: days.count * Self.perDay)
        angles = Array(repeating: .nan, count: values.count)
    }

    /// The number of epochs.
    var count: Int { values.count }

    /// When the first begins, in unix s.
    private var start: Double { Double(firstDay) * HistoryDay.seconds }

    /// When epoch `index` begins.
    func time(_ index: Int) -> UnixTime { UnixTime(start + Double(index * Epoch.seconds)) }

    /// The epoch that begins at `time`, or the first after it; limited to those there are.
    func index(_ time: UnixTime) -> Int {
        let place = ((time.seconds - start) / Double(Epoch.seconds)).rounded(.up)
        return Int(max(0, min(Double(count), place)))
    }

    /// How many seconds of these epochs have samples.
    func coveredSeconds(in range: Range<Int>) -> Int { values[range].reduce(0) { $0 + $1.coveredSeconds } }

    /// The epochs of a day.
    func range(ofDay day: Int) -> Range<Int> {
        let first = (day - firstDay) * Self.perDay
        return first..<first + Self.perDay
    }

    /// Adds a sample, `microseconds` after the first epoch begins.
    mutating func add(_ units: SIMD3<Int64>, at microseconds: Int, magnitude: Double) {
        let second = microseconds / 1_000_000
        values[second / Epoch.seconds].add(units, second: second % Epoch.seconds, magnitude: magnitude)
    }
}
