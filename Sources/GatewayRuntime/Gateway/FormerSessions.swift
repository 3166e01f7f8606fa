import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle

/// The sessions of an earlier start that are not read in this one: the lanes share one session now, or shared one then.
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
        /// The lanes that go on with another session.
        var moving: Set<Name>
        /// The lanes that read it.
        var plans: [LanePlan]
        var filters: SessionFilters
        /// What is recorded of it.
        var record: SessionFilters.Record
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
        for session in former { guard try await read(session) else { return false } }
        return true
    }

    /// The recorded sessions that lanes move from, that no lane reads now, or that are recorded under another client id or account.
    private var former: [Session] {
        Name.allCases.compactMap { name in
            let isPresent = sessions.contains { $0[0].name == name }
            guard let record = directory.filters(of: name, composer.connection(of: [plan(of: name)])).record else { return nil }
            let plans = record.lanes.count > 1 ? LanePlan.sharing(in: composer.configuration) : [plan(of: name)]
            let readers = plans.filter { $0.name == name || record.lanes.contains($0.name) }
            let filters = directory.filters(of: name, composer.connection(of: readers))
            let isOther = record.session != filters.session
            let moving = record.lanes.filter { lane in
                let next = session(of: lane)[0].name
                return isOther || next != name && !directory.readers(of: next).contains(lane)
            }
            guard !moving.isEmpty || !isPresent || isOther else { return nil }
            return Session(name: name, moving: moving, plans: readers, filters: filters, record: record)
        }
    }

    /// The lanes that read the present session of a lane.
    private func session(of lane: Name) -> [LanePlan] { sessions.first { $0.contains { $0.name == lane } } ?? [plan(of: lane)] }

    private func plan(of name: Name) -> LanePlan { LanePlan(name, in: composer.configuration) }

    /// Whether the session can be connected to. It cannot under another account or client id, nor where the broker has one session for each
    /// account, and this account is that of the session which the lanes share.
    private func isReachable(_ session: Session) -> Bool {
        let configuration = composer.configuration
        let shared = sessions[0][0].name
        let isTaken =
            sessions.count == 1 && session.name != shared
            && configuration.identity(of: session.name) == configuration.identity(of: shared)
        return session.record.session == session.filters.session && !isTaken
    }

    private func read(_ session: Session) async throws -> Bool {
        let metadata: Logger.Metadata = [
            "session": "\(session.record.session)", "lanes": "\(session.plans.map(\.name.rawValue).joined(separator: " "))",
        ]
        let isPresent = sessions.contains { $0[0].name == session.name }
        let isReachable = isReachable(session)
        if !isReachable, !session.moving.isEmpty {
            logger.warning(
                """
                a session has another account or client id than before: frames that are queued for the old one are not read, and \
                published as gaps
                """, metadata: metadata)
        }
        if isReachable, !session.moving.isEmpty {
            logger.info("a session of an earlier start is read to its end", metadata: metadata)
            guard try await drain(session) else { return false }
        }
        try await BlockingCall.run { try move(session) }
        guard !isPresent else { return true }
        if isReachable {
            // If it cannot be connected to any more, the next start tries again.
            let kept = KeptSession(connection: composer.connection(of: session.plans), logger: logger)
            guard try await kept.end(isBounded: true) else { return !Task.isShuttingDownGracefully }
        }
        try await BlockingCall.run { directory.removeFilters(of: session.name) }
        return true
    }

    /// Records that lanes go on with their present sessions, and then that they do not read the former one.
    private func move(_ former: Session) throws {
        for lane in former.moving {
            let next = session(of: lane)
            guard next[0].name != former.name else { continue }
            let filters = directory.filters(of: next[0].name, composer.connection(of: next))
            if let record = filters.present { try filters.store(record.filters, readBy: record.lanes.union([lane])) }
        }
        guard former.record.session == former.filters.session, let record = former.filters.present else { return }
        try former.filters.store(record.filters, readBy: record.lanes.subtracting(former.moving))
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
