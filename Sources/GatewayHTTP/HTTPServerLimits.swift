/// What a client may use of a server.
package struct HTTPServerLimits: Sendable, Equatable {
    /// Bytes of the request's target and header fields together.
    package var headerBytes = 8_192

    /// Connections at one time; a further one takes the place of a client that does not send or does not read (`Connections`), and is closed at
    /// once where there is none.
    package var connections = 128

    /// Event streams at one time; further ones are answered with 503.
    package var eventStreams = 64

    /// Seconds from the connection to the end of the request; then the connection is closed.
    package var requestSeconds = 10.0

    /// Seconds to receive a response other than an event stream; then the connection is closed. So long waits a client, too, that
    /// sends nothing more while its answer is made.
    package var responseSeconds = 30.0

    /// Whether POST is answered, without a body; its parameters are in the query.
    package var takesPost = false

    /// Creates the defaults.
    package init() {}
}

/// Why a server could not start.
package struct HTTPServerError: Error, Equatable, CustomStringConvertible {
    /// The address that it was to listen on.
    package let host: String

    /// The port that it was to listen on.
    package let port: Int

    /// The system's reason.
    package let reason: String

    package var description: String { "cannot listen on \(host):\(port): \(reason)" }
}
