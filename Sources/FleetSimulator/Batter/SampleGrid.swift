/// The instants at which a sensor of a watch is read: a repeating pattern of intervals in whole microseconds.
struct SampleGrid: Sendable {
    /// Microseconds from each reading to the next.
    private let pattern: [Int]

    /// Microseconds the whole pattern takes.
    private let period: Int

    private init(_ pattern: [Int]) {
        self.pattern = pattern
        period = pattern.reduce(0, +)
    }

    /// 801.92 Hz: three intervals of 1.252 ms and one of 1.232 ms, as measured on a watch.
    static let accelerometer = SampleGrid([1252, 1252, 1252, 1232])

    /// 200.44 Hz: nine intervals of 4.989 ms and one of 4.988 ms, as measured on a watch.
    static let deviceMotion = SampleGrid(Array(repeating: 4989, count: 9) + [4988])

    /// Seconds of reading `index`, counted from reading 0.
    func seconds(of index: Int) -> Double {
        let (periods, rest) = index.quotientAndRemainder(dividingBy: pattern.count)
        return Double(periods * period + pattern[..<rest].reduce(0, +)) / 1e6
    }

    /// The first reading at or after a number of seconds.
    func index(atOrAfter seconds: Double) -> Int {
        var index = max(0, Int(seconds * 1e6) / period * pattern.count - pattern.count)
        while self.seconds(of: index) < seconds { index += 1 }
        return index
    }

    /// The readings in a range of seconds.
    func indices(in range: Range<Double>) -> Range<Int> {
        index(atOrAfter: range.lowerBound)..<index(atOrAfter: range.upperBound)
    }
}
