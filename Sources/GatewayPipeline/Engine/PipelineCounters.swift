package import Metrics
package import TelemetryModel

/// Counts of what a pipeline has processed since it was made. Counts that devices can choose saturate.
@dynamicMemberLookup
package struct PipelineCounters: Sendable, Equatable {
    /// Messages received.
    package var received = 0
    /// Bytes of their payloads.
    package var receivedBytes = 0
    /// The outcomes of messages by stream; those of no stream, or of an app whose messages hold several, under nil.
    package var streams: [StreamName?: StreamCounts] = [:]
    /// Frames that waited for an earlier one.
    package var held = 0
    /// Waits that were ended because too many bytes waited.
    package var endedForRoom = 0
    /// Repeated changes between boots, which show two devices with one id.
    package var identityConflicts = 0
    /// Devices whose clock turned out to run so fast that their cost counts by arrival, on each lane.
    package var clocksTooFast = 0
    /// Derived messages that were not published, because what the device sends leads to too many.
    package var messagesOverLimit = 0
    /// Samples of raw motion at the limit of a sensor's range.
    package var samplesAtLimit = 0
    /// Samples of raw motion with a number that no sensor measures.
    package var unusableSamples = 0
    /// How often the fusion of raw motion started anew because it disagreed with the acceleration at rest.
    package var fusionRestarts = 0
    /// Derived messages, by the first level of their kind.
    package var derived: [String: Int] = [:]
    /// What derivations count, by their declared names.
    package var noted: [String: Int] = [:]
    /// Readings of producers that nothing is derived from, by name.
    package var ignoredReadings = NameCounts()
    /// Readings of producers that were in their message before.
    package var repeatedReadings = 0
    /// Readings of other apps that could not be read, beside others that could.
    package var refusedReadings = 0
    /// How old messages were when they were received, by `sent`, in seconds.
    package var age = Histogram(bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600, 129_600])

    /// Every count 0.
    package init() {}

    /// The counts of one stream, to be changed; nil for messages of none.
    subscript(stream: StreamName?) -> StreamCounts {
        get { streams[stream] ?? StreamCounts() }
        _modify { yield &streams[stream, default: StreamCounts()] }
    }

    /// Counts the outcome of a message.
    mutating func count(_ outcome: IntakeAction.Outcome, of stream: StreamName?) {
        switch outcome {
        case .processed: self[stream].processed += 1
        case .duplicate: self[stream].repeated += 1
        case .late: self[stream].late += 1
        case .retainedIgnored: self[stream].retainedIgnored += 1
        case .held: held += 1
        }
    }

    /// Counts what of a message was not used.
    mutating func add(_ passedOver: PassedOver) {
        repeatedReadings.addSaturated(passedOver.repeated)
        refusedReadings.addSaturated(passedOver.refused)
        for (name, count) in passedOver.ignored.sorted(by: { $0.key < $1.key }) { ignoredReadings.add(count, of: name) }
    }

    private static let numbers: [any WritableKeyPath<PipelineCounters, Int> & Sendable] = [
        \.received, \.receivedBytes, \.held, \.endedForRoom, \.identityConflicts, \.clocksTooFast, \.messagesOverLimit,
        \.samplesAtLimit, \.unusableSamples, \.fusionRestarts, \.repeatedReadings, \.refusedReadings,
    ]

    /// The sum of two pipelines' counts.
    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        for number in numbers { sum[keyPath: number].addSaturated(right[keyPath: number]) }
        sum.streams.merge(right.streams, uniquingKeysWith: +)
        sum.derived.merge(right.derived, uniquingKeysWith: { $0.addingSaturated($1) })
        sum.noted.merge(right.noted, uniquingKeysWith: { $0.addingSaturated($1) })
        sum.ignoredReadings = left.ignoredReadings + right.ignoredReadings
        sum.age = left.age + right.age
        return sum
    }

    /// The counts of all streams together.
    package var total: StreamCounts { streams.values.reduce(StreamCounts(), +) }

    /// A count of all streams together.
    package subscript<Value>(dynamicMember count: KeyPath<StreamCounts, Value>) -> Value { total[keyPath: count] }
}

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

    /// How many messages have an outcome; every message has exactly one.
    package var outcomes: Int {
        processed + repeated + late + setAside + retainedIgnored + rejected.values.reduce(0, +) + refused.values.reduce(0, +)
    }

    private static let numbers: [any WritableKeyPath<StreamCounts, Int> & Sendable] = [
        \.processed, \.repeated, \.late, \.setAside, \.retainedIgnored, \.missingFrames, \.missingSamples, \.samples,
    ]

    static func + (left: Self, right: Self) -> Self {
        var sum = left
        for number in numbers { sum[keyPath: number].addSaturated(right[keyPath: number]) }
        sum.rejected.merge(right.rejected, uniquingKeysWith: { $0.addingSaturated($1) })
        sum.refused.merge(right.refused, uniquingKeysWith: { $0.addingSaturated($1) })
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
