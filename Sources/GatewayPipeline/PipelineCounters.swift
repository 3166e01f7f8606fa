package import TelemetryModel

/// Counts of what a pipeline has processed since it was made. Counts that devices can choose saturate.
package struct PipelineCounters: Sendable, Equatable {
    /// Messages received.
    package var received = 0
    /// Frames that went through every stage.
    package var processed = 0
    /// Duplicate frames, and frames whose `seq` had been given up.
    package var repeated = 0
    /// Frames of a boot before the current one.
    package var late = 0
    /// Frames that were set aside: they ended the process repeatedly.
    package var setAside = 0
    /// Retained telemetry, which is ignored.
    package var retainedIgnored = 0
    /// Frames that waited for an earlier one.
    package var held = 0
    /// Waits that were ended because too many bytes waited.
    package var endedForRoom = 0
    /// Frames missing by `seq`.
    package var missingFrames = 0
    /// Repeated changes between boots, which show two devices with one id.
    package var identityConflicts = 0
    /// Messages refused for what they are, by reason.
    package var rejected: [RejectionReason: Int] = [:]
    /// Frames refused by a check, by reason.
    package var refused: [AccessReason: Int] = [:]
    /// Derived messages, by the first level of their kind.
    package var derived: [String: Int] = [:]
    /// What derivations count, by their declared names.
    package var noted: [String: Int] = [:]
    /// Readings of producers that nothing is derived from, by name.
    package var ignoredReadings = NameCounts()
    /// Readings of producers that were in their message before.
    package var repeatedReadings = 0

    /// Every count 0.
    package init() {}

    /// How many messages have an outcome; every message has exactly one.
    package var outcomes: Int {
        processed + repeated + late + setAside + retainedIgnored + rejected.values.reduce(0, +) + refused.values.reduce(0, +)
    }

    /// Counts the outcome of a message.
    mutating func count(_ outcome: IntakeAction.Outcome) {
        switch outcome {
        case .processed: processed += 1
        case .duplicate: repeated += 1
        case .late: late += 1
        case .retainedIgnored: retainedIgnored += 1
        case .held: held += 1
        }
    }

    /// Counts what of a message was not used.
    mutating func add(_ passedOver: PassedOver) {
        repeatedReadings += passedOver.repeated
        for (name, count) in passedOver.ignored.sorted(by: { $0.key < $1.key }) { ignoredReadings.add(count, of: name) }
    }

    /// The sum of two pipelines' counts.
    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.received.addSaturated(right.received)
        sum.processed.addSaturated(right.processed)
        sum.repeated.addSaturated(right.repeated)
        sum.late.addSaturated(right.late)
        sum.setAside.addSaturated(right.setAside)
        sum.retainedIgnored.addSaturated(right.retainedIgnored)
        sum.held.addSaturated(right.held)
        sum.missingFrames.addSaturated(right.missingFrames)
        sum.endedForRoom.addSaturated(right.endedForRoom)
        sum.identityConflicts.addSaturated(right.identityConflicts)
        sum.rejected.merge(right.rejected, uniquingKeysWith: { $0.addingSaturated($1) })
        sum.refused.merge(right.refused, uniquingKeysWith: { $0.addingSaturated($1) })
        sum.derived.merge(right.derived, uniquingKeysWith: { $0.addingSaturated($1) })
        sum.noted.merge(right.noted, uniquingKeysWith: { $0.addingSaturated($1) })
        sum.ignoredReadings = left.ignoredReadings + right.ignoredReadings
        sum.repeatedReadings.addSaturated(right.repeatedReadings)
        return sum
    }
}
