import CMosquitto
import Glibc

/// A failure of libmosquitto, of the broker or of the connection between them.
package struct MosquittoError: Error, Sendable, Equatable {
    /// Where `code` comes from, which says how to read it.
    package enum Origin: Sendable {
        /// A `MOSQ_ERR_*` value of the library.
        case library
        /// A return code of a 3.1.1 CONNACK or SUBACK.
        case returnCode
        /// A reason code of MQTT 5.
        case reasonCode
        /// This module; `code` is 0.
        case client
    }

    /// Who reported the failure.
    package var origin: Origin

    /// The number reported, in the numbering of `origin`.
    package var code: Int32

    /// The failure in words; never holds a payload or a password.
    package var reason: String

    /// The system's error number, when the failure came from the system.
    package var errno: Int32?

    /// Whether trying again later, with the same configuration, can succeed.
    package var isRetriable: Bool

    /// Creates an error.
    package init(origin: Origin, code: Int32 = 0, reason: String, errno: Int32? = nil, isRetriable: Bool = true) {
        self.origin = origin
        self.code = code
        self.reason = reason
        self.errno = errno
        self.isRetriable = isRetriable
    }
}

extension MosquittoError: CustomStringConvertible {
    /// The reason, with the code that a broker gave.
    package var description: String {
        switch origin {
        case .library, .client: reason
        case .returnCode, .reasonCode: "\(reason) (\(origin) \(code))"
        }
    }

    /// The numbers of the library and the system, for a log that is read by who looks for a fault; nil where there are none.
    var numbers: String? {
        guard origin == .library else { return nil }
        return "library \(code)" + (errno.map { ", errno \($0)" } ?? "")
    }
}

extension MosquittoError {
    /// The error of a `MOSQ_ERR_*` value, with `detail` where the library logged more than it returned.
    static func library(_ code: Int32, errno: Int32, detail: String? = nil) -> MosquittoError {
        let isSystem = code == Int32(MOSQ_ERR_ERRNO.rawValue)
        // mosquitto_strerror gives the text of the calling thread's errno for MOSQ_ERR_ERRNO, which may have changed by now.
        let text = isSystem ? unsafe String(cString: strerror(errno)) : unsafe String(cString: mosquitto_strerror(code))
        return MosquittoError(
            origin: .library,
            code: code,
            reason: detail.map { "\(text) \($0)" } ?? text,
            errno: isSystem ? errno : nil,
            isRetriable: !isMistake(code)
        )
    }

    /// The error of a reason code of MQTT 5, 0x80 and above.
    static func reasonCode(_ code: Int32) -> MosquittoError {
        MosquittoError(origin: .reasonCode, code: code, reason: unsafe String(cString: mosquitto_reason_string(code)))
    }

    /// The error of a CONNACK return code of 3.1.1, 1 to 5.
    static func returnCode(_ code: Int32) -> MosquittoError {
        MosquittoError(origin: .returnCode, code: code, reason: unsafe String(cString: mosquitto_connack_string(code)))
    }

    /// Whether the peer has closed the connection.
    var isClosed: Bool { origin == .library && code == Int32(MOSQ_ERR_CONN_LOST.rawValue) }

    /// The error of a message after which the broker closes the connection again and again.
    package static let closedByPeer = MosquittoError(
        origin: .client, reason: "the broker closes the connection when the message is published")

    /// The error of a message that is larger than the broker accepts, by its CONNACK.
    static func oversize(_ bytes: Int, limit: UInt32) -> MosquittoError {
        MosquittoError(
            origin: .library, code: Int32(MOSQ_ERR_OVERSIZE_PACKET.rawValue),
            reason: "the packet of \(bytes) bytes is larger than the \(limit) bytes that the broker accepts")
    }

    /// Whether a call failed for want of a connection.
    var isOfConnection: Bool {
        origin == .library && [MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST, MOSQ_ERR_ERRNO].contains { code == Int32($0.rawValue) }
    }

    /// Whether a PUBLISH is too large for the broker.
    package var isTooLarge: Bool {
        origin == .reasonCode && code == 0x95 || origin == .library && code == Int32(MOSQ_ERR_OVERSIZE_PACKET.rawValue)
            || origin == .library && code == Int32(MOSQ_ERR_PAYLOAD_SIZE.rawValue)
    }

    /// Whether a PUBLISH is refused for its topic name.
    package var isTopicInvalid: Bool {
        origin == .reasonCode && code == 0x90
            || origin == .library && [MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8].contains { code == Int32($0.rawValue) }
    }

    /// Whether a refused PUBLISH says nothing of others on its topic.
    var isOfMessage: Bool { isTooLarge || origin == .reasonCode && code == 0x99 }

    /// Whether the broker may accept the same PUBLISH a moment later.
    var mayChange: Bool { !isOfMessage && !isTopicInvalid }

    /// Whether CONNACK refused the account: bad user name or password, not authorized, or banned.
    var isAccountRefused: Bool {
        switch origin {
        case .reasonCode: [0x86, 0x87, 0x8A, 0x8C].contains(code)
        case .returnCode: code == 4 || code == 5
        case .library, .client: false
        }
    }

    /// The error of a SUBACK that failed or granted less than requested.
    static func grant(_ code: Int32, _ version: MosquittoConfiguration.ProtocolVersion) -> MosquittoError {
        guard code >= 0x80 else { return MosquittoError(origin: .client, reason: "only QoS \(code) was granted") }
        guard version == .v311 else { return .reasonCode(code) }
        return MosquittoError(origin: .returnCode, code: code, reason: "the subscription was refused")
    }

    /// Whether a value can only come from wrong arguments, such as a certificate file that cannot be read.
    private static func isMistake(_ code: Int32) -> Bool {
        [MOSQ_ERR_INVAL, MOSQ_ERR_NOT_SUPPORTED, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_NOT_FOUND].contains {
            code == Int32($0.rawValue)
        }
    }
}
