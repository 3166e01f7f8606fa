/// A high-pass and a low-pass section of second order in series.
package struct CausalBandPass: Sendable, Equatable {
    /// The section that removes what is slow.
    let high: FilterSection
    /// The section that removes what is fast.
    let low: FilterSection
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
        var bank = CausalBandPassBank(settledAt: [first], self)
        return signal.map { bank.step([$0], self)[0] }
    }
}

/// The states of several signals' band-pass filters (transposed direct form II).
package struct CausalBandPassBank: Sendable, Equatable, Codable {
    /// Four numbers a signal: two of the high-pass section, two of the low-pass section.
    private var memory: [Double]

    /// The state after `values`, one a signal, have been held forever: the next outputs have no step in them.
    package init(settledAt values: [Double], _ filter: CausalBandPass) {
        memory = values.flatMap { [-filter.high.b0 * $0, filter.high.b0 * $0, 0, 0] }
    }

    /// Processes one sample of each signal, and returns the filtered ones.
    package mutating func step(_ values: [Double], _ filter: CausalBandPass) -> [Double] {
        var outputs = values
        for (index, value) in values.enumerated() {
            let high = pass(value, filter.high, at: 4 * index)
            outputs[index] = pass(high, filter.low, at: 4 * index + 2)
        }
        return outputs
    }

    private mutating func pass(_ value: Double, _ section: FilterSection, at place: Int) -> Double {
        let output = section.b0 * value + memory[place]
        memory[place] = memory[place + 1] + section.b1 * value - section.a1 * output
        memory[place + 1] = section.b2 * value - section.a2 * output
        return output
    }
}
