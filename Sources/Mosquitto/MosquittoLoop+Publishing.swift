import CMosquitto
import Logging

extension MosquittoLoop {
    /// Publishes from the outbox as far as the window allows, and writes.
    func publish() {
        guard lifecycle.isReady, let connection else { return }
        while let (place, message) = nextMessage() {
            do throws(MosquittoError) {
                let packetID = try connection.publish(message)
                shared.outbox.withOutboxes { $0[place.priority].published(place.sequence, as: packetID) }
            } catch {
                // Without a connection this is not a refusal of the message.
                guard error.code != Int32(MOSQ_ERR_NO_CONN.rawValue) else { break }
                report(
                    shared.outbox.withOutboxes {
                        $0[place.priority].refused(sequence: place.sequence, error, retryAt: retryTime)
                    })
                break
            }
        }
        collectReceipts()
        guard mayWrite(connection) else { return }
        connection.write()
        attend(to: connection)
    }

    /// The broker sends a receipt for each message. They are read together, each being a wake-up otherwise, unless a caller waits for
    /// one, a message of control is under way, so many are outstanding that the window may fill, or the client is about to stop.
    private func collectReceipts() {
        guard !configuration.acknowledges, !lifecycle.isStopping, !shared.outbox.isAwaited else { return receiptsDue = nil }
        let (outstanding, isUrgent) = shared.outbox.withOutboxes { ($0.inFlightCount, $0.awaitsControl) }
        guard !isUrgent, outstanding > 0, outstanding < configuration.publishWindow / 2 else { return receiptsDue = nil }
        if receiptsDue == nil { receiptsDue = .now + Self.receiptPause }
    }

    private static var receiptPause: Duration { .milliseconds(20) }

    /// Processes receipts; a failure of MQTT 5 keeps its message in the outbox.
    func takeReceipts(from connection: MosquittoConnection) {
        let receipts = connection.events.receipts
        guard !receipts.isEmpty else { return }
        connection.events.receipts = []
        let refusals = shared.outbox.withOutboxes { outbox in
            receipts.compactMap { packetID, code -> Outbox.Refusal? in
                guard code < 0x80 else { return outbox.refused(packetID, .reasonCode(code), retryAt: retryTime) }
                outbox.accepted(packetID)
                return nil
            }
        }
        for refusal in refusals { report(refusal) }
    }

    private func nextMessage() -> (place: Outboxes.Place, message: MQTTMessage)? {
        guard configuration.fence.map({ $0.passage != .lost }) ?? true else { return nil }
        return shared.outbox.withOutboxes { [isOpen] in
            $0.next(at: .now, window: configuration.publishWindow, controlOnly: !isOpen)
        }
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
