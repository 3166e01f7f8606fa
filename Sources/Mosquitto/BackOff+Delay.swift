import Glibc

extension MosquittoConfiguration.BackOff {
    /// The wait after `failures` failures in a row, 1 or more: a random part of the span, so that clients that lost their
    /// connections together do not reconnect together.
    func delay(afterFailures failures: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        // 2^32 spans exceed any maximum, so doublings beyond that are ignored.
        let doublings = Double(min(max(failures, 1) - 1, 32))
        let span = min(maximumSeconds, initialSeconds * exp2(doublings))
        return .seconds(Double.random(in: 0...span, using: &generator))
    }

    /// The wait before another broker is tried: short, and random so that clients do not arrive there together.
    func nextBrokerDelay(using generator: inout some RandomNumberGenerator) -> Duration {
        .seconds(min(maximumSeconds, Double.random(in: 0...0.1, using: &generator)))
    }

    /// The wait after a batch was released, which is not a failure of the broker: half a second to a second, or less if
    /// configured.
    func shortDelay(using generator: inout some RandomNumberGenerator) -> Duration {
        .seconds(min(maximumSeconds, Double.random(in: 0.5...1, using: &generator)))
    }

    /// The wait after another client took our session: long, so that the two clients do not take it from each other again and
    /// again.
    func longDelay(using generator: inout some RandomNumberGenerator) -> Duration {
        let longest = takenOverSeconds ?? maximumSeconds
        return .seconds(Double.random(in: longest / 2...longest, using: &generator))
    }
}
