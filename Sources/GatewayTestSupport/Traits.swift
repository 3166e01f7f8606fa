internal import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
    /// Of the slow tier: simulated nights, many seeds, bytes at random, recordings. `make test-pure` leaves it out, everything else runs it.
    package static var slow: Self {
        .disabled(if: ProcessInfo.processInfo.environment["FATHOM_TESTS"] == "fast", "slow tier: make test runs it")
    }

    /// Of tests that need the real recordings.
    package static var recorded: Self {
        .enabled(if: SharedData.folder != nil, "needs the recordings in shared/data (or FATHOM_SHARED_DATA)")
    }

    /// Of tests that need those of one folder.
    package static func recordings(in folder: String) -> Self {
        .enabled(
            if: SharedData.folder.map { FileManager.default.fileExists(atPath: $0.appending(path: folder).path) } ?? false,
            "needs shared/data/\(folder) (or FATHOM_SHARED_DATA)")
    }
}
