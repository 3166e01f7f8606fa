import Foundation
import GRDB
import GatewayPipeline
import Glibc
package import Logging
import Synchronization
import TelemetryModel

/// The believed clock of a state directory, kept in its file `clock`; all lanes share it.
///
/// The file is written at the first look, with each step, and once a minute. What a loss of power takes of it counts as time switched off.
package final class StoredClock: Sendable {
    private static let storeSeconds = 60.0

    private struct Contents {
        var clock: BelievedClock?
        /// What is in the file.
        var stored: BelievedClock?
    }

    private let folder: String?
    private let machine: String
    private let logger: Logger?
    private let contents: Mutex<Contents>
    /// Held while the file is written: a lane that comes meanwhile has nothing to write.
    private let writing = Mutex(())

    /// A clock that is kept in memory alone.
    package init(machine: String = "", logger: Logger? = nil) {
        folder = nil
        self.machine = machine
        self.logger = logger
        contents = Mutex(Contents())
    }

    /// The clock of the state directory at `folder`, in the run `machine` of the operating system. Where it has no file yet, or one that
    /// cannot be read, the time of the last commit is believed.
    init(folder: String, machine: String, logger: Logger) {
        self.folder = folder
        self.machine = machine
        self.logger = logger
        var contents = Contents()
        do {
            if TextFile.stamp("\(folder)/clock") != nil {
                let stored = try JSONDecoder().decode(BelievedClock.self, from: Data(StateFiles.bytes("\(folder)/clock")))
                guard stored.isPossible else { throw GatewayError("its times are impossible") }
                contents.stored = stored
            }
        } catch {
            logger.error(
                "the gateway's clock on disk cannot be read: the time of the last commit is believed",
                metadata: ["file": "\(folder)/clock", "problem": "\(error)"])
        }
        contents.clock = contents.stored ?? Self.lastCommit(in: folder)
        self.contents = Mutex(contents)
    }

    /// Looks at the clocks at `now`, and logs a change.
    @discardableResult
    func observe(_ now: GatewayTime) -> BelievedClock {
        let (clock, changes) = contents.withLock { contents in
            var clock = contents.clock ?? BelievedClock(at: now, machine: machine)
            let changes = clock.observe(now, machine: machine)
            contents.clock = clock
            return (clock, changes)
        }
        for change in changes { log(change, clock) }
        return clock
    }

    /// Believes `saved` in the run `machine` of the operating system, where nothing else is known: stored states come from there.
    func adopt(_ saved: GatewayTime, machine: String) {
        contents.withLock { $0.clock = $0.clock ?? BelievedClock(at: saved, machine: machine) }
    }

    /// Running time, in seconds, at the last look.
    var running: Double { contents.withLock { $0.clock?.running ?? 0 } }

    /// Carries out a request to believe the wall clock, and writes the file where it is due. Throws when it cannot be written.
    func store(at now: GatewayTime) throws {
        guard let folder else { return }
        _ = try writing.withLockIfAvailable { _ in try write(to: folder, at: now) }
    }

    private func write(to folder: String, at now: GatewayTime) throws {
        let request = ClockRequest(stateDirectory: folder)
        let isRequested = request.isMade
        if isRequested { believe(at: now) }
        let due = contents.withLock { contents -> BelievedClock? in
            guard let clock = contents.clock else { return nil }
            let isStored = contents.stored.map { clock.isNearly($0, within: Self.storeSeconds) } ?? false
            return isStored && !isRequested ? nil : clock
        }
        if let due {
            try DurableFile.replace("clock", in: folder, by: Array(JSONEncoder().encode(due)))
            contents.withLock { $0.stored = due }
        }
        if isRequested { try request.remove() }
    }

    /// Believes the wall clock at `now`.
    func believe(at now: GatewayTime) {
        observe(now)
        let lead = contents.withLock { contents in
            defer { contents.clock?.believe() }
            return contents.clock?.lead ?? 0
        }
        logger?.notice(
            "the wall clock is believed, as an operator asked for", metadata: ["step": "\(BelievedClock.text(lead))"])
    }

    private func log(_ change: BelievedClock.Change, _ clock: BelievedClock) {
        let text = BelievedClock.text
        switch change {
        case .stepped(let seconds):
            logger?.warning(
                """
                the wall clock was set, or the machine was switched off: nothing is deleted by that until it was kept for 24 h of running \
                time, or 'fathom state believe-clock' is run
                """, metadata: ["step": "\(text(seconds))", "notBelieved": "\(text(clock.lead))"])
        case .undone: logger?.notice("the wall clock is as before it was set")
        case .believed(let seconds):
            logger?.notice("a step of the wall clock was kept for 24 h and is believed", metadata: ["step": "\(text(seconds))"])
        }
    }

    /// The time of the latest commit of the lanes in `folder`; nil for none.
    private static func lastCommit(in folder: String) -> BelievedClock? {
        guard let files = try? LaneFiles(folder: folder).open() else { return nil }
        let commits = files.compactMap { file -> BelievedClock? in
            let row = try? file.read { try Row.fetchOne($0, sql: "SELECT machine, monotonic, unix FROM clock") }
            guard let row, let unix = try? row.seconds("unix"), let monotonic = try? row.seconds("monotonic"),
                let machine = try? row.stored("machine") as String
            else { return nil }
            return BelievedClock(at: GatewayTime(unix: UnixTime(unix), monotonic: monotonic), machine: machine)
        }
        return commits.max { $0.unix < $1.unix }
    }
}

/// A request to believe the wall clock: the file `believe` in the state directory.
package struct ClockRequest: Sendable {
    private let folder: String
    private var path: String { "\(folder)/believe" }

    /// The request in a state directory.
    package init(stateDirectory: String) { folder = stateDirectory }

    /// Whether it is made and not carried out yet.
    package var isMade: Bool { TextFile.stamp(path) != nil }

    /// Makes it.
    package func make() throws(GatewayError) { try DurableFile.replace("believe", in: folder, by: []) }

    /// Removes it.
    package func remove() throws(GatewayError) {
        guard unlink(path) == 0 || errno == ENOENT, DurableFile.syncFolder(folder) else { throw .system(path) }
    }
}
