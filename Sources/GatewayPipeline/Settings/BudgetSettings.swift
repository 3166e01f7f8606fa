package import TelemetryModel

/// What a device may cost, in units a second of its own clock. A unit is 1,000 bytes, or 100 samples.
package struct BudgetSettings: Sendable, Equatable {
    /// The most on each lane as a mean over a minute; 0 for no limit.
    package var unitsPerSecond = 400.0
    /// How many times as much it may be within one second.
    package var burst = 3.0
    /// The most of the recorded history as a mean over five minutes; 0 for no limit. Hours may come at once: bursts are not limited.
    package var historyUnitsPerSecond = 5_000.0
    /// The budget of each stream, at its place.
    private var names = StreamName.allCases.map { stream -> BudgetName in
        switch stream {
        case .submersion, .status, .workout: .safety
        case .headphoneMotion, .headphoneConnection, .deviceMotion, .pedometer, .altimeter, .command: .motion
        case .batchedIMU, .movementDisorder: .bulk
        case .recordedAccelerometer: .history
        }
    }

    /// The defaults.
    package init() {}

    /// The budget that counts `stream`: that of its lane. The history has its own, whichever is assigned.
    package subscript(stream: StreamName) -> BudgetName {
        get { names[Int(stream.place)] }
        set { if stream != .recordedAccelerometer { names[Int(stream.place)] = newValue } }
    }

    /// The limits of a budget; nil where it has none.
    func limits(of name: BudgetName) -> BudgetLimits? {
        let units = name == .history ? historyUnitsPerSecond : unitsPerSecond
        guard units > 0 else { return nil }
        return BudgetLimits(unitsPerSecond: units, over: name.windowSeconds, burst: name == .history ? nil : burst)
    }
}

extension BudgetName {
    /// Over how many seconds the mean is taken.
    var windowSeconds: Double { self == .history ? 300 : 60 }
}

/// The limits of one budget. Costs are in thousandths of units.
struct BudgetLimits: Sendable, Equatable {
    /// Below this part of the limits a device that was over them is within its budget again.
    private static let release = 0.8

    let unitsPerSecond: Double
    /// The most within the window of the mean.
    private let window: Double
    /// The most within a second.
    private let burst: Double

    /// A limit of so many units a second as a mean over `seconds`, and of `burst` times as much within one second; nil for no limit of bursts.
    init(unitsPerSecond: Double, over seconds: Double, burst: Double?) {
        self.unitsPerSecond = unitsPerSecond
        window = unitsPerSecond * seconds * 1_000
        self.burst = burst.map { unitsPerSecond * max(1, $0) * 1_000 } ?? .infinity
    }

    /// Whether so much within the window, and within a second, is over a limit.
    func isOver(window cost: Int, second: Int) -> Bool { Double(cost) > window || Double(second) > burst }

    /// Whether so much within the window is so far under its limit that refused streams may be used again.
    func isReleased(window cost: Int) -> Bool { Double(cost) < window * Self.release }

    /// Whether so much within a second is so far under its limit that refused streams may be used again.
    func isReleased(second cost: Int) -> Bool { Double(cost) <= burst * Self.release }
}
