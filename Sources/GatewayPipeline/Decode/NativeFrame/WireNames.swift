internal import TelemetryModel

/// The wire names of the model's enumerations; raw values are Core Motion's, HealthKit's and WatchKit's.
enum WireNames {
    static let authorization = Vocabulary<Authorization>(
        numbered: [.notDetermined, .restricted, .denied, .authorized])
    static let command = Vocabulary<Command.Word>()
    static let connectionEvent = Vocabulary<HeadphoneConnectionEvent.Event>()
    static let depthState = Vocabulary<DepthState>(name: \.name, raw: \.rawValue)
    static let deviceState = Vocabulary<DeviceStatus.State>()
    static let magneticAccuracy = Vocabulary<MagneticAccuracy>(name: \.name, raw: \.rawValue)
    static let pedometerEvent = Vocabulary<PedometerEvent.Kind>(name: \.name, raw: \.rawValue)
    static let referenceFrame = Vocabulary<ReferenceFrame>()
    static let sensorLocation = Vocabulary<SensorLocation>(name: \.name, raw: \.rawValue)
    static let side = Vocabulary<Side>(numbered: [.left, .right])
    static let submersionState = Vocabulary<SubmersionState>(name: \.name, raw: \.rawValue)
    static let workoutState = Vocabulary<WorkoutState>(name: \.name, raw: \.rawValue)

    /// Names of `HKWorkoutActivityType` by raw value, as far as motion or water is concerned.
    static let activities: [Int: String] = [
        4: "badminton", 5: "baseball", 8: "boxing", 11: "crossTraining", 20: "functionalStrengthTraining", 21: "golf",
        24: "hiking", 28: "martialArts", 34: "racquetball", 37: "running", 42: "softball", 43: "squash", 45: "surfingSports",
        46: "swimming", 47: "tableTennis", 48: "tennis", 50: "traditionalStrengthTraining", 52: "walking", 53: "waterFitness",
        54: "waterPolo", 55: "waterSports", 57: "yoga", 59: "coreTraining", 63: "highIntensityIntervalTraining",
        65: "kickboxing", 79: "pickleball", 82: "swimBikeRun", 83: "transition", 84: "underwaterDiving", 3000: "other",
    ]
}

/// The accuracy of a magnetic field (`CMMagneticFieldCalibrationAccuracy`); it is validated and not used.
enum MagneticAccuracy: Int, CaseIterable {
    case uncalibrated = -1
    case low, medium, high

    /// Core Motion's name of the case.
    var name: String { "\(self)" }
}

extension Quantity {
    /// Reads `{"value", "unit"}`; throws `unknownUnit` when the unit is missing or not of the dimension.
    init(_ node: some FrameValue) throws(Rejection) {
        let value = try node.required("value").number()
        guard let unitNode = try node.member("unit") else {
            throw node.rejection(.unknownUnit, key: "unit", "the unit is missing, expected one of \(Self.symbols)")
        }
        let symbol = try unitNode.string()
        guard let unit = Unit.allCases.first(where: { $0.rawValue == symbol }) else {
            throw unitNode.rejection(.unknownUnit, "found \(symbol.quoted), expected one of \(Self.symbols)")
        }
        self.init(value, unit)
    }

    private static var symbols: String { Unit.allCases.map(\.rawValue).joined(separator: ", ") }
}
