import Foundation
import NIOCore
import NIOSSL

/// Logs in to a server, answers its pings and passes its messages to the requests that wait for them.
final class NatsHandler: ChannelInboundHandler {
    typealias InboundIn = NatsOperation
    typealias OutboundOut = ByteBuffer

    /// What a server says of itself.
    struct Server: Decodable {
        var max_payload: Int
        var tls_required: Bool?
        var headers: Bool?
    }

    private enum Stage { case awaitingServer, loggingIn(Server), ready }

    private let settings: NatsSettings
    private let server: NatsSettings.Server
    private let router: NatsRouter
    /// Succeeds with the largest payload once requests can be made.
    private let ready: EventLoopPromise<Int>
    private var stage = Stage.awaitingServer
    private var lastError: NatsError?

    init(
        _ settings: NatsSettings, _ server: NatsSettings.Server, _ router: NatsRouter, ready: EventLoopPromise<Int>
    ) {
        self.settings = settings
        self.server = server
        self.router = router
        self.ready = ready
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do {
            switch (unwrapInboundIn(data), stage) {
            case (.info(let bytes), .awaitingServer): try logIn(to: bytes, context)
            case (.pong, .loggingIn(let server)):
                stage = .ready
                ready.succeed(server.max_payload)
            case (.message(let message), _): router.receive(message)
            case (.ping, _): write("PONG\r\n", context)
            case (.error(let text), .ready): refuse(NatsError("\(server): \(text)"))
            case (.error(let text), _): throw NatsError("\(server): \(text)")
            case (.info, _), (.pong, _), (.ok, _): break
            }
        } catch {
            errorCaught(context: context, error: error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { end(NatsError("\(server) has closed the connection")) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(error as? NatsError ?? NatsError("\(server): \(error)"))
        context.close(promise: nil)
    }

    /// A request was refused, it is not said which one: none of them can count as carried out. Where the server closes the connection, this
    /// is why.
    private func refuse(_ error: NatsError) {
        lastError = error
        router.fail(error, isEnded: false)
    }

    private func end(_ error: NatsError) {
        let reason = lastError ?? error
        ready.fail(reason)
        router.fail(reason, isEnded: true)
    }

    private func logIn(to bytes: [UInt8], _ context: ChannelHandlerContext) throws {
        guard let info = try? JSONDecoder().decode(Server.self, from: Data(bytes)) else {
            throw NatsError("\(server) is no NATS server")
        }
        if info.tls_required == true, !settings.usesTLS { throw NatsError("\(server) requires TLS") }
        guard info.headers == true else { throw NatsError("\(server) does not support headers") }
        if settings.usesTLS { try context.pipeline.syncOperations.addHandler(encryption(), position: .first) }
        stage = .loggingIn(info)
        let connect = Connect(
            lang: "swift", version: "1", name: settings.name, user: settings.username, pass: settings.password,
            tls_required: settings.usesTLS)
        let text = String(decoding: try JSONEncoder().encode(connect), as: UTF8.self)
        write("CONNECT \(text)\r\nSUB \(router.inbox).* \(NatsRouter.answers)\r\nPING\r\n", context)
    }

    private struct Connect: Encodable {
        let lang: String
        let version: String
        let name: String
        let user: String?
        let pass: String?
        let tls_required: Bool
        var verbose = false
        var pedantic = false
        var headers = true
        var no_responders = true
        var `protocol` = 1
    }

    private func encryption() throws -> NIOSSLClientHandler {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let file = settings.authoritiesFile { configuration.trustRoots = .file(file) }
        // An address has no name to ask for; its certificate is verified all the same.
        let name = (try? SocketAddress(ipAddress: server.host, port: server.port)) == nil ? server.host : nil
        return try NIOSSLClientHandler(context: NIOSSLContext(configuration: configuration), serverHostname: name)
    }

    private func write(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: text)), promise: nil)
    }
}
