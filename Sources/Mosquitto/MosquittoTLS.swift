/// The certificates of a connection; the broker's certificate and name are always verified.
package struct MosquittoTLS: Sendable, Equatable {
    /// The oldest TLS version accepted.
    package enum Version: Sendable {
        case v12
        case v13
    }

    /// The path of the PEM file with the authorities the broker's certificate must chain to.
    package var caFile: String

    /// The path of our PEM certificate chain; nil when the broker requires none.
    package var certificateFile: String?

    /// The path of the unencrypted PEM key of `certificateFile`.
    package var keyFile: String?

    /// The oldest version accepted.
    package var minimumVersion: Version

    /// Creates a set of certificates. The files are read again at every connection, so they can be renewed in place.
    package init(
        caFile: String,
        certificateFile: String? = nil,
        keyFile: String? = nil,
        minimumVersion: Version = .v12
    ) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.minimumVersion = minimumVersion
    }
}
