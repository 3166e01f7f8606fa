import GatewayPipeline
import Logging
import Synchronization
import TelemetryModel

/// Sets a frame aside that has crashed the process three times, so that it is not processed a fourth time.
final class Quarantine: Sendable {
    /// A message during whose processing the process has crashed.
    struct PoisonCandidate: Sendable, Equatable {
        var topic: String
        var payload: [UInt8]
        /// How often it has crashed, from 1.
        var crashes: Int
    }

    private static let maximumCrashes = 3

    private let lane: String
    private let store: CheckpointStore
    private let folder: DeadLetterFolder
    private let logger: Logger
    private let candidates: Mutex<[PoisonCandidate]>
    /// Candidates that were processed or set aside, and belong to no commit yet.
    private let handled = Mutex<[PoisonCandidate]>([])
    /// Candidates that were set aside; the broker may deliver them again before that is committed.
    private let setAside = Mutex<[PoisonCandidate]>([])

    init(
        lane: String, store: CheckpointStore, folder: DeadLetterFolder, crashes: [(topic: String, payload: [UInt8])],
        logger: Logger
    ) throws(GatewayError) {
        self.lane = lane
        self.store = store
        self.folder = folder
        self.logger = logger
        do {
            for crash in crashes { try store.countCrash(topic: crash.topic, payload: crash.payload) }
            candidates = Mutex(try store.poisonCandidates())
        } catch {
            throw GatewayError("\(error)")
        }
        for candidate in candidates.withLock({ $0 }) where !crashes.isEmpty {
            logger.warning(
                "the process crashed on a frame",
                metadata: ["topic": "\(candidate.topic)", "crashes": "\(candidate.crashes) of \(Self.maximumCrashes)"])
        }
    }

    /// Whether the process has crashed on a frame that is not known to be processed since.
    var hasCandidates: Bool { candidates.withLock { !$0.isEmpty } }

    /// Whether a frame is set aside; throws when it cannot be written to the folder.
    func withholds(_ message: InboundMessage, at now: GatewayTime) throws(GatewayError) -> Bool {
        let known = candidates.withLock { $0.first { $0.topic == message.topic && $0.payload == message.payload } }
        guard let known else { return false }
        let isWithheld = known.crashes >= Self.maximumCrashes
        if isWithheld, !setAside.withLock({ $0.contains(known) }) {
            let kept = try folder.keep(RecordedMessage(at: now.unix.seconds, message: message), lane: lane)
            logger.error(
                "a frame that crashed the process \(known.crashes) times is set aside",
                metadata: ["topic": "\(message.topic)", "deadLetter": "\(kept.name)", "repeated": "\(kept.isRepeated)"])
            for name in kept.removed {
                logger.error(
                    "the folder of dead letters is full: the oldest is removed",
                    metadata: ["deadLetter": "\(name)", "limit": "\(DeadLetterFolder.mostFrames)"])
            }
            setAside.withLock { $0.append(known) }
        }
        handled.withLock { $0.append(known) }
        return isWithheld
    }

    /// The candidates that were processed or set aside since the last call.
    func takeHandled() -> [PoisonCandidate] { handled.withLock { exchange(&$0, with: []) } }

    /// Removes the candidates whose messages `isIncluded` names, from the file too.
    func erase(where isIncluded: (InboundMessage) -> Bool) throws {
        try remove(candidates.withLock { $0 }.filter { isIncluded(InboundMessage(topic: $0.topic, payload: $0.payload)) })
    }

    /// Puts candidates that were taken back: what was done with them could not be committed.
    func putBack(_ candidates: [PoisonCandidate]) { handled.withLock { $0 += candidates } }

    /// Removes candidates whose processing or setting aside is committed: they did not crash the process this time.
    func remove(_ committed: [PoisonCandidate]) throws {
        for candidate in committed {
            try store.removePoisonCandidate(candidate)
            candidates.withLock { $0.removeAll { $0 == candidate } }
            setAside.withLock { $0.removeAll { $0 == candidate } }
        }
    }
}
