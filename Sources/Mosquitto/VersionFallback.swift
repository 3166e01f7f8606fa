import Glibc

/// The protocol version of a client's next attempt to connect: MQTT 3.1.1 after the broker has refused MQTT 5; a pure value.
///
/// Some brokers refuse with CONNACK, others close the connection or stay silent, as a broker does that is being restarted. So after
/// silence 3.1.1 counts only if MQTT 5 fails once more behind it. The version of the first connection stays.
struct VersionFallback {
    /// What a connection that was accepted is used for.
    enum Verdict: Equatable {
        /// It is the client's connection.
        case use
        /// It is dropped, and MQTT 5 is tried once more.
        case tryAgain
    }

    private enum Stage {
        case first
        /// Silence on MQTT 5: this attempt is 3.1.1.
        case doubtful
        /// 3.1.1 was accepted behind the silence: this attempt is MQTT 5 again.
        case verifying
        case settled
    }

    /// The version of the next attempt.
    private(set) var version: MosquittoConfiguration.ProtocolVersion
    private var stage: Stage

    /// Whether the attempts until now have not shown yet which version the broker accepts.
    var isChoosing: Bool { stage == .doubtful || stage == .verifying }

    /// With MQTT 3.1.1 configured nothing else is tried.
    init(_ configured: MosquittoConfiguration.ProtocolVersion) {
        version = configured
        stage = configured == .v5 ? .first : .settled
    }

    /// The broker has accepted the connection.
    mutating func accepted() -> Verdict {
        guard stage == .doubtful else {
            stage = .settled
            return .use
        }
        (version, stage) = (.v5, .verifying)
        return .tryAgain
    }

    /// The attempt has failed; true when the broker is now known to refuse MQTT 5.
    mutating func failed(_ reason: DisconnectReason) -> Bool {
        guard stage != .settled else { return false }
        let isRefused = version == .v5 && reason.isVersionRefused
        if isRefused || stage == .verifying && reason.isSilence {
            (version, stage) = (.v311, .settled)
            return true
        }
        (version, stage) = stage == .first && reason.isSilence ? (.v311, .doubtful) : (.v5, .first)
        return false
    }
}

extension DisconnectReason {
    /// Whether CONNACK names the version as the reason.
    fileprivate var isVersionRefused: Bool {
        guard case .refused(let error, _) = self else { return false }
        return error.origin == .reasonCode && error.code == 0x84
    }

    /// Whether the broker has closed the connection, or said nothing, in place of CONNACK.
    fileprivate var isSilence: Bool {
        switch self {
        case .timedOut: true
        case .connectFailed(let error), .lost(let error): error.isClosed || error.errno == ECONNRESET
        case .refused, .subscriptionRefused, .closedByBroker, .sessionTakenOver, .lostRepeatedly, .batchReleased, .silent: false
        }
    }
}
