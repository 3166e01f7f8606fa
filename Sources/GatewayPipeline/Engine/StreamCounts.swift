package import TelemetryModel

/// Counts of the messages of one stream.
package struct StreamCounts: Sendable, Equatable {
    /// Messages that went through every stage.
    package var processed = 0
    /// Duplicates, and frames whose `seq` had been given up.
    package var repeated = 0
    /// Frames of a boot before the current one.
    package var late = 0
    /// Frames that were set aside: they ended the process repeatedly.
    package var setAside = 0
    /// Retained telemetry, which is ignored.
    package var retainedIgnored = 0
    /// Messages rejected for what they are, by reason.
    package var rejected: [RejectionReason: Int] = [:]
    /// Messages refused by a check, by reason.
    package var refused: [AccessReason: Int] = [:]
    /// Frames missing by `seq`.
    package var missingFrames = 0
    /// Samples missing inside of batches.
    package var missingSamples = 0
    /// Samples that were processed.
    package var samples = 0

    /// Every count 0.
    package init() {}

    /// How many messages have an outcome.
    package var outcomes: Int {
        processed + repeated + late + setAside + retainedIgnored + rejected.values.reduce(0, +) + refused.values.reduce(0, +)
    }

    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.processed.addSaturated(right.processed)
        sum.repeated.addSaturated(right.repeated)
        sum.late.addSaturated(right.late)
        sum.setAside.addSaturated(right.setAside)
        sum.retainedIgnored.addSaturated(right.retainedIgnored)
        sum.rejected.merge(right.rejected, uniquingKeysWith: { $0.addingSaturated($1) })
        sum.refused.merge(right.refused, uniquingKeysWith: { $0.addingSaturated($1) })
        sum.missingFrames.addSaturated(right.missingFrames)
        sum.missingSamples.addSaturated(right.missingSamples)
        sum.samples.addSaturated(right.samples)
        return sum
    }
}

extension FrameBody {
    /// How many samples it holds; 1 for an event.
    var sampleCount: Int {
        switch self {
        case .headphoneMotion(let samples), .deviceMotion(let samples): samples.timestamp.count
        case .batchedIMU(let batch):
            (batch.accelerometer?.timestamp.count ?? 0) + (batch.deviceMotion?.timestamp.count ?? 0)
        case .submersion(let samples):
            samples.events.count + samples.measurements.count + samples.temperatures.count + samples.errors.count
        case .pedometer(let samples): samples.data.count + samples.events.count
        case .altimeter(let samples): samples.timestamp.count + (samples.absolute?.timestamp.count ?? 0)
        case .recordedAcceleration(let samples): samples.count
        case .movementDisorder(let results): results.tremor.count + results.dyskinesia.count
        case .headphoneConnection, .status, .workout, .command: 1
        }
    }
}
