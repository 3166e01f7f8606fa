import Glibc
package import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A small HTTP/1.1 server for GET and HEAD, and POST where its limits say so: one request a connection, no request bodies, bounded in every direction.
package final class HTTPServer: Sendable {
    /// Answers a request, on the server's own thread: it must not block. Tasks run concurrently.
    package typealias Handler = @Sendable (HTTPRequest) -> HTTPAnswer

    private let host: String
    private let port: Int
    private let limits: HTTPServerLimits
    private let logger: Logger
    private let handler: Handler
    private let connections: Connections
    private let listener = Mutex<(any Channel)?>(nil)

    /// Creates a server; `port` 0 lets the system choose a free one.
    package init(
        host: String, port: Int, limits: HTTPServerLimits = HTTPServerLimits(), logger: Logger, handler: @escaping Handler
    ) {
        self.host = host
        self.port = port
        self.limits = limits
        self.logger = logger
        self.handler = handler
        connections = Connections(limits: limits)
    }

    /// Listens, and returns the port. Throws `HTTPServerError` when the address cannot be used.
    package func start() async throws -> Int {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .serverChannelOption(.backlog, value: 128)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.so_sndbuf), value: 128 * 1_024)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [limits, connections, handler, logger] channel in
                guard connections.add(channel) else {
                    logger.debug("HTTP connection closed: too many", metadata: ["limit": "\(limits.connections)"])
                    return channel.close()
                }
                return channel.eventLoop.makeCompletedFuture {
                    var decoding = NIOHTTPDecoderLimitConfiguration()
                    decoding.maxHeaderFieldSize = limits.headerBytes
                    decoding.maxHeaderListSize = limits.headerBytes
                    decoding.maxHeaderFieldCount = 64
                    var encoding = HTTPResponseEncoder.Configuration()
                    encoding.automaticallySetFramingHeaders = false
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(HTTPResponseEncoder(configuration: encoding))
                    // After a request that asks for another protocol the decoder parses nothing more, and keeps what comes.
                    try pipeline.addHandler(
                        ByteToMessageHandler(
                            HTTPRequestDecoder(limitConfiguration: decoding), maximumBufferSize: 2 * limits.headerBytes))
                    try pipeline.addHandler(ConnectionHandler(limits: limits, connections: connections, handler: handler))
                }
            }
        let channel: any Channel
        do {
            channel = try await bootstrap.bind(host: host, port: port).get()
        } catch {
            throw HTTPServerError(host: host, port: port, reason: Self.reason(error))
        }
        listener.withLock { $0 = channel }
        return channel.localAddress?.port ?? port
    }

    /// Stops listening and closes every connection.
    package func stop() async {
        let channel = listener.withLock { exchange(&$0, with: nil) }
        try? await channel?.close()
        await connections.stop()
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        switch error.errnoCode {
        case EADDRINUSE: return "another process uses this address and port"
        case EADDRNOTAVAIL: return "this machine has no such address"
        case EACCES: return "no permission to use this port"
        default: return String(cString: strerror(error.errnoCode))
        }
    }
}
