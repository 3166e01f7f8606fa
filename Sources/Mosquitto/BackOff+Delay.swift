import Glibc

extension MosquittoConfiguration.BackOff {
    /// The wait after `failures` failures in a row, 1 or more: anything from nothing to the span, so that clients cut off together
    /// do not come back together.
    func delay(afterFailures failures: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        // 2^32 spans exceed any maximum, and more doublings would overflow nothing but sense.
        let doublings = Double(min(max(failures, 1) - 1, 32))
        let span = min(maximumSeconds, initialSeconds * exp2(doublings))
        return .seconds(Double.random(in: 0...span, using: &generator))
    }

    /// The wait after a batch was given back, which says nothing of the broker: half a second to a second, less if set so.
    func shortDelay(using generator: inout some RandomNumberGenerator) -> Duration {
        .seconds(min(maximumSeconds, Double.random(in: 0.5...1, using: &generator)))
    }

    /// The wait after another client took our session: long, or the two would take it from each other for ever.
    func longDelay(using generator: inout some RandomNumberGenerator) -> Duration {
        .seconds(Double.random(in: maximumSeconds / 2...maximumSeconds, using: &generator))
    }
}
