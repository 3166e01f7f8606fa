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
