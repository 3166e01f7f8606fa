internal import TelemetryModel

extension WorkoutChange {
    /// Reads a change of the workout session; an activity given as HealthKit's raw value becomes its name where known.
    init(_ frame: some FrameValue, in context: FrameContext) throws(Rejection) {
        self.init(
            state: try frame.required("state").value(in: WireNames.workoutState),
            activity: try frame.optional("activity").map { node throws(Rejection) in try Self.activity(node) },
            time: try context.deviceTime(try frame.required("timestamp")))
    }

    private static func activity(_ node: some FrameValue) throws(Rejection) -> String {
        guard node.kind == .integer else { return try node.line(maximumBytes: 128) }
        let raw = try node.integer()
        guard raw >= 0 else { throw node.rejection(.invalidValue, "\(raw) is no activity of HealthKit") }
        return WireNames.activities[raw] ?? "\(raw)"
    }
}
