internal import SignalProcessing
package import TelemetryModel

/// The recorded acceleration of one minute of UTC: samples in order of time, none twice.
package struct HistoryMinute: Sendable, Equatable {
    /// Units of acceleration in a G: below the noise of the sensors seen, and clipped at 16 G.
    package static let unitsPerG = 2_048.0
    /// The length of a minute in microseconds.
    static let length = 60_000_000
    /// What stands for a sample without identifier.
    static let noIdentifier: Int64 = -1
    /// Samples nearer than this to one another are the same, in microseconds; less than 5 ms by the rounding of two times.
    private static let distance: Int32 = 4_998

    /// The minutes since 1970.
    package let minute: Int
    /// When each sample was measured, in microseconds of the minute, increasing.
    package internal(set) var times: [Int32] = []
    /// The samples' numbers; `noIdentifier` where there is none.
    package internal(set) var identifiers: [Int64] = []
    /// The acceleration in units.
    package internal(set) var x: [Int16] = []
    package internal(set) var y: [Int16] = []
    package internal(set) var z: [Int16] = []
    /// Whether a sample was beyond 16 G.
    package internal(set) var isClipped = false

    /// A minute without samples.
    package init(minute: Int) { self.minute = minute }

    /// The number of samples.
    package var count: Int { times.count }

    /// The acceleration of sample `index` in units.
    func units(_ index: Int) -> SIMD3<Int64> { SIMD3(Int64(x[index]), Int64(y[index]), Int64(z[index])) }

    /// The acceleration of sample `index` in G.
    func acceleration(_ index: Int) -> SIMD3<Double> {
        SIMD3(Double(x[index]), Double(y[index]), Double(z[index])) / Self.unitsPerG
    }

    /// The length of an acceleration in units.
    static func magnitude(_ units: SIMD3<Int64>) -> Double { Double((units &* units).wrappedSum()).squareRoot() }

    /// When sample `index` was measured.
    package func date(_ index: Int) -> UnixTime {
        UnixTime(Double(minute * Self.length + Int(times[index])) / 1e6)
    }

    /// Adds a sample behind all others.
    private mutating func append(_ time: Int32, _ identifier: Int64, _ vector: (x: Int16, y: Int16, z: Int16)) {
        times.append(time)
        identifiers.append(identifier)
        x.append(vector.x)
        y.append(vector.y)
        z.append(vector.z)
    }

    /// Adds the samples of `range` that are not there: neither one with their identifier, nor one within 5 ms. Returns how many were
    /// added.
    mutating func add(_ samples: RecordedAcceleration, _ range: Range<Int>) -> Int {
        let before = count
        let known = Set(identifiers).subtracting([Self.noIdentifier])
        let last = times.last
        var added = HistoryMinute(minute: minute)
        for index in range {
            let time = Int32(clamping: Self.microseconds(samples.startDate[index]) - minute * Self.length)
            let identifier = samples.identifier?[index] ?? Self.noIdentifier
            if identifier != Self.noIdentifier, known.contains(identifier) { continue }
            if let last, time - last < Self.distance, holds(time) { continue }
            let vector = samples.acceleration[index] * Self.unitsPerG
            let units = (Self.units(vector.x), Self.units(vector.y), Self.units(vector.z))
            if max(abs(vector.x), abs(vector.y), abs(vector.z)) > Double(Int16.max) { isClipped = true }
            added.append(time, identifier, units)
        }
        guard added.count > 0 else { return 0 }
        if last.map({ $0 < added.times[0] }) ?? true {
            times += added.times
            identifiers += added.identifiers
            x += added.x
            y += added.y
            z += added.z
        } else {
            self = merged(with: added)
        }
        return count - before
    }

    /// Whether a sample lies within 5 ms of `time`.
    private func holds(_ time: Int32) -> Bool {
        let next = times.partitioningIndex { $0 >= time }
        return (next < times.count && times[next] - time < Self.distance) || (next > 0 && time - times[next - 1] < Self.distance)
    }

    private func merged(with other: HistoryMinute) -> HistoryMinute {
        var merged = HistoryMinute(minute: minute)
        merged.isClipped = isClipped
        var (left, right) = (0, 0)
        while left < count || right < other.count {
            if right == other.count || (left < count && times[left] < other.times[right]) {
                merged.append(times[left], identifiers[left], (x[left], y[left], z[left]))
                left += 1
            } else {
                merged.append(other.times[right], other.identifiers[right], (other.x[right], other.y[right], other.z[right]))
                right += 1
            }
        }
        return merged
    }

    private static func units(_ value: Double) -> Int16 { Int16(clamping: Int(value.rounded())) }

    /// A decoded date in whole microseconds.
    static func microseconds(_ date: UnixTime) -> Int { Int((date.seconds * 1e6).rounded()) }

    /// The minute of a decoded date.
    static func minute(of date: UnixTime) -> Int { microseconds(date) / length }
}
