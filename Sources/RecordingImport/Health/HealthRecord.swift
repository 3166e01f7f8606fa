import TelemetryModel

/// One element of an export as samples.
struct HealthRecord {
    /// When, in unix seconds, what, and what it is.
    typealias Sample = (at: Double, value: Double, kind: HealthSample.Kind)

    /// Of one record: Health's are of minutes.
    private static let longest = 7 * 86_400.0
    private static let mostSteps = 1e6
    private static let limit = 1e7
    private static let lengths = ["m": 1, "km": 1000, "mi": 1609.344, "ft": 0.3048, "yd": 0.9144, "cm": 0.01]

    /// The types that are read.
    static let filter = XMLFilter(
        kept: ["HealthData", "ExportDate", "Workout", "WorkoutEvent"], element: "Record", attribute: "type",
        values: [
            "HKQuantityTypeIdentifierUnderwaterDepth", "HKQuantityTypeIdentifierWaterTemperature",
            "HKQuantityTypeIdentifierStepCount", "HKQuantityTypeIdentifierDistanceWalkingRunning",
        ])

    let element: XMLElement
    /// Unix seconds after which no record can be.
    let latest: Double

    /// The place of its stream among those of a device.
    var stream: Int {
        switch type {
        case "UnderwaterDepth", "WaterTemperature": 0
        case "StepCount", "DistanceWalkingRunning": 1
        default: 2
        }
    }

    private var type: String { String((element.attributes["type"] ?? "").dropFirst("HKQuantityTypeIdentifier".count)) }

    /// The samples of a record.
    func samples() throws(RowFault) -> [Sample] {
        let (start, end) = try times()
        let value = try value()
        switch type {
        case "UnderwaterDepth": return [(start, try metres(value), .depth)]
        case "WaterTemperature":
            switch element.attributes["unit"] {
            case "degC": return [(start, value, .celsius)]
            case "degF": return [(start, value, .fahrenheit)]
            default: throw unitFault()
            }
        case "StepCount":
            guard (0...Self.mostSteps).contains(value) else { throw Self.outOfRange("a count of \(value)") }
            return [(start, 0, .countBegins), (end, value.rounded(), .steps)]
        default:
            guard value >= 0 else { throw Self.outOfRange("a distance of \(value)") }
            return [(start, 0, .countBegins), (end, try metres(value), .distance)]
        }
    }

    /// The beginning and the end of a workout.
    func workout(activity: Double) throws(RowFault) -> [Sample] {
        let (start, end) = try times()
        return [(start, activity, .workoutBegins), (end, activity, .workoutEnds)]
    }

    /// A pause of a workout, or its end; none where it is another event.
    func change(activity: Double) throws(RowFault) -> [Sample] {
        let kind: HealthSample.Kind
        switch element.attributes["type"] {
        case "HKWorkoutEventTypePause": kind = .workoutPauses
        case "HKWorkoutEventTypeResume": kind = .workoutGoesOn
        default: return []
        }
        return [(try time("date"), activity, kind)]
    }

    private func times() throws(RowFault) -> (start: Double, end: Double) {
        let (start, end) = (try time("startDate"), try time("endDate"))
        guard (0...Self.longest).contains(end - start) else { throw Self.outOfRange("a record of \(end - start) s") }
        return (start, end)
    }

    private func time(_ attribute: String) throws(RowFault) -> Double {
        let text = element.attributes[attribute] ?? ""
        guard let time = try? CalendarTime.read(text) else {
            throw RowFault("without a time", detail: "\(attribute) \(ImportProblem.quoted(text)) is no date and time")
        }
        guard Importer.dates.contains(time.seconds), time.seconds <= latest else {
            throw Self.outOfRange("\(attribute) \(ImportProblem.quoted(text))")
        }
        return time.seconds
    }

    private func value() throws(RowFault) -> Double {
        let text = element.attributes["value"] ?? ""
        guard let value = Row.decimal(text, allowsComma: false) else {
            throw RowFault("without a number", detail: "the value \(ImportProblem.quoted(text)) is no number")
        }
        guard abs(value) <= Self.limit else { throw Self.outOfRange("a value of \(value)") }
        return value
    }

    private func metres(_ value: Double) throws(RowFault) -> Double {
        guard let scale = Self.lengths[element.attributes["unit"] ?? ""] else { throw unitFault() }
        return value * scale
    }

    private func unitFault() -> RowFault {
        RowFault(
            "in a unit that is not known",
            detail: "\(ImportProblem.quoted(element.attributes["unit"] ?? "")) is no unit of \(ImportProblem.quoted(type))")
    }

    private static func outOfRange(_ what: String) -> RowFault { RowFault("out of range", detail: "\(what) is out of range") }
}
