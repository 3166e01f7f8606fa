import GatewayPipeline
import Logging
import Synchronization
import TelemetryModel

/// Keeps a frame that has crashed the process three times from being processed a fourth time.
final class Quarantine: Sendable {
    /// A message that the process has crashed on.
    struct Suspect: Sendable, Equatable {
        var topic: String
        var payload: [UInt8]
        var crashes: Int
    }

    private static let tries = 3

    private let lane: String
    private let store: CheckpointStore
    private let folder: DeadLetterFolder
    private let logger: Logger
    private let suspects: Mutex<[Suspect]>
    /// Suspects that have been processed since, or set aside.
    private let cleared = Mutex<[Suspect]>([])
    /// Suspects that are set aside, which the broker may deliver again before that counts.
    private let setAside = Mutex<[Suspect]>([])

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
            suspects = Mutex(try store.suspects())
        } catch {
            throw GatewayError("\(error)")
        }
        for suspect in suspects.withLock({ $0 }) where !crashes.isEmpty {
            logger.warning(
                "the process crashed on a frame",
                metadata: ["topic": "\(suspect.topic)", "crashes": "\(suspect.crashes) of \(Self.tries)"])
        }
    }

    /// The batch without what is set aside; throws when that cannot be written.
    func withhold(from batch: [InboundMessage], at now: GatewayTime) throws(GatewayError) -> [InboundMessage] {
        let known = suspects.withLock { $0 }
        guard !known.isEmpty else { return batch }
        var kept: [InboundMessage] = []
        for message in batch {
            guard let suspect = known.first(where: { $0.topic == message.topic && $0.payload == message.payload }) else {
                kept.append(message)
                continue
            }
            if suspect.crashes < Self.tries {
                kept.append(message)
            } else if !setAside.withLock({ $0.contains(suspect) }) {
                let name = try folder.keep(RecordedMessage(at: now.unix.seconds, message: message), lane: lane)
                logger.error(
                    "a frame that crashed the process \(suspect.crashes) times is set aside",
                    metadata: ["topic": "\(message.topic)", "deadLetter": "\(name)"])
                setAside.withLock { $0.append(suspect) }
            }
            cleared.withLock { $0.append(suspect) }
        }
        return kept
    }

    /// The suspects that were processed or set aside since the last call.
    func takeCleared() -> [Suspect] {
        cleared.withLock { cleared in
            defer { cleared = [] }
            return cleared
        }
    }

    /// Notes that suspects which were taken could not be committed.
    func putBack(_ suspects: [Suspect]) { cleared.withLock { $0 += suspects } }

    /// Notes that what was processed is committed, so that a frame that did no harm this time is suspect no longer.
    func absolve(_ done: [Suspect]) throws {
        for suspect in done {
            try store.absolve(suspect)
            suspects.withLock { $0.removeAll { $0 == suspect } }
            setAside.withLock { $0.removeAll { $0 == suspect } }
        }
    }
}
