import GatewayConfiguration
import GatewayPipeline
import HomeAssistant
import Logging
import Mosquitto
import ServiceLifecycle

/// Publishes the discovery messages: of a device when its kinds change, of all when the connection was made and when Home Assistant
/// has started.
///
/// It does not depend on commits. Which kinds were reported is not stored in a device's state, so a kind whose report was lost in
/// a crash is reported again.
struct DiscoveryService: Service {
    /// Changes are collected for this long: a device that connects has several new kinds at once.
    private static let collectSeconds = 0.5
    /// So many messages are published, and accepted by the broker, before the next.
    private static let groupMessages = 50
    /// How long the broker may take to accept a group.
    private static let groupSeconds = 10.0

    let discovery: Discovery
    let egress: Egress
    /// How long to wait after a start of Home Assistant, in seconds.
    let startDelay: @Sendable () -> Double
    let clock: any GatewayClock
    let logger: Logger

    /// Runs until the gateway stops.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await followConnection() }
                group.addTask { await followHomeAssistant() }
                group.addTask { await publishChanges() }
            }
        }
    }

    private func followConnection() async {
        for await state in egress.client.stateChanges() {
            if case .connected = state { discovery.announceAll() }
        }
    }

    /// Everything that publishes to Home Assistant notices its start at the same time, so each waits for a while.
    private func followHomeAssistant() async {
        for await _ in discovery.starts {
            do { try await clock.sleep(seconds: startDelay()) } catch { return }
            discovery.announceAll()
        }
    }

    private func publishChanges() async {
        for await _ in discovery.changes {
            do { try await clock.sleep(seconds: Self.collectSeconds) } catch { return }
            let (changes, includesAll) = discovery.takeChanges()
            let messages = changes.map(message)
            var rest = ((includesAll ? gatewayMessages(beside: Set(messages.map(\.topic))) : []) + messages)[...]
            while !rest.isEmpty, !Task.isCancelled {
                await publish(rest.prefix(Self.groupMessages))
                rest = rest.dropFirst(Self.groupMessages)
            }
        }
    }
}

extension DiscoveryService {
    /// A message to publish; without a row it clears its topic.
    private struct Message {
        var topic: String
        var row: DiscoveryStore.Row?
    }

    private func message(_ change: AnnouncedDevices.Change) -> Message {
        let topic = discovery.encoder.topic(of: change.device)
        return Message(topic: topic, row: change.announced.map { .init(topic: topic, device: change.device, announced: $0) })
    }

    /// The gateway's own message, and those that clear topics that are not wanted, but for `others`, whose messages follow.
    private func gatewayMessages(beside others: Set<String>) -> [Message] {
        let own =
            discovery.isEnabled
            ? [Message(topic: discovery.encoder.gatewayTopic, row: .init(topic: discovery.encoder.gatewayTopic))] : []
        do {
            let unwanted = try discovery.unwantedTopics().filter { !others.contains($0) }
            return own + unwanted.map { Message(topic: $0) }
        } catch {
            report(error)
            return own
        }
    }

    /// Publishes messages, and waits until the broker has accepted them, or they are kept for the time when it does. Those that are not
    /// accepted in time stay in the outbox.
    private func publish(_ messages: some Sequence<Message>) async {
        let removed = messages.filter { $0.row == nil }.map(\.topic)
        do {
            try discovery.store.save(messages.compactMap(\.row))
            try discovery.store.noteRemoval(of: removed)
        } catch { report(error) }
        // Without an epoch, which Home Assistant does not know, and behind everything that is derived.
        let ticket = egress.client.enqueue(
            messages.map { MQTTMessage(OutboundMessage(topic: $0.topic, payload: $0.row.map(payload) ?? [], retain: true)) })
        guard (try? await egress.settle(ticket, within: Self.groupSeconds, clock: clock)) != nil else { return }
        // Until then a row is what the next connection, or a later start, removes the message by.
        do { try discovery.store.remove(removed) } catch { report(error) }
    }

    private func payload(of row: DiscoveryStore.Row) -> [UInt8] {
        guard let device = row.device, let announced = row.announced else { return discovery.encoder.gatewayPayload }
        return discovery.encoder.payload(of: device, announced)
    }

    private func report(_ error: any Error) {
        logger.error("what is announced to Home Assistant cannot be stored", metadata: ["reason": "\(error)"])
    }
}
