package import TelemetryModel

/// The changes of a device's workout session in the current boot, so that a late sample is checked by its own time.
package struct WorkoutHistory: Sendable, Equatable, Codable {
    private static let capacity = 16
    private var changes: [WorkoutChange] = []

    /// Whether no workout is known.
    package var isEmpty: Bool { changes.isEmpty }

    /// Adds a change; changes may arrive in any order.
    package mutating func insert(_ change: WorkoutChange) {
        let index = changes.firstIndex { $0.time > change.time } ?? changes.endIndex
        changes.insert(change, at: index)
        if changes.count > Self.capacity { changes.removeFirst() }
    }

    /// What holds from the beginning of another clock on: the workout of the last change.
    func continued() -> WorkoutHistory {
        var continued = WorkoutHistory()
        if var last = changes.last {
            last.time = DeviceTime(0)
            continued.changes = [last]
        }
        return continued
    }

    /// Whether a session was running at `time`.
    package func isRunning(at time: DeviceTime) -> Bool {
        changes.last { $0.time <= time }?.state == .running
    }

    /// The part of `timestamps`, seconds in increasing order, that lies in running sessions: from the first such sample
    /// to the last.
    package func runningRange(of timestamps: [Double]) -> Range<Int> {
        guard let first = timestamps.firstIndex(where: { isRunning(at: DeviceTime($0)) }),
            let last = timestamps.lastIndex(where: { isRunning(at: DeviceTime($0)) })
        else { return 0..<0 }
        return first..<(last + 1)
    }
}
