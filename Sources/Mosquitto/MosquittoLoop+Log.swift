import Logging

extension MosquittoLoop {
    /// Logs that the connection is established.
    func log(connectedWithSession sessionPresent: Bool) {
        let place: Logger.Metadata = [LogKey.broker: "\(broker)", LogKey.sessionPresent: "\(sessionPresent)"]
        switch configuration.brokers.log.connected(configuration.clientID, at: .now) {
        case .first: logger.info("connected", metadata: place)
        case .again: logger.debug("connected again", metadata: place)
        case .all(let connections, let seconds):
            logger.notice(
                "connected again", metadata: place.merging([LogKey.count: "\(connections)", LogKey.seconds: "\(seconds)"]) { $1 })
        }
    }

    /// Logs that the connection is lost, or could not be made.
    func log(_ reason: DisconnectReason) {
        let retry = lifecycle.nextDeadline.map { ($0 - .now) / .seconds(1) }
        var metadata: Logger.Metadata = [
            LogKey.broker: "\(broker)", LogKey.reason: "\(reason)",
            LogKey.retrySeconds: "\(retry.map { "\(($0 * 100).rounded() / 100)" } ?? "never")",
        ]
        if logger.logLevel <= .debug, let numbers = reason.error?.numbers { metadata[LogKey.numbers] = "\(numbers)" }
        let isNews = configuration.brokers.log.lost(configuration.clientID, because: reason.kind, at: .now)
        logger.log(level: isNews ? .warning : .debug, "disconnected", metadata: metadata)
    }
}
