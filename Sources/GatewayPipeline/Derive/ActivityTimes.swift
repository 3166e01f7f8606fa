import TelemetryModel

/// When a workout was one of the activities in which a derivation counts.
struct ActivityTimes: Sendable, Equatable, Codable {
    private struct Change: Sendable, Equatable, Codable {
        var time: DeviceTime
        var isRunning: Bool
        var isCounted: Bool
    }

    private static let capacity = 8

    private var changes: [Change] = []

    /// Adds a change of the workout; changes may arrive in any order.
    mutating func insert(_ change: WorkoutChange, counting activities: [ActivityName]) {
        let isRunning = change.state == .running
        let isCounted = isRunning && activities.contains { $0.description == change.activity }
        let index = changes.firstIndex { $0.time > change.time } ?? changes.endIndex
        changes.insert(Change(time: change.time, isRunning: isRunning, isCounted: isCounted), at: index)
        if changes.count > Self.capacity { changes.removeFirst() }
    }

    /// Whether the workout at `time` counts.
    func contains(_ time: DeviceTime) -> Bool { changes.last { $0.time <= time }?.isCounted ?? false }

    /// Whether a workout of another activity runs from `first` to `last`, in s.
    func isOther(from first: Double, to last: Double) -> Bool {
        guard let newest = changes.last(where: { $0.time.seconds <= last }), newest.time.seconds <= first else { return false }
        return newest.isRunning && !newest.isCounted
    }

    /// Whether the workout counts at any time from `first` to `last`, in s.
    func containsAny(from first: Double, to last: Double) -> Bool {
        contains(DeviceTime(first)) || changes.contains { $0.isCounted && $0.time.seconds >= first && $0.time.seconds <= last }
    }
}

/// HealthKit's name of an activity, such as `tennis`, as a device may give it.
package struct ActivityName: Sendable, Equatable, LosslessStringConvertible, ExpressibleByStringLiteral {
    /// The name.
    package let description: String

    /// A name; nil for a text that is not of 1 to 128 letters and digits.
    package init?(_ description: String) {
        let isName = (1...128).contains(description.utf8.count) && description.allSatisfy { $0.isLetter || $0.isNumber }
        guard isName else { return nil }
        self.description = description
    }

    /// A name in the source.
    package init(stringLiteral value: String) { description = value }
}

extension DerivationSetting {
    /// The activities in which a derivation counts; `events` is what it counts.
    package static func activities(
        _ property: any WritableKeyPath<Settings, [ActivityName]> & Sendable, of events: String
    ) -> Self {
        .list(
            "activities", property, form: "an activity as HealthKit names it, such as tennis",
            "The activities of a workout in which \(events) are counted")
    }

    /// Whether a derivation counts whatever the workout, and without one; `events` is what it counts.
    package static func always(_ property: any WritableKeyPath<Settings, Bool> & Sendable, of events: String) -> Self {
        .flag("always", property, "Whether \(events) are counted without a workout of such an activity, too")
    }
}
