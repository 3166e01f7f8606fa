import GatewayPipeline
import TelemetryModel

/// The states of streams that move from one lane's file to another's.
///
/// The target is written first. Until the source is written too, the move can be repeated with the same result: the target has processed
/// nothing meanwhile, and its state of the streams is replaced. Afterwards the source has nothing of them, and another move changes
/// nothing. Crash counts of frames stay in the source's file.
struct StateMove {
    /// The parts that could not be added to the target.
    private(set) var dropped: [DroppedPart] = []
    private let source, target: CheckpointStore
    private var taken: [StateChange] = []
    private var joined: [StateChange] = []
    private let movesHistory: Bool
    private let takesMessages: Bool

    /// Computes the move; writes nothing. With `takesMessages` those for the query `events` are copied too: the file of the source is to be
    /// removed.
    init(
        of streams: Set<StreamName>, from source: CheckpointStore, to target: CheckpointStore, producers: Producers,
        takesMessages: Bool = false
    ) throws {
        self.takesMessages = takesMessages
        self.source = source
        self.target = target
        movesHistory = streams.contains(.recordedAccelerometer)
        for stored in try source.load() {
            var state = stored.state
            var other = try target.load(stored.device) ?? DeviceState()
            dropped += state.moveStreams(streams, of: stored.device, producers: producers, to: &other)
            guard state != stored.state else { continue }
            joined.append(try other.change(of: stored.device))
            var change = StateChange(device: stored.device)
            change.replacesAll = true
            taken.append(state.isBlank ? change : try state.change(of: stored.device))
        }
    }

    /// How many devices it concerns.
    var count: Int { joined.count }

    /// Adds the states to the target, in one transaction.
    func writeTarget(at now: GatewayTime) throws {
        if movesHistory || takesMessages { try source.copyRemovals(to: target) }
        if movesHistory { try source.copyHistory(to: target) }
        if takesMessages {
            try source.copyEvents(to: target)
            try source.copyDebts(to: target)
        }
        try target.write(joined, at: now)
    }

    /// Removes the states from the source, in one transaction.
    func clearSource(at now: GatewayTime) throws {
        try source.write(taken, at: now)
        if movesHistory { try source.removeHistory() }
    }
}
