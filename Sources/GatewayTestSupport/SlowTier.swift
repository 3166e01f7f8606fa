internal import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
    /// Of the slow tier: simulated nights, many seeds, bytes at random, recordings. `make test-pure` leaves it out, everything else runs it.
    package static var slow: Self {
        .disabled(if: ProcessInfo.processInfo.environment["FATHOM_TESTS"] == "fast", "slow tier: make test runs it")
    }
}
