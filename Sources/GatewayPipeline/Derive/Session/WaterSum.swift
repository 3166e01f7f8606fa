package import TelemetryModel

/// `session/water`: dives and depth.
package struct WaterSum: SessionSum {
    @Sparse private var dives = 0
    @Sparse private var timeUnderWater = 0.0
    private var deepest: Double?
    /// Whether the depth of a dive was withheld: then the deepest is not known.
    @Sparse private var isWithheld = false
    private var deepestState: DepthState?
    private var minimumTemperature: Double?
    @Sparse private var faults = 0

    /// Nothing.
    package init() {}

    /// `submersion`.
    package static let stream = StreamName.submersion

    /// Dives, depth states and temperatures.
    package static let sources: [SessionSource<Self>] = [
        SessionSource(Dive.self) { dive, sum in
            sum.dives = 1
            sum.timeUnderWater = max(0, dive.duration - dive.surfaceTime)
            sum.deepest = dive.deepest
            sum.isWithheld = dive.deepest == nil
            sum.minimumTemperature = dive.minimumTemperature
        },
        SessionSource(DepthStateChange.self) { change, sum in
            if change.state > .notSubmerged { sum.deepestState = change.state }
            sum.faults = change.cause == .fault ? 1 : 0
        },
        SessionSource(WaterTemperature.self) { water, sum in sum.minimumTemperature = water.temperature },
    ]

    /// Adds another sum.
    package mutating func add(_ other: Self) {
        dives.addSaturated(other.dives)
        timeUnderWater += other.timeUnderWater
        deepest = deepest.greatest(other.deepest)
        isWithheld = isWithheld || other.isWithheld
        deepestState = deepestState.greatest(other.deepestState)
        minimumTemperature = minimumTemperature.least(other.minimumTemperature)
        faults.addSaturated(other.faults)
    }

    /// `session/water`.
    package static let kind = DerivedKind<SessionReport<Self>>.session(
        "session/water", "The dives of a session; retained until it has ended.",
        fields: [
            .integer("dives", "The number of `dive`s.", \.sum.dives),
            .seconds("timeUnderWater", "The sum of their durations, less `surfaceTime`.", \.sum.timeUnderWater),
            .number("deepest", unit: "m", "The greatest depth of them; null without a dive and once depth was withheld.") {
                $0.sum.isWithheld ? nil : $0.sum.deepest
            },
            .text(
                "deepestState", values: DepthState.allCases.filter { $0 > .notSubmerged }.map(\.name),
                "The deepest `depth-state`; null where none was under water.", \.sum.deepestState?.name),
            .number(
                "minimumTemperature", unit: "C", "The lowest temperature of the water; null where none was measured.",
                \.sum.minimumTemperature),
            .integer("faults", "The number of `depth-state`s with the cause `fault`.", \.sum.faults),
        ])
}
