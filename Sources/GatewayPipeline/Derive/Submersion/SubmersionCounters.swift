/// Counts of faults and disagreements in a device's submersion stream since its boot.
package struct SubmersionCounters: Codable, Sendable, Equatable {
    /// Measurements whose own depth state was not the one their depth gives.
    package private(set) var disagreements = 0
    /// Measurements and events that are not plausible: not a depth, too fast, or in contradiction to a recent measurement.
    package private(set) var faults = 0
    /// Temperatures measured out of the water, which are of the air or the wrist.
    package var temperaturesOutOfWater: Int { outOfWater ?? 0 }
    private var outOfWater: Int?
    /// Reported sensor errors by Core Motion's raw value, 100 to 113; any other is counted under 0.
    package private(set) var errors: [Int: Int] = [:]

    /// Nothing counted yet.
    package init() {}

    /// Counts one depth state that differs from the derived one.
    mutating func countDisagreement() { disagreements &+= 1 }

    /// Counts one contradiction.
    mutating func countFault() { faults &+= 1 }

    /// Counts one temperature out of the water.
    mutating func countTemperatureOutOfWater() { outOfWater = (outOfWater ?? 0) &+ 1 }

    /// Counts one sensor error.
    mutating func countError(code: Int) {
        errors[Self.coreMotionErrors.contains(code) ? code : 0, default: 0] &+= 1
    }

    /// The raw values of `CMErrorDomain`, so that a device cannot make the table grow.
    private static let coreMotionErrors = 100...113
}
