import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle
import TelemetryModel

/// Moves streams to other lanes before the lanes start, if their assignment to lanes is not the one of the previous run.
///
/// The target subscribes and acknowledges nothing. The source unsubscribes and processes everything that the broker has queued for it. Then
/// its states of the streams move, and the target may read. Every step can be repeated: an interrupted transfer starts again with the
/// next start.
///
/// The sources follow each other, each with its targets. A lane that is source and target has the states of all streams that its session
/// receives when it is drained: it is subscribed to the streams of a later source only afterwards. Only one connection is open at a time,
/// because a broker may allow an account only one.
struct StreamTransfer {
    /// Streams that move from one lane to another.
    struct Move: Equatable {
        var streams: Set<StreamName>
        var source, target: GatewayConfiguration.Lanes.Name
    }

    let composer: LaneComposer
    let directory: StateDirectory
    /// The lanes of this start.
    let plans: [LanePlan]
    /// Whether all connections of one account have the same session at the broker.
    let areSessionsShared: Bool

    private var configuration: GatewayConfiguration { composer.configuration }
    private var logger: Logger { composer.logger }

    /// Moves all streams that have another lane now; false when the gateway stops before.
    func run() async throws -> Bool {
        for source in GatewayConfiguration.Lanes.Name.allCases {
            let moves = moves(from: source)
            guard !moves.isEmpty else { continue }
            for move in moves { logger.info("streams move to another lane", metadata: metadata(of: move)) }
            for move in moves { guard try await hold(move) else { return false } }
            guard try await drain(source, of: moves) else { return false }
            let isEnding = !plans.contains { $0.name == source } && recorded(of: source).isSubset(of: Self.streams(of: moves))
            guard try await settleDebts(of: source) else { return false }
            // The last move is recorded last: an interrupted transfer copies the messages to the same lane again.
            for move in moves {
                let takesMessages = isEnding && move == moves.last
                try await BlockingCall.run { try moveStates(move, takesMessages: takesMessages) }
            }
            for move in moves { try await BlockingCall.run { try record(move) } }
        }
        for lane in GatewayConfiguration.Lanes.Name.allCases where isEmptied(lane) {
            guard try await end(lane) else { return false }
        }
        return true
    }

    // MARK: What moves

    /// The streams that are recorded for `source` and now assigned to another lane.
    private func moves(from source: GatewayConfiguration.Lanes.Name) -> [Move] {
        let recorded = recorded(of: source)
        return plans.filter { $0.name != source }.compactMap { plan in
            let streams = recorded.intersection(plan.share.streams)
            return streams.isEmpty ? nil : Move(streams: streams, source: source, target: plan.name)
        }
    }

    /// Whether all streams of the lane have moved.
    private func isEmptied(_ lane: GatewayConfiguration.Lanes.Name) -> Bool {
        !plans.contains { $0.name == lane } && filters(of: lane).record?.streams.isEmpty == true
    }

    private func recorded(of lane: GatewayConfiguration.Lanes.Name) -> Set<StreamName> { filters(of: lane).record?.streams ?? [] }

    private func filters(of lane: GatewayConfiguration.Lanes.Name) -> SessionFilters {
        directory.filters(of: lane, composer.connection(of: plan(of: lane, with: [])))
    }

    /// The lane with `streams` instead of those that are assigned to it.
    private func plan(of lane: GatewayConfiguration.Lanes.Name, with streams: Set<StreamName>) -> LanePlan {
        let takesUnknown = plans.first { $0.name == lane }?.share.takesUnknown ?? false
        return LanePlan(lane, streams: streams, takesUnknown: takesUnknown, in: configuration)
    }

    /// Whether the recorded session of a lane can be connected to. It cannot with another account or client id, nor if the broker has one
    /// session for each account: that is the session of the safety lane.
    private func isReachable(_ lane: GatewayConfiguration.Lanes.Name) -> Bool {
        let filters = filters(of: lane)
        let isTaken = areSessionsShared && configuration.identity(of: lane) == configuration.identity(of: .safety)
        return filters.record?.session == filters.session && (lane == .safety || !isTaken)
    }

    // MARK: The steps

    /// Subscribes the session of the target and acknowledges nothing: from here on the broker queues the streams for it.
    private func hold(_ move: Move) async throws -> Bool {
        let plan = plan(of: move.target, with: recorded(of: move.target).union(move.streams))
        try await BlockingCall.run { try composer.noteHeld(by: plan, in: directory) }
        return try await KeptSession(connection: composer.connection(of: plan), logger: logger).subscribe()
    }

    /// Runs the source, unsubscribed from the streams that move, until it has processed everything that the broker has queued for it.
    private func drain(_ source: GatewayConfiguration.Lanes.Name, of moves: [Move]) async throws -> Bool {
        guard isReachable(source) else {
            logger.warning(
                """
                a lane has another account or client id than before: frames that are queued for its old session are not read, and \
                published as gaps
                """, metadata: ["lane": "\(source.rawValue)", "session": "\(filters(of: source).record?.session ?? "")"])
            return true
        }
        let service = try await BlockingCall.run {
            try composer.compose(plan(of: source, with: recorded(of: source)), leaving: Self.streams(of: moves))
        }
        let heartbeats = composer.heartbeats(of: [service])
        let isDrained = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await heartbeats.run() }
            defer { group.cancelAll() }
            return try await service.runUntilDrained()
        }
        guard !isDrained else { return true }
        guard !Task.isShuttingDownGracefully else { return false }
        throw GatewayError("the lane \(source.rawValue) could not commit what it has processed: its streams do not move")
    }

    /// Publishes what a replay has led to in the source, where no lane has done so, and removes it once the broker has accepted it: the target
    /// publishes newer messages of the same topics. False when the gateway stops before.
    private func settleDebts(of source: GatewayConfiguration.Lanes.Name) async throws -> Bool {
        let store = try await BlockingCall.run { try replayedStore(of: source) }
        let policy = composer.lanes.admission.policy
        let debts = try await BlockingCall.run { try store.debts().filter { policy.owns($0.message.device) } }
        guard !debts.isEmpty else { return true }
        let pipeline = Pipeline(settings: composer.settings, policy: policy)
        composer.egress.publish(pipeline.messages(owed: debts.map(\.message)))
        if let ticket = composer.egress.lastTicket {
            do {
                try await composer.egress.settle(
                    ticket, within: configuration.mqtt.publishTimeoutSeconds, clock: composer.clock)
            } catch {
                guard !Task.isShuttingDownGracefully else { return false }
                throw GatewayError(
                    "the lane \(source.rawValue) could not publish what it owes: its streams do not move: \(error)")
            }
        }
        var settled = SettledRows()
        settled.debts = debts.map { ($0.number, $0.message.device) }
        try await BlockingCall.run { [settled] in try store.write([], settled: settled, at: composer.clock.now) }
        return true
    }

    private static func streams(of moves: [Move]) -> Set<StreamName> {
        moves.reduce(into: []) { $0.formUnion($1.streams) }
    }

    private func moveStates(_ move: Move, takesMessages: Bool) throws {
        let states = try StateMove(
            of: move.streams, from: replayedStore(of: move.source), to: replayedStore(of: move.target),
            producers: composer.settings.producers,
            takesMessages: takesMessages)
        try states.writeTarget(at: composer.clock.now)
        try states.clearSource(at: composer.clock.now)
        states.dropped.forEach(directory.report)
        logger.info("streams have moved", metadata: metadata(of: move).merging(["devices": "\(states.count)"]) { $1 })
    }

    /// The states of a lane without a journal. What has to be published of replayed messages stays in its file until that is done.
    private func replayedStore(of lane: GatewayConfiguration.Lanes.Name) throws -> CheckpointStore {
        let store = try directory.store(of: lane)
        try store.replayJournal(by: composer.journalReplay(of: plan(of: lane, with: recorded(of: lane))))
        return store
    }

    /// Records the lane that has the streams now.
    private func record(_ move: Move) throws {
        try filters(of: move.target).store(streams: recorded(of: move.target).union(move.streams))
        try filters(of: move.source).store(streams: recorded(of: move.source).subtracting(move.streams))
    }

    /// Ends the session of a lane without streams, and removes its files. If it cannot connect, the next start tries again.
    private func end(_ lane: GatewayConfiguration.Lanes.Name) async throws -> Bool {
        if isReachable(lane) {
            let session = KeptSession(connection: composer.connection(of: plan(of: lane, with: [])), logger: logger)
            guard try await session.end(isBounded: true) else { return !Task.isShuttingDownGracefully }
        }
        try await BlockingCall.run { directory.remove(lane) }
        logger.info("a lane without streams has ended", metadata: ["lane": "\(lane.rawValue)"])
        return true
    }

    private func metadata(of move: Move) -> Logger.Metadata {
        [
            "streams": "\(move.streams.map(\.rawValue).sorted().joined(separator: " "))", "from": "\(move.source.rawValue)",
            "to": "\(move.target.rawValue)",
        ]
    }
}
