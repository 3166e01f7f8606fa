/// Which broker a client's attempts to connect go to, and with which protocol version.
struct BrokerChoice {
    private let brokers: BrokerList
    /// For each broker: silence says something about one broker alone.
    private var versions: [VersionFallback]
    private var index = 0

    init(_ configuration: MosquittoConfiguration) {
        brokers = configuration.brokers
        versions = brokers.addresses.map { _ in VersionFallback(configuration.version) }
    }

    /// The broker of the attempt.
    var broker: BrokerAddress { brokers.addresses[index] }

    /// The protocol version of the attempt.
    var version: MosquittoConfiguration.ProtocolVersion { versions[index].version }

    /// Whether the attempts until now have not shown yet which version the broker accepts.
    var isChoosing: Bool { versions[index].isChoosing }

    /// Chooses the broker of the next attempt.
    mutating func begin() { index = brokers.current }

    /// The broker has accepted the connection.
    mutating func accepted() -> VersionFallback.Verdict { versions[index].accepted() }

    /// The attempt or the connection has ended; true when the broker is now known to refuse MQTT 5.
    ///
    /// The next attempt is made at the next broker, unless the reason is none of the broker's, or it has answered MQTT 5 with an end.
    mutating func failed(_ reason: DisconnectReason) -> Bool {
        let before = version
        let isRefused = versions[index].failed(reason)
        let triesOlder = before == .v5 && version == .v311 && reason != .timedOut
        if !triesOlder, reason.isOfBroker { brokers.leave(index) }
        // What one broker of a cluster refuses the others refuse.
        if isRefused { versions = versions.map { [index] _ in versions[index] } }
        return isRefused
    }
}

extension DisconnectReason {
    /// Whether another broker may do better.
    fileprivate var isOfBroker: Bool {
        switch self {
        case .sessionTakenOver, .batchReleased: false
        case .connectFailed, .timedOut, .refused, .subscriptionRefused, .lost, .lostRepeatedly, .closedByBroker, .silent: true
        }
    }
}
