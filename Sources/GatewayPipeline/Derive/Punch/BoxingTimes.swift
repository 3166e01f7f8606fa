import TelemetryModel

/// When a workout was one in which punches are counted.
struct BoxingTimes: Sendable, Equatable, Codable {
    private struct Change: Sendable, Equatable, Codable {
        var time: DeviceTime
        var isBoxing: Bool
    }

    /// HealthKit's names of such activities.
    private static let activities: Set<String> = ["boxing", "kickboxing", "martialArts"]
    private static let capacity = 8

    private var changes: [Change] = []

    /// Adds a change of the workout; changes may arrive in any order.
    mutating func insert(_ change: WorkoutChange) {
        let isBoxing = change.state == .running && change.activity.map(Self.activities.contains) ?? false
        let index = changes.firstIndex { $0.time > change.time } ?? changes.endIndex
        changes.insert(Change(time: change.time, isBoxing: isBoxing), at: index)
        if changes.count > Self.capacity { changes.removeFirst() }
    }

    /// Whether punches count at `time`.
    func contains(_ time: DeviceTime) -> Bool { changes.last { $0.time <= time }?.isBoxing ?? false }
}
