package import GatewayPipeline
import Logging
package import Mosquitto
import ServiceLifecycle

/// Reads batches from the broker, lets them be processed, and settles them.
///
/// The rule: a batch is committed, and only then acknowledged, once every message derived from it has been accepted by the
/// broker. What cannot be published in time is released, and the broker delivers it again.
struct IngressService: Service {
    let client: MosquittoClient
    let workers: Workers
    let egress: Egress
    let status: StatusPublisher
    let settleTimeoutSeconds: Double
    let clock: any GatewayClock
    let logger: Logger

    /// Runs the connection until the gateway stops; reading starts once derived messages can leave.
    func run() async throws {
        guard await cancelWhenGracefulShutdown({ await egress.client.isConnected() }) else { return }
        await workers.run(.begin, at: clock.now)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            group.addTask { await followConnection() }
            group.addTask {
                try? await gracefulShutdown()
                await client.stopReading()
            }
            group.addTask {
                var isFirst = true
                while let batch = await client.nextBatch() {
                    // The messages of a kept session may come before the SUBACK that makes the connection complete.
                    if isFirst, client.state != .connected(sessionPresent: false) { await workers.run(.resume, at: clock.now) }
                    isFirst = false
                    await settle(batch)
                }
                await client.stop()
            }
            try await group.waitForAll()
        }
    }

    private func settle(_ batch: DeliveryBatch) async {
        await workers.process(batch.messages.map(InboundMessage.init), at: clock.now)
        do {
            try await egress.settle(within: settleTimeoutSeconds, clock: clock)
            batch.commit()
        } catch {
            batch.release()
            await status.noteReleasedBatch()
            logger.error(
                "batch released unacknowledged, the broker will deliver it again",
                metadata: ["messages": "\(batch.messages.count)", "reason": "\(error)"])
        }
    }

    private func followConnection() async {
        var hasBeenConnected = false
        for await state in client.stateChanges() {
            switch state {
            case .connected(let sessionPresent):
                if hasBeenConnected, !sessionPresent {
                    logger.warning("the broker has lost our session: what devices sent meanwhile may be gone")
                }
                hasBeenConnected = true
                await status.note(ingress: "connected")
            case .disconnected(let reason): await status.note(ingress: "disconnected: \(reason)")
            case .connecting: await status.note(ingress: "connecting")
            case .stopped: return
            }
        }
    }
}

extension ConnectionState {
    /// Whether the broker has accepted the connection.
    var isConnected: Bool {
        switch self {
        case .connected: true
        case .connecting, .disconnected, .stopped: false
        }
    }
}

extension MosquittoClient {
    /// Waits until the broker has accepted the connection; false when the client stopped, or the task was cancelled, before.
    func isConnected() async -> Bool {
        for await state in stateChanges() {
            switch state {
            case .connected: return true
            case .stopped: return false
            case .connecting, .disconnected: continue
            }
        }
        return false
    }
}

extension InboundMessage {
    /// A message as it was delivered.
    package init(_ message: MQTTMessage) {
        self.init(topic: message.topic, payload: message.payload, retain: message.retain, contentType: message.contentType)
    }
}
