import GatewayPipeline
import GatewayRuntime
import Mosquitto

/// Publishes frames one after another, each when the broker has accepted the one before.
struct DeadLetterPublisher {
    /// The broker did not accept a frame.
    struct Failure: Error {
        /// Why the frame was not accepted.
        var reason: String
        /// How many frames were not published.
        var left: Int
    }

    let client: MosquittoClient
    let timeoutSeconds: Double

    /// Publishes `frames` and calls `onReceipt` with the name of each that the broker has accepted. Throws `Failure` when it does not
    /// accept one in time, and what `onReceipt` throws.
    func run(
        _ frames: [(name: String, message: RecordedMessage)], onReceipt: (String) throws(GatewayError) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [client] in try await client.run() }
            do {
                try await connect(frames.count)
                for (index, frame) in frames.enumerated() {
                    do {
                        try await publish(frame.message)
                    } catch {
                        throw Failure(reason: "\(error)", left: frames.count - index)
                    }
                    try onReceipt(frame.name)
                }
            } catch {
                group.cancelAll()
                throw error
            }
            await client.stop()
            try await group.waitForAll()
        }
    }

    /// Not retained, whatever the frame was: one that was set aside long ago must not replace a newer retained message.
    private func publish(_ recorded: RecordedMessage) async throws {
        let message = recorded.message
        let ticket = client.enqueue([
            MQTTMessage(
                topic: message.topic, payload: message.payload, qos: .atLeastOnce, retain: false,
                contentType: message.contentType)
        ])
        try await Egress(client: client, priority: .normal)
            .settle(ticket, within: timeoutSeconds, clock: SystemGatewayClock())
    }

    /// Connects; the first failed attempt is an error, as the command is interactive.
    private func connect(_ count: Int) async throws {
        guard count > 0 else { return }
        for await state in client.stateChanges() {
            switch state {
            case .connecting: continue
            case .connected: return
            case .disconnected(let reason): throw Failure(reason: "\(reason)", left: count)
            case .stopped: throw Failure(reason: "the client stopped", left: count)
            }
        }
        try Task.checkCancellation()
    }
}
