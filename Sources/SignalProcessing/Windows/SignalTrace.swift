/// The samples of a short signal, eight bytes each.
///
/// Times are held as single-precision offsets from the first sample, exact to a microsecond for 16 s, and values in
/// single precision. A trace is finite as long as its values are; a NaN makes every integral over it NaN.
package struct SignalTrace: Sendable, Equatable, Codable {
    private var origin: Double
    private var offsets: [Float]
    private var values: [Float]

    /// A trace that begins with one sample; `time` in seconds.
    package init(time: Double, value: Double) {
        origin = time
        offsets = [0]
        values = [Float(value)]
    }

    /// The number of samples, at least 1.
    package var count: Int { offsets.count }

    /// The time of sample `index` in seconds.
    package func time(_ index: Int) -> Double { origin + Double(offsets[index]) }

    /// The value of sample `index`.
    package func value(_ index: Int) -> Double { Double(values[index]) }

    /// Adds a sample later than the last one.
    package mutating func append(time: Double, value: Double) {
        offsets.append(Float(time - origin))
        values.append(Float(value))
    }

    /// The last sample at or before `time`; nil when all are later.
    package func index(atOrBefore time: Double) -> Int? {
        offsets.indices.last { self.time($0) <= time }
    }

    /// The integral from sample `first` to sample `last` by trapezoids, in the value's unit times seconds.
    package func integral(from first: Int, to last: Int) -> Double {
        var sum = 0.0
        var index = first
        while index < last {
            sum += (value(index) + value(index + 1)) / 2 * (time(index + 1) - time(index))
            index += 1
        }
        return sum
    }

    /// Samples held over samples expected at `hertz` from sample `first` to sample `last`, 0-1.
    package func coverage(from first: Int, to last: Int, hertz: Double) -> Double {
        let expected = (time(last) - time(first)) * hertz
        return expected > 0 ? min(1, Double(last - first) / expected) : 1
    }
}
