/// The state of a client between starting and stopping.
package enum ConnectionState: Sendable, Equatable {
    /// Opening the socket, or waiting for CONNACK or SUBACK; also between attempts that find out which protocol version the broker accepts.
    case connecting

    /// Accepted by the broker, every subscription granted. Without `sessionPresent` the broker has lost, or never had, the
    /// session: messages sent meanwhile are lost.
    case connected(sessionPresent: Bool)

    /// Waiting to connect again.
    case disconnected(DisconnectReason)

    /// Ended for good.
    case stopped
}

/// Why a connection ended or was not established.
package enum DisconnectReason: Sendable, Equatable {
    /// The name was not resolved, or TCP or TLS failed.
    case connectFailed(MosquittoError)

    /// CONNACK or SUBACK did not come within the connect time-out.
    case timedOut

    /// The broker answered CONNECT with a failure; with what to change where it refused the account.
    case refused(MosquittoError, advice: String? = nil)

    /// A filter was refused, or granted with a lower quality of service than requested.
    case subscriptionRefused(MosquittoConfiguration.Subscription, MosquittoError)

    /// The socket was closed or failed, or the peer stopped responding.
    case lost(MosquittoError)

    /// The broker sent DISCONNECT with this reason.
    case closedByBroker(MosquittoError)

    /// Another client connected with our client identifier; some brokers report it, on MQTT 5 only.
    case sessionTakenOver

    /// Like `lost`, several times in a row soon after connecting. A broker that reports no takeover closes the connection so.
    case lostRepeatedly(MosquittoError)

    /// A batch was released: the socket was dropped so that the broker delivers it again.
    case batchReleased

    /// The owner dropped the connection: it delivered nothing for too long.
    case silent
}

extension DisconnectReason {
    /// Whether an established connection was ended by the broker, or broke: what was in flight may be why.
    var isByPeer: Bool {
        switch self {
        case .lost, .lostRepeatedly, .closedByBroker: true
        case .connectFailed, .timedOut, .refused, .subscriptionRefused, .sessionTakenOver, .batchReleased, .silent: false
        }
    }
}

extension DisconnectReason {
    /// What is one reason in a log: connections that break at one time break with several errors.
    var kind: String {
        switch self {
        case .lost, .closedByBroker: "lost"
        default: description
        }
    }

    /// The error behind it; nil where there is none.
    var error: MosquittoError? {
        switch self {
        case .connectFailed(let error), .refused(let error, _), .subscriptionRefused(_, let error), .lost(let error),
            .closedByBroker(let error),
            .lostRepeatedly(let error):
            error
        case .timedOut, .sessionTakenOver, .batchReleased, .silent: nil
        }
    }
}

extension DisconnectReason: CustomStringConvertible {
    /// The reason, for logs and the status.
    package var description: String {
        switch self {
        case .connectFailed(let error): "cannot connect: \(error)"
        case .timedOut: "the broker did not respond in time"
        case .refused(let error, let advice): "refused: \(error)" + (advice.map { "; \($0)" } ?? "")
        case .subscriptionRefused(let subscription, let error):
            "subscription to \(subscription.filter) refused: \(error)" + (subscription.adviceIfRefused.map { "; \($0)" } ?? "")
        case .lost(let error): "lost: \(error)"
        case .closedByBroker(let error): "closed by the broker: \(error)"
        case .sessionTakenOver: "another client uses this client id, which may be the account"
        case .lostRepeatedly(let error):
            // The cause first: a terminal cuts the end.
            "perhaps another client uses this client id, which may be the account: lost repeatedly, soon after connecting (\(error))"
        case .batchReleased: "a batch was released"
        case .silent: "connected, but nothing is delivered"
        }
    }
}
