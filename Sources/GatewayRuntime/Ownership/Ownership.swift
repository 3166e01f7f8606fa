import GatewayConfiguration
import GatewayPipeline
import Glibc
import Logging
import Mosquitto
import ServiceLifecycle
import Synchronization

/// The gateway's name on its broker: contests it before anything else is connected, and keeps it.
///
/// The claims of an owner go over the connection `out`. The account of claims is used before `out` is connected, and while it is away for
/// longer than the lease: then it shows whether another has taken the name, without disconnecting that one.
final class Ownership: Sendable {
    /// What all threads ask before they act.
    let permit: Permit
    /// The run of this gateway.
    let instance: String

    private struct Contents {
        var contest: ClaimContest
        var record: OwnershipRecord?
        /// The connection over which claims go at present.
        var link: MosquittoClient?
        /// The account of that connection.
        var identity: GatewayConfiguration.MQTT.Identity?
        /// The connection with the account of claims, which is the link only while `out` is not connected.
        var standIn: (client: MosquittoClient, identity: GatewayConfiguration.MQTT.Identity)?
        var linkedAt = 0.0
        var hasEchoed = false
        var isSilenceReported = false
        /// Why the account of claims cannot connect.
        var problem: String?
        var version: MosquittoConfiguration.ProtocolVersion?

        /// Has claims go over `client` from now on.
        mutating func use(
            _ client: MosquittoClient, as identity: GatewayConfiguration.MQTT.Identity, at now: Double
        ) -> [ClaimContest.Action] {
            (link, self.identity) = (client, identity)
            (linkedAt, hasEchoed) = (now, false)
            return contest.connected(at: now)
        }
    }

    /// How long a broker may take to deliver a claim before its ACL is suspected.
    private static let silenceSeconds = 5.0
    /// The interval at which the connection of an owner is looked at.
    private static let watchSeconds = 0.1

    private let configuration: GatewayConfiguration
    private let connection: MosquittoConfiguration
    private let contents: Mutex<Contents>
    private let verdicts: AsyncStream<Claim?>
    private let continuation: AsyncStream<Claim?>.Continuation
    private let clock: any GatewayClock
    private let logger: Logger

    init(
        configuration: GatewayConfiguration, brokers: BrokerList, instance: Heartbeat.Instance, record: OwnershipRecord?,
        permit: Permit,
        clock: any GatewayClock, logger: Logger
    ) {
        self.configuration = configuration
        self.instance = instance.id
        self.permit = permit
        self.clock = clock
        self.logger = logger
        connection = .claiming(configuration, instance: instance.id, brokers: brokers)
        let contest = ClaimContest(
            instance: instance.id, host: Self.host, started: instance.started, epoch: record?.epoch ?? 0,
            resumable: Set(record?.instances ?? []))
        contents = Mutex(Contents(contest: contest, record: record))
        (verdicts, continuation) = AsyncStream.makeStream()
    }

    private static var host: String {
        var name = utsname()
        uname(&name)
        return withUnsafeBytes(of: &name.nodename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The topic of the claims.
    var topic: String { Claim.topic(gateway: configuration.gateway.name) }

    /// The protocol version that the broker accepts; nil before the first connection.
    var version: MosquittoConfiguration.ProtocolVersion? { contents.withLock { $0.version } }

    /// Why claims cannot be published; nil when they can, or it is not known yet.
    var problem: String? { contents.withLock { $0.problem } }

    /// The claim that was made last.
    var claim: Claim { contents.withLock { $0.contest.claim } }

    /// Has the claim be higher than `epoch`. To be called before the name is contested.
    func raise(to epoch: Int) { contents.withLock { $0.contest.raise(to: epoch) } }

    /// Gives the name up to an owner that is known from elsewhere.
    func lose(to owner: Claim) { perform { $0.contest.end(by: owner) } }

    // MARK: Winning and keeping

    /// Contests the name; returns once it is won, and false when the gateway stops before. Throws `NameTaken`.
    func win() async throws -> Bool {
        try await linked {
            for await loser in self.verdicts {
                if let loser { throw self.error(for: loser) }
                self.logger.info("the name is this gateway's", metadata: ["epoch": "\(self.permit.epoch ?? 0)"])
                return true
            }
            return false
        }
    }

    /// Keeps the name while `out` connects, disconnects and connects again. Returns when cancelled; throws `NameTaken`.
    func keep(over out: MosquittoClient) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await owner in self.verdicts { if let owner { throw self.error(for: owner) } } }
            group.addTask {
                for await state in out.stateChanges() where !state.isConnected {
                    while !Task.isCancelled, !Task.isShuttingDownGracefully, !out.state.isConnected {
                        do { try await self.clock.sleep(seconds: Self.watchSeconds) } catch { return }
                        guard !out.state.isConnected, self.permit.passage == .closed else { continue }
                        do {
                            try await self.linked {
                                while !Task.isCancelled, !out.state.isConnected, self.permit.passage != .lost {
                                    do { try await self.clock.sleep(seconds: Self.watchSeconds) } catch { return }
                                }
                            }
                        } catch let error as MosquittoError {
                            self.note(error)
                        }
                    }
                }
            }
            try await group.waitForAllOrFirstError()
        }
    }

    /// Runs `body` beside a connection with the account of claims, and ends that. `body` is cancelled when the gateway stops.
    private func linked<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let client = MosquittoClient(configuration: connection, logger: logger)
        let identity = configuration[configuration.claimAccount]
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await client.run { ClaimHandler(self, over: client, as: identity, clock: self.clock, isStandIn: true) }
                return nil
            }
            group.addTask {
                for await state in client.stateChanges() { self.note(state, of: client) }
                return nil
            }
            group.addTask { try await cancelWhenGracefulShutdown(body) }
            let value: Value
            do {
                value = try await group.firstValue()
            } catch {
                await client.stop()
                throw error
            }
            await client.stop()
            return value
        }
    }

    private func note(_ state: Mosquitto.ConnectionState, of client: MosquittoClient) {
        contents.withLock { contents in
            switch state {
            case .connected: (contents.problem, contents.version) = (nil, client.statistics.version)
            case .disconnected(let reason): contents.problem = "disconnected: \(reason)"
            case .connecting, .stopped: break
            }
        }
    }

    /// Notes why the account of claims could not even try to connect. It tries again, as a connection does that was there before:
    /// certificates may be replaced at any time, and are read again then.
    private func note(_ error: MosquittoError) {
        let isNews = contents.withLock { contents in
            defer { contents.problem = "\(error)" }
            return contents.problem != "\(error)"
        }
        if isNews { logger.error("the account of claims cannot connect", metadata: ["reason": "\(error)"]) }
    }

    private func error(for owner: Claim) -> NameTaken { NameTaken(name: configuration.gateway.name, owner: owner) }

    // MARK: Events of connections, on their threads

    /// A connection is there: claims go over `out` from now on, over one with the account of claims, `isStandIn`, while there is no other.
    func connected(over client: MosquittoClient, as identity: GatewayConfiguration.MQTT.Identity, isStandIn: Bool = false) {
        let now = clock.now.monotonic
        perform { contents in
            if isStandIn {
                contents.standIn = (client, identity)
                guard contents.link == nil else { return [] }
            }
            return contents.use(client, as: identity, at: now)
        }
    }

    /// A connection has ended.
    func disconnected(_ client: MosquittoClient) {
        let now = clock.now.monotonic
        perform { contents in
            if contents.standIn?.client === client { contents.standIn = nil }
            guard contents.link === client else { return [] }
            contents.link = nil
            contents.contest.disconnected()
            guard let standIn = contents.standIn else { return [] }
            return contents.use(standIn.client, as: standIn.identity, at: now)
        }
    }

    /// A message on `topic` has come.
    func receive(_ message: MQTTMessage, over client: MosquittoClient) {
        guard let claim = Claim(message.payload) else { return }
        let now = clock.now.monotonic
        perform { contents in
            guard contents.link === client else { return [] }
            if claim.instance == self.instance, !message.retain { contents.hasEchoed = true }
            return contents.contest.receive(claim, isRetained: message.retain, at: now)
        }
    }

    /// Time has passed; returns when it is due again, on the monotonic clock.
    func tick(over client: MosquittoClient) -> Double? {
        let now = clock.now.monotonic
        perform { contents in contents.link === client ? contents.contest.tick(at: now) : [] }
        let (deadline, silent) = contents.withLock {
            contents -> (Double?, GatewayConfiguration.MQTT.Identity?) in
            guard contents.link === client else { return (nil, nil) }
            let isSilent = !contents.hasEchoed && !contents.isSilenceReported && now - contents.linkedAt > Self.silenceSeconds
            if isSilent { contents.isSilenceReported = true }
            return (contents.contest.nextDeadline, isSilent ? contents.identity : nil)
        }
        if let silent { reportSilence(of: client, as: silent) }
        return deadline
    }

    /// Publishes, behind everything else, that the name is free. For an owner that stops.
    func release(over client: MosquittoClient) {
        guard let claim = contents.withLock({ $0.contest.release() }) else { return }
        client.enqueue([claim.message(gateway: configuration.gateway.name)], priority: .normal)
    }

    /// Carries out what the contest decides, in order: one thread at a time.
    private func perform(_ change: (inout Contents) -> [ClaimContest.Action]) {
        contents.withLock { contents in
            for action in change(&contents) {
                switch action {
                case .record(let epoch): store(epoch, in: &contents)
                case .publish(let claim):
                    contents.link?.enqueue([claim.message(gateway: configuration.gateway.name)], priority: .control)
                case .win(let epoch, let changesOwner):
                    // Without a state directory each start looks like another gateway's.
                    permit.win(epoch: epoch, changesOwner: changesOwner && contents.record != nil)
                    continuation.yield(nil)
                case .lease(let until): permit.extend(until: until)
                case .lose(let owner):
                    permit.lose()
                    continuation.yield(owner)
                }
            }
        }
    }

    private func store(_ epoch: Int, in contents: inout Contents) {
        do { try contents.record?.store(epoch: epoch, instance: instance) } catch {
            logger.error("the claim cannot be stored: the next start waits for 3 s", metadata: ["reason": "\(error)"])
        }
    }

    /// A broker may accept a publish, or grant a subscription, that its ACL does not permit.
    private func reportSilence(of client: MosquittoClient, as identity: GatewayConfiguration.MQTT.Identity) {
        let refusal = client.expendableRefusal(of: .control).map { "refuses the claim (\($0))" } ?? "does not deliver the claim"
        let advice = ClaimAccess.advice(for: identity, of: configuration)
        logger.error("the broker \(refusal), without which this gateway does nothing: \(advice)")
    }
}

extension ThrowingTaskGroup {
    /// The first result that is not nil; throws the first error.
    fileprivate mutating func firstValue<Value>() async throws -> Value where ChildTaskResult == Value? {
        while let result = try await next() { if let result { return result } }
        throw CancellationError()
    }
}

/// The name of the gateway belongs to another one.
package struct NameTaken: Error, CustomStringConvertible {
    let name: String
    let owner: Claim

    /// Which one, and what to do.
    package var description: String {
        "another gateway called \(name) is running on this broker: instance \(owner.instance) on \(owner.host), since "
            + "\(Int(exactly: owner.started.rounded()) ?? 0) (unix time), epoch \(owner.epoch). Stop it, or give this one another "
            + "gateway.name and state directory"
    }
}

/// Passes claims to the contest, on the thread of a connection, and everything else to a closure.
final class ClaimHandler: DeliveryHandler {
    private let ownership: Ownership
    private let client: MosquittoClient
    private let identity: GatewayConfiguration.MQTT.Identity
    private let clock: any GatewayClock
    private let isStandIn: Bool
    private let takeOthers: ([MQTTMessage]) -> Void

    /// `others` takes what is no claim. With `isStandIn` claims go over `client` only while no other connection is there.
    init(
        _ ownership: Ownership, over client: MosquittoClient, as identity: GatewayConfiguration.MQTT.Identity,
        clock: any GatewayClock, isStandIn: Bool = false, others: @escaping ([MQTTMessage]) -> Void = { _ in }
    ) {
        self.ownership = ownership
        self.client = client
        self.identity = identity
        self.clock = clock
        self.isStandIn = isStandIn
        takeOthers = others
    }

    func connected(sessionPresent: Bool) { ownership.connected(over: client, as: identity, isStandIn: isStandIn) }

    func disconnected() { ownership.disconnected(client) }

    func receive(_ messages: [MQTTMessage]) {
        for message in messages where message.topic == ownership.topic { ownership.receive(message, over: client) }
        let others = messages.filter { $0.topic != ownership.topic }
        if !others.isEmpty { takeOthers(others) }
    }

    func review(isStopping: Bool) -> DeliveryDecision {
        let due = ownership.tick(over: client)
        return DeliveryDecision(
            .write, reviewAt: due.map { .now + .seconds(max(0, $0 - clock.now.monotonic)) + .milliseconds(1) })
    }
}
