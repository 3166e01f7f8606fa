/// A high-pass and a low-pass section of second order in series.
public struct CausalBandPass: Sendable, Equatable {
    /// The section that removes what is slow.
    public let high: FilterSection
    /// The section that removes what is fast.
    public let low: FilterSection
    private let sampleHertz: Double

    /// The band from `from` to `to` in Hz; `to` is brought under 0.45 of `sampleHertz`.
    package init(from: Double, to: Double, sampleHertz: Double) {
        high = .highPass(hertz: from, sampleHertz: sampleHertz)
        low = .lowPass(hertz: min(to, 0.45 * sampleHertz), sampleHertz: sampleHertz)
        self.sampleHertz = sampleHertz
    }

    /// How many seconds later than the signal a steady oscillation of `hertz` comes out; negative for earlier.
    package func delay(hertz: Double) -> Double {
        let phase = high.phase(hertz: hertz, sampleHertz: sampleHertz) + low.phase(hertz: hertz, sampleHertz: sampleHertz)
        return -phase / (2 * .pi * hertz)
    }

    /// The filtered signal; the filter begins settled at the first value.
    package func filter(_ signal: [Double]) -> [Double] {
        guard let first = signal.first else { return [] }
        var bank = CausalBandPassBank(settledAt: SIMD2(first, 0), self)
        return signal.map { bank.step(SIMD2($0, 0), self).x }
    }
}

/// The states of several signals' band-pass filters (transposed direct form II), an element of a vector each. Public for the
/// reason that `EvenSampler` is.
public struct CausalBandPassBank<Values: SIMD & Sendable>: Sendable, Equatable, Codable where Values.Scalar == Double {
    @usableFromInline var high: Section
    @usableFromInline var low = Section()

    /// The memory of one section.
    @usableFromInline
    struct Section: Sendable, Equatable, Codable {
        @usableFromInline var first = Values()
        @usableFromInline var second = Values()

        @inlinable
        init() {}

        @inlinable
        mutating func step(_ values: Values, _ section: FilterSection) -> Values {
            let output = values * section.b0 + first
            first = second + values * section.b1 - output * section.a1
            second = values * section.b2 - output * section.a2
            return output
        }
    }

    /// The state after `values`, one a signal, have been held forever: the next outputs have no step in them.
    @inlinable
    public init(settledAt values: Values, _ filter: CausalBandPass) {
        high = Section()
        high.first = values * -filter.high.b0
        high.second = values * filter.high.b0
    }

    /// Processes one sample of each signal, and returns the filtered ones.
    @inlinable
    public mutating func step(_ values: Values, _ filter: CausalBandPass) -> Values {
        low.step(high.step(values, filter.high), filter.low)
    }
}
