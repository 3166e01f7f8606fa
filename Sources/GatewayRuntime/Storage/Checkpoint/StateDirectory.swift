import CCrashMark
import GatewayConfiguration
package import GatewayPipeline
import Glibc
import Mosquitto
package import Logging
import Synchronization
import TelemetryModel

/// The folder in which everything is kept that outlives the process, held by one gateway at a time.
///
/// `{lane}.sqlite` with its log, `{lane}.mark`, `{lane}.filters`, `claim`, `importing`, `handedover`, `replica`, `clock`, `believe`, `homeassistant.sqlite`, `outbound.sqlite`, `deadletters/` and `erasures/`.
package final class StateDirectory: Sendable {
    /// The folder.
    package let path: String
    /// The parts of states that were left out since the start.
    package let droppedParts = DroppedParts()
    /// The limits of stored histories, and what was done about them.
    package let history: HistoryStorage
    private let lock: Int32
    /// The run of the operating system, to which the monotonic clock belongs.
    let machine: String
    /// The time that deletion goes by.
    let clock: StoredClock
    private let logger: Logger

    /// How often the lock is tried, and how long after each try: 2 s in all.
    private static let lockAttempts = 40
    private static let lockMicroseconds: UInt32 = 50_000

    /// Opens the folder, or makes it; throws when it cannot be used, or another gateway holds it.
    package init(
        path: String, history: HistoryStorage = HistoryStorage(), logger: Logger
    ) throws(GatewayError) {
        self.path = path
        self.history = history
        self.logger = logger
        machine = (try? TextFile.read("/proc/sys/kernel/random/boot_id"))?.split(separator: "\n").first.map(String.init) ?? ""
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw GatewayError.system("gateway.stateDirectory: \(path)") }
        do throws(GatewayError) {
            lock = try StateFiles.open("\(path)/lock", O_RDWR | O_CREAT)
        } catch { throw GatewayError("gateway.stateDirectory: \(error)") }
        // A gateway that has just stopped may hold it for a moment longer.
        var attempts = Self.lockAttempts
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            let reason = errno
            attempts -= 1
            if reason == EWOULDBLOCK, attempts > 0 {
                usleep(Self.lockMicroseconds)
                continue
            }
            close(lock)
            throw reason == EWOULDBLOCK
                ? GatewayError(
                    "gateway.stateDirectory: \(path) is in use by another fathom; two gateways need two state directories and two names"
                )
                : GatewayError.system("gateway.stateDirectory: \(path)/lock")
        }
        clock = StoredClock(folder: path, machine: machine, logger: logger)
        do throws(GatewayError) { try StateFiles.settleAll(in: path) } catch {
            throw GatewayError("gateway.stateDirectory: \(error)")
        }
    }

    deinit {
        // A process that was forked meanwhile has a copy of the descriptor until it executes its program.
        _ = flock(lock, LOCK_UN)
        close(lock)
    }

    /// What the folder records of the gateway's claims to its name.
    var ownership: OwnershipRecord { OwnershipRecord(folder: path, lock: lock) }

    /// The folder for frames that were set aside.
    package var deadLetters: DeadLetterFolder { DeadLetterFolder(stateDirectory: path) }

    /// The requests to erase devices.
    var erasures: ErasureRequests { ErasureRequests(stateDirectory: path) }

    /// Whether a gateway that runs holds the folder at `path`.
    package static func isHeld(_ path: String) -> Bool {
        guard let lock = try? StateFiles.open("\(path)/lock", O_RDONLY) else { return false }
        defer { close(lock) }
        return flock(lock, LOCK_EX | LOCK_NB) != 0
    }

    /// Believes the wall clock at `now` in the folder at `path`, which no gateway holds. Throws where there is none.
    package static func believeClock(_ path: String, at now: GatewayTime) throws {
        guard access(path, F_OK) == 0 else { throw GatewayError.system("gateway.stateDirectory: \(path)") }
        let directory = try StateDirectory(path: path, logger: Logger(label: "state") { _ in SwiftLogNoOpLogHandler() })
        try ClockRequest(stateDirectory: path).make()
        try directory.clock.store(at: now)
    }

    /// What one lane keeps. A file that is no database any more is moved aside, and the lane begins anew.
    func storage(of lane: GatewayConfiguration.Lanes.Name, payloadBytes: Int) throws -> LaneStorage {
        let store = try store(of: lane)
        let tracer = try FrameTracer(path: "\(path)/\(lane.rawValue).mark", payloadBytes: payloadBytes)
        let quarantine = try Quarantine(
            lane: lane.rawValue, store: store, folder: deadLetters, crashes: [tracer.takeCrash()].compactMap(\.self),
            logger: logger)
        return LaneStorage(store: store, tracer: tracer, quarantine: quarantine)
    }

    /// The states of one lane's devices. A file that is no database any more is moved aside.
    func store(of lane: GatewayConfiguration.Lanes.Name) throws -> CheckpointStore {
        do { return try undamagedStore(of: lane) } catch let error as DamagedStore {
            moveAside(
                storeFile(of: lane), "the states of a lane are damaged: moved aside, its devices begin anew", because: error)
            return try undamagedStore(of: lane)
        }
    }

    /// The states of one lane's devices. Throws `DamagedStore` where the file is no database any more.
    func undamagedStore(of lane: GatewayConfiguration.Lanes.Name) throws -> CheckpointStore {
        try CheckpointStore(
            path: storeFile(of: lane), machine: machine, at: SystemGatewayClock().now, history: history, clock: clock,
            logger: logger
        ) {
            [logger, droppedParts] in droppedParts.add($0, logger)
        }
    }

    /// The path of the states of a lane.
    func storeFile(of lane: GatewayConfiguration.Lanes.Name) -> String { "\(path)/\(lane.rawValue).sqlite" }

    /// The size of a lane's database and its log.
    func databaseBytes(of lane: GatewayConfiguration.Lanes.Name) -> Int {
        ["sqlite", "sqlite-wal"].reduce(0) { $0 + (TextFile.stamp("\(path)/\(lane.rawValue).\($1)")?.size ?? 0) }
    }

    /// Renames a database that cannot be used, and logs `message` as an error.
    func moveAside(_ file: String, _ message: Logger.Message, because error: any Error) {
        logger.error(message, metadata: ["file": "\(file)", "problem": "\(error)"])
        for suffix in ["", "-wal", "-shm"] { rename(file + suffix, "\(file).damaged\(suffix)") }
    }

    /// Whether nothing is kept of any lane: neither states nor a record of its session.
    var isEmpty: Bool {
        GatewayConfiguration.Lanes.Name.allCases.allSatisfy { lane in
            ["sqlite", "filters"].allSatisfy { TextFile.stamp("\(path)/\(lane.rawValue).\($0)") == nil }
        }
    }

    /// Whether a lane has a file of states.
    func hasStore(of lane: GatewayConfiguration.Lanes.Name) -> Bool { TextFile.stamp("\(path)/\(lane.rawValue).sqlite") != nil }

    /// The epoch under which the folder and the copy of its states in `bucket` were last equal, but for what was committed since; nil where they
    /// never were. Negative, or 0 for never, while the states are being replaced.
    func replicaEpoch(of bucket: String) -> Int? {
        let lines = (try? StateFiles.text("\(path)/replica"))?.split(separator: "\n") ?? []
        return lines.count == 2 && lines[0] == bucket ? Int(lines[1]) : nil
    }

    /// Records that epoch. When this returns, it survives a loss of power.
    func noteReplica(_ bucket: String, epoch: Int) throws(GatewayError) {
        try DurableFile.replace("replica", in: path, by: Array("\(bucket)\n\(epoch)\n".utf8))
    }

    /// Records that the folder was changed beside the copy.
    func clearReplica() { unlink("\(path)/replica") }

    /// The import that was begun and has not ended; nil for none, and empty where it cannot be read which.
    var interruptedImport: String? {
        let mark = "\(path)/importing"
        return TextFile.stamp(mark) == nil ? nil : (try? StateFiles.text(mark)) ?? ""
    }

    /// Whether the devices of the folder are another gateway's.
    var isHandedOver: Bool { TextFile.stamp("\(path)/handedover") != nil }

    /// Records that the devices of the folder are another gateway's.
    func noteHandover() throws(GatewayError) {
        try DurableFile.replace("handedover", in: path, by: [])
    }

    /// Records that the folder has devices of its own again.
    func clearHandover() { unlink("\(path)/handedover") }

    /// Why no gateway may start on the folder; nil when one may.
    var startProblem: String? {
        isHandedOver
            ? "gateway.stateDirectory: the devices of \(path) were handed over to another gateway. Remove \(path)/handedover to take them "
                + "back without what that one has derived since"
            : importProblem
    }

    /// Why the states in the folder are not whole; nil when they are.
    var importProblem: String? {
        interruptedImport == nil
            ? nil : "gateway.stateDirectory: an import into \(path) was interrupted: run the same 'fathom state import' again"
    }

    /// Records that an import begins, or with nil that it has ended. When this returns, it survives a loss of power.
    func noteImport(_ id: String?) throws(GatewayError) {
        if let id { return try DurableFile.replace("importing", in: path, by: Array(id.utf8)) }
        let mark = "\(path)/importing"
        guard unlink(mark) == 0 || errno == ENOENT, DurableFile.syncFolder(path) else { throw .system(mark) }
    }

    /// Reports a part of a state that is left out.
    func report(_ part: DroppedPart) { droppedParts.add(part, logger) }

    /// Removes the record of a session, which is ended.
    func removeFilters(of lane: GatewayConfiguration.Lanes.Name) { unlink("\(path)/\(Self.filtersFile(of: lane))") }

    /// Removes the states of one lane, which are not used any more.
    func removeStore(of lane: GatewayConfiguration.Lanes.Name) {
        for suffix in ["", "-wal", "-shm"] { unlink(storeFile(of: lane) + suffix) }
    }

    /// The record of what a session is subscribed to, by the first lane that reads it.
    func filters(
        of lane: GatewayConfiguration.Lanes.Name, _ connection: MosquittoConfiguration
    ) -> SessionFilters {
        SessionFilters(Self.filtersFile(of: lane), in: path, of: connection)
    }

    /// What is recorded of a session, whatever its client id and account are, by the first lane that reads it.
    func record(of lane: GatewayConfiguration.Lanes.Name) -> SessionFilters.Record? {
        SessionFilters.record(Self.filtersFile(of: lane), in: path)
    }

    private static func filtersFile(of lane: GatewayConfiguration.Lanes.Name) -> String { "\(lane.rawValue).filters" }
}

/// The parts of stored states that were left out: all are counted, the first are named.
package final class DroppedParts: Sendable {
    private static let named = 20

    private struct Contents {
        var first: [DroppedPart] = []
        var count = 0
    }

    private let contents = Mutex(Contents())

    /// The first of them.
    package var first: [DroppedPart] { contents.withLock { $0.first } }

    /// How many there are.
    package var count: Int { contents.withLock { $0.count } }

    func add(_ part: DroppedPart, _ logger: Logger) {
        logger.error(
            "a part of a stored state is left out",
            metadata: ["device": "\(part.device?.rawValue ?? "several")", "part": "\(part.part)", "reason": "\(part.reason)"])
        contents.withLock { contents in
            contents.count += 1
            if contents.first.count < Self.named { contents.first.append(part) }
        }
    }
}

/// What one lane keeps on disk.
package struct LaneStorage: Sendable {
    /// Its devices' states.
    let store: CheckpointStore
    /// Notes the frame that the lane is at.
    let tracer: FrameTracer
    /// What it must not process again.
    let quarantine: Quarantine
    /// The copy of the states elsewhere; nil for none.
    var replica: LaneReplica?
}
