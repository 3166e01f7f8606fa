import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle

/// The sessions of an earlier start of which a lane reads another one now: the lanes share one session now, or shared one then.
///
/// The present sessions are subscribed before a former one is read to its end, so that every message is in one of them or in both. Only then
/// does a lane go on with its present session. A start that is interrupted before leaves records by which the next one does all of it again,
/// and one whose lanes read their earlier session again goes on with that, and reads nothing of the other. Only one connection is open at a
/// time, because a broker may allow an account only one.
struct FormerSessions {
    private typealias Name = GatewayConfiguration.Lanes.Name

    /// A session, named after the first of the lanes that read it.
    private struct Session {
        var name: Name
        /// The lanes of which it is the record, and that read another session, or this one under another account.
        var moving: Set<Name>
        /// The lanes that read it.
        var plans: [LanePlan]
        var filters: SessionFilters
        /// What is recorded of it.
        var record: SessionFilters.Record

        /// Whether it is recorded under another client id or account.
        var isOther: Bool { record.session != filters.session }
    }

    let composer: LaneComposer
    let directory: StateDirectory
    /// The lanes of this start, grouped by the session that they read.
    let sessions: [[LanePlan]]

    private var logger: Logger { composer.logger }

    /// Reads all of them; false when the gateway stops before.
    func read() async throws -> Bool {
        let former = former
        if former.contains(where: isReachable) {
            // What is read is not written to the copy of the states, which the lanes write anew afterwards.
            if let replica = composer.replica { try await BlockingCall.run { try replica.noteIncomplete() } }
            for session in sessions { guard try await composer.hold(session, in: directory) else { return false } }
        }
        for session in former where isReachable(session) { guard try await read(session) else { return false } }
        // Last: where a start is interrupted before, and the next one has the former account again, nothing is given up.
        for session in former where !isReachable(session) { try await giveUp(session) }
        return true
    }

    /// The recorded sessions that lanes move from, that no lane reads now, or that are recorded under another client id or account.
    private var former: [Session] {
        Name.allCases.compactMap { name in
            guard let record = directory.record(of: name) else { return nil }
            let plans = record.lanes.count > 1 ? LanePlan.sharing(in: composer.configuration) : [plan(of: name)]
            let readers = plans.filter { $0.name == name || record.lanes.contains($0.name) }
            var former = Session(name: name, moving: record.lanes, plans: readers, filters: filters(of: readers), record: record)
            if former.isOther { return former }
            former.moving = record.lanes.filter { lane in
                let next = present(lane)
                return next[0].name != name && filters(of: next).present?.lanes.contains(lane) != true
            }
            return former.moving.isEmpty && isPresent(former) ? nil : former
        }
    }

    /// The record of the session that the lanes of `plans` read.
    private func filters(of plans: [LanePlan]) -> SessionFilters {
        directory.filters(of: plans[0].name, composer.connection(of: plans))
    }

    /// The lanes that read the present session of a lane: all, or it alone.
    private func present(_ lane: Name) -> [LanePlan] { sessions.count == 1 ? sessions[0] : [plan(of: lane)] }

    private func plan(of name: Name) -> LanePlan { LanePlan(name, in: composer.configuration) }

    /// Whether the session can be connected to. It cannot under another account or client id, nor where the broker has one session for each
    /// account, and this account is that of the session which the lanes share.
    private func isReachable(_ session: Session) -> Bool {
        let configuration = composer.configuration
        let shared = sessions[0][0].name
        let isTaken =
            sessions.count == 1 && session.name != shared
            && configuration.identity(of: session.name) == configuration.identity(of: shared)
        return !session.isOther && !isTaken
    }

    /// Has the lanes of a session read it to its end, and ends it where no lane reads it now; false when the gateway stops before.
    private func read(_ session: Session) async throws -> Bool {
        if !session.moving.isEmpty {
            let metadata = metadata(of: session, session.plans.map(\.name))
            logger.info("a session of an earlier start is read to its end", metadata: metadata)
            guard try await drain(session) else { return false }
        }
        try await BlockingCall.run { try move(session) }
        if !isPresent(session) {
            // If it cannot be connected to any more, the next start tries again.
            let kept = KeptSession(connection: composer.connection(of: session.plans), logger: logger)
            guard try await kept.end(isBounded: true) else { return !Task.isShuttingDownGracefully }
            try await BlockingCall.run { directory.removeFilters(of: session.name) }
        }
        return true
    }

    /// Has lanes go on without a session that cannot be connected to.
    private func giveUp(_ session: Session) async throws {
        logger.warning(
            session.moving.isEmpty
                ? "a session has another account or client id than before: no lane reads it, and the broker keeps it"
                : """
                a session has another account or client id than before: frames that are queued for the old one are not read, and \
                published as gaps
                """, metadata: metadata(of: session, session.moving.sorted { $0.rawValue < $1.rawValue }))
        try await BlockingCall.run {
            try move(session)
            if !isPresent(session) { directory.removeFilters(of: session.name) }
        }
    }

    private func metadata(of session: Session, _ lanes: [Name]) -> Logger.Metadata {
        ["session": "\(session.record.session)", "lanes": "\(lanes.map(\.rawValue).joined(separator: " "))"]
    }

    private func isPresent(_ session: Session) -> Bool { sessions.contains { $0[0].name == session.name } }

    /// Records that lanes go on with their present sessions, and then that they do not read the former one.
    private func move(_ former: Session) throws {
        for lane in former.moving {
            let next = present(lane)
            let filters = filters(of: next)
            guard next[0].name != former.name, let record = filters.present else { continue }
            try filters.store(record.filters, readBy: record.lanes.union([lane]))
        }
        guard !former.isOther, let record = former.filters.present else { return }
        // What is ended has no readers, also where the present session was recorded as read by them before.
        let readers = isPresent(former) ? record.lanes.subtracting(former.moving) : []
        try former.filters.store(record.filters, readBy: readers)
    }

    /// Has its lanes process everything that the broker has queued for it; false when the gateway stops before.
    private func drain(_ session: Session) async throws -> Bool {
        var composer = composer
        composer.replica = nil
        let service = try await BlockingCall.run { [composer] in try composer.compose(session.plans) }
        let heartbeats = composer.heartbeats(of: [service])
        let isDrained = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await heartbeats.run() }
            defer { group.cancelAll() }
            return try await service.runUntilDrained()
        }
        guard !isDrained, !Task.isShuttingDownGracefully else { return isDrained }
        throw GatewayError("the session \(session.record.session) could not be read to its end: its frames are not committed")
    }
}
