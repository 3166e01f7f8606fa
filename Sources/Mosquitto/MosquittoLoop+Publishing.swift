import CMosquitto
import Logging

extension MosquittoLoop {
    /// Publishes from the outbox as far as the window allows, and writes.
    func publish() {
        guard lifecycle.isReady, let connection else { return }
        while let (sequence, message) = nextMessage() {
            do throws(MosquittoError) {
                let packetID = try connection.publish(message)
                shared.outbox.withOutbox { $0.published(sequence, as: packetID) }
            } catch {
                // Without a connection this is no verdict on the message.
                guard error.code != Int32(MOSQ_ERR_NO_CONN.rawValue) else { break }
                report(shared.outbox.withOutbox { $0.refused(sequence: sequence, error, retryAt: retryTime) })
                break
            }
        }
        guard connection.wantsWrite else { return }
        connection.write()
        attend(to: connection)
    }

    /// Settles what the broker has answered; a failure of MQTT 5 keeps its message waiting.
    func takeReceipts(from connection: MosquittoConnection) {
        let receipts = connection.events.receipts
        guard !receipts.isEmpty else { return }
        connection.events.receipts = []
        let refusals = shared.outbox.withOutbox { outbox in
            receipts.compactMap { packetID, code -> Outbox.Refusal? in
                guard code < 0x80 else { return outbox.refused(packetID, .reasonCode(code), retryAt: retryTime) }
                outbox.accepted(packetID)
                return nil
            }
        }
        for refusal in refusals { report(refusal) }
    }

    private func nextMessage() -> (sequence: UInt64, message: MQTTMessage)? {
        shared.outbox.withOutbox { $0.next(at: .now, window: configuration.publishWindow) }
    }

    private func retryTime(afterAttempts attempts: Int) -> ContinuousClock.Instant {
        .now + configuration.backOff.delay(afterFailures: attempts, using: &generator)
    }

    private func report(_ refusal: Outbox.Refusal?) {
        guard let refusal else { return }
        logger.error(
            "message not accepted, publishing is held up",
            metadata: [LogKey.reason: "\(refusal.error)", LogKey.topic: "\(refusal.topic)"])
    }
}
