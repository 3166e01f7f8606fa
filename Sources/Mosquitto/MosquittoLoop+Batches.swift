import Logging

extension MosquittoLoop {
    /// Reads until the socket is dry or a limit of the batch is reached.
    func readBatch(from connection: MosquittoConnection) {
        let deadline = ContinuousClock.now + .milliseconds(configuration.batchMilliseconds)
        repeat {
            // One call reads as many packets as are in flight outwards, and at least one.
            connection.read()
            // SUBSCRIBE has to be queued ahead of the acknowledgements of what a kept session sends right behind CONNACK.
            if connection.events.answer != nil, !connection.isEstablished { return }
        } while connection.endReason == nil
            && connection.events.messages.count < configuration.batchLimit
            && ContinuousClock.now < deadline
            && connection.hasInput
    }

    /// Hands over what was read and carries out the settlement; in between the connection is not touched.
    func handOver(from connection: MosquittoConnection) {
        let messages = connection.events.messages
        let isHeldOver = heldUntil.map { $0 <= .now } ?? false
        guard !messages.isEmpty || isHeldOver else { return }
        connection.events.messages = []
        // Of a connection that has ended the broker delivers them again.
        guard self.connection === connection else { return }
        guard !configuration.subscriptions.isEmpty else {
            return logger.warning("messages of an old subscription ignored", metadata: [LogKey.count: "\(messages.count)"])
        }
        shared.count { $0.messagesRead += messages.count }
        let opened = ContinuousClock.now
        shared.mailbox.offer(messages)
        let settlement = awaitSettlement()
        lifecycle.wasHeld(for: opened.duration(to: .now))
        switch settlement {
        case .commit:
            heldUntil = nil
            shared.count { $0.batchesCommitted += 1 }
            connection.write()
            attend(to: connection)
        case .hold(let deadline):
            heldUntil = min(heldUntil ?? deadline, deadline)
        case .release:
            shared.count { $0.batchesReleased += 1 }
            handle(.ended(.batchReleased))
        }
    }

    private func awaitSettlement() -> DeliveryBatch.Settlement {
        while true {
            if let settlement = shared.mailbox.takeSettlement() { return settlement }
            obeyRequests()
            guard self.connection != nil else { break }
            let left = lifecycle.stopDeadline.map { ContinuousClock.now.duration(to: $0) / .milliseconds(1) }
            if let left, left <= 0 { break }
            let milliseconds = left.map { Int32(clamping: Int64($0.rounded(.up))) } ?? -1
            _ = shared.wakeUp.wait(socket: -1, forReading: false, forWriting: false, milliseconds: milliseconds)
        }
        shared.mailbox.withdraw()
        return .release
    }
}
