import Logging

extension MosquittoLoop {
    /// Reads until the socket has no more data or a limit of the batch is reached; returns whether it has no more.
    func readBatch(from connection: MosquittoConnection) -> Bool {
        let deadline = MonotonicInstant.now + batchDuration
        var before: Int
        repeat {
            before = connection.events.deliveryCount
            // One call reads as many packets as are in flight outwards, and at least one.
            connection.read()
            // UNSUBSCRIBE and SUBSCRIBE have to be queued ahead of the acknowledgements of what a kept session sends behind CONNACK.
            if connection.events.answer != nil, !connection.isEstablished { return false }
            guard connection.endReason == nil, connection.events.messages.count < batchLimit, MonotonicInstant.now < deadline
            else { return false }
            // The next call finds out whether there is more: to ask the socket first would be a system call for each message.
        } while connection.events.deliveryCount > before || connection.hasInput
        return true
    }

    /// Hands over what was read; from here on nothing is written until the handler releases the acknowledgements.
    func deliver(from connection: MosquittoConnection) {
        let messages = connection.events.messages
        guard !messages.isEmpty else { return }
        connection.events.messages = []
        // After the end of a connection the broker delivers them again.
        guard self.connection === connection else { return }
        guard let handler else {
            return logger.warning("messages of an old subscription ignored", metadata: [LogKey.count: "\(messages.count)"])
        }
        shared.count { $0.messagesRead += messages.count }
        heldSince = heldSince ?? .now
        do { try handler.receive(messages) } catch { fail(error) }
    }

    /// Calls the handler's review, and carries out its decision about acknowledgements.
    func review() {
        guard let handler, ending == nil else { return }
        do {
            decision = try handler.review(isStopping: lifecycle.isStopping)
        } catch {
            return fail(error)
        }
        guard let since = heldSince else { return }
        switch decision.acknowledgements {
        case .hold: break
        case .write:
            heldSince = nil
            lifecycle.wasHeld(for: .now - since)
            shared.count { $0.batchesCommitted += 1 }
            // The broker may have waited for them.
            messagesDue = .now
            guard let connection else { return }
            connection.write()
            attend(to: connection)
        case .release: release()
        }
    }

    /// Releases every message that is not acknowledged.
    func release() {
        shared.count { $0.batchesReleased += 1 }
        handle(.ended(.batchReleased))
    }

    private func fail(_ error: any Error) {
        close()
        ending = .failed(error)
    }
}

extension MosquittoLoop {
    /// Publishes from the outbox as far as the window allows, but no more than `limit` messages, and writes. Returns whether it is known that
    /// none is left that might be published.
    @discardableResult
    func publish(atMost limit: Int = .max) -> Bool {
        guard lifecycle.isReady, let connection else { return true }
        var (count, isEmpty) = (0, false)
        // A message that is taken has to be published: of a refused topic it counts as under way.
        while count < limit {
            guard let (place, message) = nextMessage() else {
                isEmpty = true
                break
            }
            guard publish(message, at: place, through: connection) else { break }
            count += 1
        }
        if mayWrite(connection) {
            connection.write(inOneSegment: count != 1)
            takeReceipts(from: connection)
        }
        return isEmpty
    }

    /// Publishes one message; returns whether the next may follow.
    private func publish(_ message: MQTTMessage, at place: Outboxes.Place, through connection: MosquittoConnection) -> Bool {
        do throws(MosquittoError) {
            let packetID = try connection.publish(message)
            shared.outbox.withOutboxes { $0.published(message, at: place, as: packetID, at: .now) }
            return true
        } catch {
            // Without a connection this is not a refusal of the message.
            guard !error.isOfConnection else { return false }
            report(shared.outbox.withOutboxes { $0.refused(place, error, at: .now) })
            return true
        }
    }

    /// Whether receipts may stay in the socket at `now`. The broker sends one for each message. They are read together at `receiptsDue`,
    /// each being a wake-up otherwise, unless a caller waits for one, `Outboxes.needsReceipts`, or the client is about to stop.
    func collectsReceipts(at now: MonotonicInstant) -> Bool {
        guard !acknowledges, receiptsDue > now, !lifecycle.isStopping, !shared.outbox.isAwaited else {
            return false
        }
        return !shared.outbox.withOutboxes { $0.needsReceipts }
    }

    /// How long receipts are collected.
    static var receiptPause: Duration { .milliseconds(20) }

    /// Processes receipts; a message that the broker refuses is set apart.
    func takeReceipts(from connection: MosquittoConnection) {
        let receipts = connection.events.receipts
        guard !receipts.isEmpty else { return }
        connection.events.receipts = []
        let now = MonotonicInstant.now
        let refusals = shared.outbox.withOutboxes { outbox in
            receipts.compactMap { packetID, code -> RefusedTopics.News? in
                guard code < 0x80 else { return outbox.refused(packetID, .reasonCode(code), at: now) }
                outbox.accepted(packetID, at: now)
                return nil
            }
        }
        for refusal in refusals { report(refusal) }
    }

    private func nextMessage() -> (place: Outboxes.Place, message: MQTTMessage)? {
        guard fence.map({ $0.passage != .lost }) ?? true else { return nil }
        return shared.outbox.next(controlOnly: !isOpen)
    }

    /// Where somebody keeps refused messages, that one reports them too.
    private func report(_ news: RefusedTopics.News?) {
        guard let news else { return }
        logger.error(
            "the broker refuses a message: those of its topic wait",
            metadata: [LogKey.reason: "\(news.error)", LogKey.topic: "\(news.topic)"])
    }
}
