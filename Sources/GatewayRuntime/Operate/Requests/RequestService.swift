import GatewayConfiguration
import GatewayPipeline
import Logging
import Mosquitto
import ServiceLifecycle
import Synchronization
import TelemetryModel

/// Answers requests on a connection of its own: nothing of it passes a lane's session, thread or outbox.
///
/// Requests whose topic names the user, and others, have a queue, limits and a task of their own each. Two of each are answered at once at
/// the most: one for samples, which may take many seconds, and one other.
struct RequestService: Service {
    /// How many requests of each form may wait for their turn; more are dropped and counted.
    private static let mostWaiting = 64
    /// How many requests for samples may wait for their turn.
    private static let mostWaitingForSamples = 8
    /// What the warning in the status is about.
    private static let check = "requests"
    /// How long the broker may take to accept a reply before the next request is answered.
    private static let replySeconds = 10.0

    let client: MosquittoClient
    let configuration: GatewayConfiguration.Requests
    let settings: PipelineSettings
    let messages: any LatestMessages
    /// What is kept of histories; nil without a state directory.
    let history: StoredHistory?
    let lanes: LaneRegistry
    let egress: Egress
    let counts: AnsweredRequests
    let status: StatusPublisher
    let clock: any GatewayClock
    let logger: Logger

    /// Runs until the gateway stops, from when derived messages can leave. A connection that cannot be made is logged, and is a
    /// warning in the status; it ends nothing else.
    func run() async throws {
        // Before that another gateway of this name may be running, whose connection this one would end.
        guard await cancelWhenGracefulShutdown({ await egress.client.isConnected() }) else { return }
        let (named, unnamed) = (RequestQueue(Self.mostWaiting), RequestQueue(Self.mostWaiting))
        await withDiscardingTaskGroup { group in
            group.addTask {
                defer { for queue in [named, unnamed] { queue.continuation.finish() } }
                do {
                    let version = egress.client.statistics.version
                    try await client.run(adjusting: { $0.version = version ?? $0.version }) {
                        ImmediateHandler { messages in
                            for message in messages.lazy.map(RequestMessage.init) {
                                let hasUser = RequestTopic(message.topic, layout: settings.topics).user != nil
                                if !(hasUser ? named : unnamed).add(message) { counts.count(.dropped) }
                            }
                        }
                    }
                } catch {
                    logger.error("requests are not answered", metadata: ["reason": "\(error)"])
                    await status.note(warning: "not received: \(error)", of: Self.check)
                }
            }
            group.addTask { await followConnection() }
            for queue in [named, unnamed] {
                group.addTask { await cancelWhenGracefulShutdown { await answer(queue.requests) } }
            }
            group.addTask {
                try? await gracefulShutdown()
                await client.stop()
            }
        }
    }

    /// Reports why no requests are received, so that an operator learns of it and not only who asks: frames flow all the same.
    private func followConnection() async {
        for await state in client.stateChanges() {
            switch state {
            case .connected: await status.note(warning: nil, of: Self.check)
            case .disconnected(let reason) where !Task.isShuttingDownGracefully:
                await status.note(warning: "not received: disconnected: \(reason)", of: Self.check)
            case .connecting, .disconnected, .stopped: break
            }
        }
    }

    private func answer(_ requests: AsyncStream<RequestMessage>) async {
        let reader = RequestReader(settings)
        let limits = SharedLimits(
            RequestLimits(
                perSecond: configuration.perSecond, bytesPerHour: Double(configuration.mebibytesPerHour) * 1_048_576,
                at: clock.now.monotonic))
        var refusals = UnanswerableReports(settings)
        let (samples, continuation) = AsyncStream.makeStream(
            of: Request.self, bufferingPolicy: .bufferingOldest(Self.mostWaitingForSamples))
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await request in samples { await reply(to: request.address, limits) { try await answer(request, $0) } }
            }
            defer { continuation.finish() }
            for await message in requests {
                switch reader.read(message, policy: lanes.admission.policy) {
                case .ignored: break
                case .unanswerable(let rejection):
                    counts.count(.unanswerable)
                    egress.publish(refusals.report(rejection, topic: message.topic, at: clock.now))
                case .failed(let address, let failure):
                    await reply(to: address, limits) { try await $0(Reply(to: address, failure, at: clock.now.unix)) }
                case .accepted(let request):
                    switch request.query {
                    case .samples: if case .dropped = continuation.yield(request) { counts.count(.dropped) }
                    case .acknowledge:
                        await reply(to: request.address, limits, isAcknowledgement: true) { try await answer(request, $0) }
                    default: await reply(to: request.address, limits) { try await answer(request, $0) }
                    }
                }
            }
        }
    }

    /// Passes the reply to a request to `publish`, in one part or several. Throws what `publish` throws.
    private func answer(_ request: Request, _ publish: (Reply) async throws -> Void) async throws {
        do {
            switch request.query {
            case .latest(let query):
                let (found, damaged) = try await messages.messages(of: request.device)
                try await publish(query.reply(to: request, found, damaged: damaged, at: clock.now.unix))
            case .events(let query):
                guard let history else { return try await publish(notStored(request)) }
                let (events, damage) = try history.events(
                    of: request.device, in: query.range, after: query.after, limit: query.limit + 1, where: request.covers)
                setAside(damage)
                let shown = Array(events.prefix(query.limit))
                try await publish(
                    query.reply(
                        to: request, shown, damaged: damage.spans, hasMore: events.count > shown.count, at: clock.now.unix))
            case .acknowledge(let query):
                let answer = await acknowledge(query.acknowledgement(at: clock.now.unix), of: request.device)
                switch answer {
                case .acknowledged(let alarm): try await publish(query.reply(to: request, alarm, at: clock.now.unix))
                case .notRaised: try await publish(Reply(to: request.address, query.notRaised, at: clock.now.unix))
                case .failed: try await publish(Reply(to: request.address, .unavailable, at: clock.now.unix))
                }
            case .profile(let query):
                guard let history else { return try await publish(notStored(request)) }
                let (points, damage) = try history.profile(of: request.device, in: query.range)
                setAside(damage)
                try await publish(query.reply(to: request, points, damaged: damage.spans, at: clock.now.unix))
            case .samples(let query):
                guard let history else { return try await publish(notStored(request)) }
                var parts = SampleParts(query, of: request)
                let damage = try await history.forEachMinute(of: request.device, in: query.minutes) { minute in
                    for part in parts.add(minute, at: clock.now.unix) { try await publish(part) }
                }
                setAside(damage)
                try await publish(parts.finish(damaged: damage.spans, at: clock.now.unix))
            }
        } catch let error as ReplyNotAccepted {
            throw error
        } catch {
            logger.error("a request cannot be answered", metadata: ["device": "\(request.device)", "reason": "\(error)"])
            try await publish(Reply(to: request.address, .unavailable, at: clock.now.unix))
        }
    }

    /// Acknowledges an alarm; `failed` where it is not committed in time. It may be committed later then, which a repetition finds.
    private func acknowledge(_ acknowledgement: AlarmAcknowledgement, of device: DeviceID) async -> AlarmAnswer {
        let (answers, continuation) = AsyncStream.makeStream(of: AlarmAnswer.self)
        Task { [lanes] in
            continuation.yield(await lanes.acknowledge(acknowledgement, of: device))
            continuation.finish()
        }
        let limit = Task { [clock] in
            try await clock.sleep(seconds: Self.replySeconds)
            continuation.finish()
        }
        defer { limit.cancel() }
        return await answers.first { _ in true } ?? .failed
    }

    /// Has the lanes set aside and report what could not be read: nothing is written here.
    private func setAside(_ damage: StoredHistory.Damage) {
        if !damage.found.isEmpty { lanes.setAside(damage.found) }
    }

    private func notStored(_ request: Request) -> Reply { Reply(to: request.address, .notStored, at: clock.now.unix) }

    /// Publishes the reply that `make` gives, within the limits of its user, and waits until the broker has each part: there is never more
    /// than one on its way. What follows a part that the broker does not accept in time is not made.
    private func reply(
        to address: ReplyAddress, _ limits: SharedLimits, isAcknowledgement: Bool = false,
        _ make: ((Reply) async throws -> Void) async throws -> Void
    ) async {
        var (bytes, hasFailed) = (0, false)
        let publish = { (reply: Reply) async throws in
            bytes += reply.payload.count
            hasFailed = hasFailed || reply.isError
            let ticket = client.enqueue([MQTTMessage(reply)])
            do {
                try await Egress(client: client, priority: .normal).settle(ticket, within: Self.replySeconds, clock: clock)
            } catch {
                throw ReplyNotAccepted(reason: "\(error)")
            }
        }
        do {
            let verdict = limits.value.withLock {
                $0.judge(address.user, isAcknowledgement: isAcknowledgement, at: clock.now.monotonic)
            }
            switch verdict {
            case .allowed: try await make(publish)
            case .refused: try await publish(Reply(to: address, .tooMany(address.user), at: clock.now.unix))
            case .dropped: return counts.count(.dropped)
            }
        } catch {
            hasFailed = true
            logger.notice("a reply is not complete", metadata: ["topic": "\(address.topic)", "reason": "\(error)"])
        }
        counts.count(hasFailed ? .failed : .answered)
        limits.value.withLock { $0.note(bytes, sentTo: address.user) }
    }
}

/// Requests that wait for their turn, in order.
private struct RequestQueue {
    let requests: AsyncStream<RequestMessage>
    let continuation: AsyncStream<RequestMessage>.Continuation

    init(_ most: Int) {
        (requests, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(most))
    }

    /// Adds one; false where too many wait.
    func add(_ request: RequestMessage) -> Bool {
        if case .dropped = continuation.yield(request) { false } else { true }
    }
}

/// The broker did not accept a reply, or a part of one, in time.
private struct ReplyNotAccepted: Error, CustomStringConvertible {
    let reason: String

    var description: String { reason }
}

/// The limits of users, for both requests that are answered at once.
private final class SharedLimits: Sendable {
    let value: Mutex<RequestLimits>

    init(_ limits: RequestLimits) { value = Mutex(limits) }
}

/// The `rejected` messages about requests without a valid reply topic, limited as all others of no device.
private struct UnanswerableReports {
    private let settings: PipelineSettings
    private let encoder: OutboundEncoder
    private var limiter = RejectionLimiter()

    init(_ settings: PipelineSettings) {
        self.settings = settings
        encoder = OutboundEncoder(settings)
    }

    /// The message to publish; none when one with the reason was published within the last second.
    mutating func report(_ rejection: Rejection, topic: String, at now: GatewayTime) -> [OutboundMessage] {
        let admitted = limiter.admit(rejection.reason, at: now.monotonic, perSecond: settings.rejectedPerSecond)
        guard let count = admitted else { return [] }
        return [encoder.encode(rejection, topic: topic, gateway: settings.gateway, count: count, received: now.unix)]
    }
}

extension RequestMessage {
    /// A message as it was delivered.
    init(_ message: MQTTMessage) {
        self.init(
            topic: message.topic, payload: message.payload, isRetained: message.retain, responseTopic: message.responseTopic,
            correlationData: message.correlationData)
    }
}

extension MQTTMessage {
    /// The message of a reply: dropped if the broker refuses it, so that it holds up no other.
    init(_ reply: Reply) {
        self.init(
            topic: reply.address.topic, payload: reply.payload, contentType: OutboundMessage.contentType,
            messageExpirySeconds: Reply.expirySeconds)
        correlationData = reply.address.correlationData
        isText = true
        isExpendable = true
    }
}
