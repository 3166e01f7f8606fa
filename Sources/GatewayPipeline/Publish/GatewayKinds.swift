import TelemetryModel

// Kinds that no derivation publishes: access decisions, and missing data.

extension AccessDecision: DerivedBody {
    /// `access/{stream}`.
    package static let kind = DerivedKind<Self>(
        "access/{stream}", retained: true, "Whether a stream of the device may be used, and why not.",
        levels: StreamName.allCases.map(\.rawValue), level: { $0.stream.rawValue },
        fields: [
            .flag("allowed", "Whether it may be used.", \.allowed),
            .choice("reason", "The first check that failed, or `allowed`.", \.reason),
            .integer("code", "Core Motion's error code of the refusal; null where there is none.", \.code?.rawValue),
            .time("since", "Since when the decision holds.", \.since),
            .init(
                "resumesAt", type: .instant,
                "When it may be used again at the earliest; absent where the reason is not `overBudget`."
            ) {
                $0.resumesAt.map { .seconds($0.seconds) } ?? .absent
            },
            .init("refusedHalves", "The parts of a frame that are refused alone; absent where there are none.") {
                $0.refusedHalves.isEmpty ? .absent : .texts($0.refusedHalves.map(\.rawValue))
            },
        ]
    ) { "\($0.reason.rawValue):" + $0.refusedHalves.map(\.rawValue).joined(separator: ",") }
}

extension Gap: DerivedBody {
    /// `gap`.
    package static let kind = DerivedKind<Self>(
        "gap", retained: false, perStream: true, "Frames or samples that are missing.",
        fields: [
            .text("stream", "The stream with the gap.", \.stream.rawValue),
            .text("unit", "What is counted.", \.unit.rawValue),
            .integer("expected", "How many were expected.", \.expected),
            .integer("receivedCount", "How many were received.", \.received),
            .instant("from", "The last instant before the gap; before the first one where it stands for several.", \.from),
            .instant("to", "The first instant after the gap; after the last one where it stands for several.", \.to),
            .init("count", type: .number, "How many gaps it stands for; absent where it is one.") {
                $0.count > 1 ? .integer($0.count) : .absent
            },
            .init("ranges", "First and last missing `seq` of each where it stands for several gaps of frames; absent otherwise.")
            {
                $0.ranges.isEmpty ? .absent : .ranges($0.ranges)
            },
            .init(
                "cause", type: .text,
                "Why: `damaged` where what was stored cannot be read; absent where it did not arrive. `expected` is 0 where it is not known how much."
            ) {
                $0.cause.map { .text($0.rawValue) } ?? .absent
            },
        ]
    ) { gap in
        let subject = "\(gap.stream.rawValue):\(gap.unit.rawValue):\(gap.from.microseconds)"
        // What several gaps were merged to depends on when they were found: of one first and one last `seq`, it is the same message.
        if let first = gap.ranges.first?.lowerBound, let last = gap.ranges.last?.upperBound {
            return "\(gap.stream.rawValue):\(gap.unit.rawValue):\(first)-\(last)"
        }
        return "\(subject):\(gap.firstSequence ?? 0):\(gap.expected)" + (gap.cause.map { ":\($0.rawValue)" } ?? "")
    }
}

extension MotionConventionReport: DerivedBody {
    /// `convention/{stream}`.
    package static let kind = DerivedKind<Self>(
        "convention/{stream}", retained: true,
        "What was measured of a motion stream: units and signs that its producer does not state, and the axes of raw sensors.",
        levels: StreamName.allCases.map(\.rawValue), level: { $0.stream.rawValue },
        fields: [
            .text("stream", "The stream.", \.stream.rawValue),
            .init(
                "standardised", type: .flag,
                "Whether gravity and acceleration have the opposite of Core Motion's signs; absent where the producer states its units."
            ) { $0.units.map { .flag($0.standardised) } ?? .absent },
            .init(
                "gravityScale", type: .number,
                "The factor from the stream's gravity to G in Core Motion's signs; absent with `standardised`."
            ) {
                $0.units.map { .number($0.gravityScale) } ?? .absent
            },
            .init(
                "accelerationScale", type: .number,
                "The factor from the stream's acceleration to G in Core Motion's signs; absent with `standardised`."
            ) {
                $0.units.map { .number($0.accelerationScale) } ?? .absent
            },
            .init(
                "turnsAttitude", type: .flag,
                "Whether yaw and pitch of the attitude have the opposite signs, too; absent with `standardised`."
            ) {
                $0.units.map { .flag($0.turnsAttitude) } ?? .absent
            },
            .init(
                "axes", type: .text, values: MotionConventionReport.axesNames,
                "Of raw motion: whether the gyroscope has the accelerometer's axes, others (`rotationRate`), both are left-handed, or the rotation is in another unit (`rotationUnit`); null until it is known, absent where the device fuses."
            ) { report in report.sensors.map { .text($0.axes.map(MotionConventionReport.name)) } ?? .absent },
            .init(
                "rotationAxes",
                "The axes sent that x, y and z of the rotation rate must be, such as `-y`; absent but where `axes` is `rotationRate`."
            ) { $0.sensors?.rotationAxes.map { .texts($0) } ?? .absent },
            .init(
                "reachesLimit", type: .flag,
                "Of raw motion: whether samples were at the limit of a sensor's range; absent with `axes`."
            ) {
                $0.sensors.map { .flag($0.reachesLimit) } ?? .absent
            },
            .init(
                "turnsEvenly", type: .flag,
                "Of raw motion: whether the gyroscope turned evenly, faster than any bias that is estimated; absent with `axes`."
            ) {
                $0.sensors.map { .flag($0.turnsEvenly) } ?? .absent
            },
            .init(
                "meanAcceleration", type: .number, unit: "G",
                "Of raw motion: the mean length of the acceleration over 10 s where no wearer causes it; absent where it is right."
            ) { $0.sensors?.meanAcceleration.map { .number($0) } ?? .absent },
            .init("remedy", type: .text, "What the producer has to change; absent where nothing is known to be wrong.") {
                $0.sensors?.remedy.map { .text($0) } ?? .absent
            },
        ]
    ) { report in
        let units = report.units.map { "\($0.gravityScale):\($0.accelerationScale):\($0.turnsAttitude)" }
        let sensors = report.sensors.map {
            "\($0.axes.map(MotionConventionReport.name) ?? ""):\(($0.rotationAxes ?? []).joined()):\($0.reachesLimit):\($0.turnsEvenly):\($0.meanAcceleration ?? 0)"
        }
        return [units, sensors].compactMap(\.self).joined(separator: ":")
    }

    private static let axesNames = ["agree", "rotationRate", "leftHanded", "rotationUnit"]

    private static func name(_ axes: SensorFinding.Axes) -> String {
        switch axes {
        case .agree: axesNames[0]
        case .rotationRate: axesNames[1]
        case .leftHanded: axesNames[2]
        case .rotationUnit: axesNames[3]
        }
    }
}

extension Usage: DerivedBody {
    /// `usage/{budget}`.
    package static let kind = DerivedKind<Self>(
        "usage/{budget}", retained: true, "What the device cost within a minute of its clock.",
        levels: BudgetName.allCases.map(\.rawValue), level: { $0.budget.rawValue },
        fields: [
            .number("units", unit: "1/s", "The mean cost: a unit is 1,000 bytes, or 100 samples.", \.units),
            .number("limit", unit: "1/s", "What the mean may be; null where nothing is refused.", \.limit),
            .integer("bytes", "Bytes of the frames that were within the budget.", \.bytes),
            .integer("samples", "Their samples.", \.samples),
            .integer("frames", "How many they were.", \.frames),
            .integer("refused", "Frames that were refused because the device was over its budget.", \.refused),
            .text("busiest", "The stream that cost the most; null where no frame was within the budget.", \.busiest?.rawValue),
            .flag("clockTooFast", "Whether the device's clock runs so fast that its cost counts by arrival.", \.isClockTooFast),
        ]
    ) { _ in "" }
}
