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
    /// The reason, with the number it was made from.
    package var description: String {
        let system = errno.map { ", errno \($0)" } ?? ""
        return origin == .client ? reason : "\(reason) (\(origin) \(code)\(system))"
    }
}
