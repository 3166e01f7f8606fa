/// Samples at any rate, brought to even cells of time: the mean of what lies in each cell. The components of a sample are the elements of a
/// vector.
///
/// The type is public, as its users are generic over it in another module: the compiler makes code for one type of vector of what is `public`
/// and `@inlinable`, but not of what is `package`.
///
/// A cell is complete when a sample of a later one arrives. Up to `longestGap` empty cells are filled in a straight line; after more
/// of them the signal starts anew.
public struct EvenSampler<Values: SIMD & Sendable>: Sendable, Equatable, Codable where Values.Scalar == Double {
    /// A complete cell.
    public struct Cell: Sendable, Equatable {
        /// Its number: the cells since the zero of the clock.
        public var number: Int
        /// The mean of each component.
        public var values: Values
        /// Whether the signal starts anew with it.
        public var isFirst: Bool

        @inlinable
        init(number: Int, values: Values, isFirst: Bool) {
            (self.number, self.values, self.isFirst) = (number, values, isFirst)
        }
    }

    /// The cells that a sample makes complete, in order: those of a gap, and the one before the sample's.
    public struct Cells: Sequence, IteratorProtocol {
        @usableFromInline var position = 0
        @usableFromInline let last: Int
        @usableFromInline let count: Int
        @usableFromInline let from: Values
        @usableFromInline let to: Values
        @usableFromInline let isFirst: Bool

        /// `count` cells up to the one numbered `last`, their values on a line that ends with `to`.
        @inlinable
        init(_ count: Int, last: Int, from: Values, to: Values, isFirst: Bool) {
            (self.count, self.last, self.from, self.to, self.isFirst) = (count, last, from, to, isFirst)
        }

        /// The next cell.
        @inlinable
        public mutating func next() -> Cell? {
            guard position < count else { return nil }
            position += 1
            guard position < count else { return Cell(number: last, values: to, isFirst: isFirst) }
            let part = Double(position) / Double(count)
            return Cell(number: last - count + position, values: from + (to - from) * part, isFirst: false)
        }
    }

    /// No sensor reaches it, in G, rad/s or rad; it keeps sums and filters finite.
    @inlinable static var bound: Double { 1e4 }

    /// The time of the newest sample in s; nil before the first.
    @inlinable public var newest: Double? { latest }
    @usableFromInline var latest: Double?
    @usableFromInline var number = 0
    @usableFromInline var sums = Values()
    @usableFromInline var count = 0
    @usableFromInline var last: Values?
    @usableFromInline var lastNumber = 0

    /// No sample.
    @inlinable
    public init() {}

    /// Adds a sample and returns the cells that it makes complete. One that is not later than those before, not finite, or of 1e4 or
    /// more, is ignored. Times may be unix times in s.
    @inlinable
    public mutating func step(time: Double, _ values: Values, hertz: Double, longestGap: Int) -> Cells {
        guard time > latest ?? -.infinity, abs(time) < 1e10, values.indices.allSatisfy({ abs(values[$0]) < Self.bound }) else {
            return none
        }
        latest = time
        // In whole microseconds, in which decimal times are exact.
        let cell = Int((time * 1e6).rounded() * hertz / 1e6)
        let complete = count > 0 && cell != number ? close(longestGap: longestGap) : none
        if count == 0 {
            number = cell
            sums = values
        } else {
            sums += values
        }
        count += 1
        return complete
    }

    @inlinable
    mutating func close(longestGap: Int) -> Cells {
        let mean = sums / Double(count)
        let missing = number - lastNumber - 1
        let isFirst = last == nil || missing > longestGap
        let cells = Cells(isFirst ? 1 : max(0, missing) + 1, last: number, from: last ?? mean, to: mean, isFirst: isFirst)
        (last, lastNumber, count) = (mean, number, 0)
        return cells
    }

    @inlinable
    var none: Cells { Cells(0, last: 0, from: Values(), to: Values(), isFirst: false) }
}
