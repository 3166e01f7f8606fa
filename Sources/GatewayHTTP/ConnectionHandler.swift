import NIOCore
import NIOHTTP1

/// One connection: reads one request within its limits, writes the answer, closes.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Notifies the handler that its event stream has something to do.
    private struct EventsWait: Sendable {}

    private enum State {
        case reading(HTTPRequestHead?)
        case answering(isHead: Bool)
        case streaming(EventStream)
        /// The answer is being written; nothing else is sent.
        case closing
        case closed
    }

    private let limits: HTTPServerLimits
    private let connections: Connections
    private let handler: HTTPServer.Handler
    private var state = State.reading(nil)
    private var deadline: Scheduled<Void>?

    init(limits: HTTPServerLimits, connections: Connections, handler: @escaping HTTPServer.Handler) {
        self.limits = limits
        self.connections = connections
        self.handler = handler
    }

    func handlerAdded(context: ChannelHandlerContext) { closeAfter(limits.requestSeconds, context) }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        if case .streaming(let stream) = state {
            stream.close()
            connections.returnEventStream()
        }
        state = .closed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .reading(let head) = state else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            let methods = ["GET", "HEAD"] + (limits.takesPost ? ["POST"] : [])
            if !methods.contains(head.method.rawValue) {
                var response = HTTPResponse.text(405, "this server answers \(methods.joined(separator: ", ")) only")
                response.headers = [("Allow", methods.joined(separator: ", "))]
                write(response, isHead: false, context)
            } else if head.headers.contains(name: "transfer-encoding")
                || head.headers["content-length"].contains(where: { $0 != "0" })
            {
                write(.text(413, "this server takes no request bodies"), isHead: head.method == .HEAD, context)
            } else {
                state = .reading(head)
            }
        case .body: break
        case .end: if let head { answer(head, context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch state {
        case .reading where error as? HTTPParserError == .headerOverflow:
            write(.text(431, "the header fields are longer than \(limits.headerBytes) bytes"), isHead: false, context)
        case .reading where error is HTTPParserError: write(.text(400, "this is no HTTP request"), isHead: false, context)
        default: context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is EventsWait: writeEvents(context)
        case let event as ChannelEvent where event == .inputClosed: inputClosed(context)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// The client sends nothing more. It gets the answer that is under way; an event stream ends, as a viewer that is gone looks
    /// the same.
    private func inputClosed(_ context: ChannelHandlerContext) {
        switch state {
        case .answering: closeAfter(limits.responseSeconds, context)
        case .closing, .closed: break
        case .reading, .streaming: context.close(promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { writeEvents(context) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let isHead = head.method == .HEAD
        let request: HTTPRequest
        do throws(BadRequest) {
            request = try HTTPRequest(
                method: head.method.rawValue, target: head.uri, fields: head.headers.map { (name: $0.name, value: $0.value) },
                isHTTP10: head.version == .http1_0)
        } catch {
            return write(.text(400, error.reason), isHead: isHead, context)
        }
        deadline?.cancel()
        state = .answering(isHead: isHead)
        connections.note(.answering, of: context.channel)
        switch handler(request) {
        case .response(let response): respond(response, context)
        case .task(let response):
            context.eventLoop.makeFutureWithTask(response).assumeIsolated().whenSuccess { response in
                self.respond(response, context)
            }
        }
    }

    private func respond(_ response: HTTPResponse, _ context: ChannelHandlerContext) {
        guard case .answering(let isHead) = state else {
            if case .events(let stream) = response.body { stream.close() }
            return
        }
        guard case .events(let stream) = response.body, !isHead else { return write(response, isHead: isHead, context) }
        guard connections.takeEventStream() else {
            stream.close()
            return write(.text(503, "too many viewers: at most \(limits.eventStreams)"), isHead: isHead, context)
        }
        state = .streaming(stream)
        context.writeAndFlush(wrapOutboundOut(.head(head(of: response, length: nil))), promise: nil)
        let channel = context.channel
        stream.attach { channel.pipeline.fireUserInboundEventTriggered(EventsWait()) }
        writeEvents(context)
    }

    private func writeEvents(_ context: ChannelHandlerContext) {
        guard case .streaming(let stream) = state else { return }
        var hasWritten = false
        while context.channel.isWritable {
            switch stream.next() {
            case .write(let bytes):
                hasWritten = true
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
                continue
            case .wait: if hasWritten { context.flush() }
            case .finish: finish(context)
            case .cut: context.close(promise: nil)
            }
            return
        }
        if stream.wasCut { context.close(promise: nil) } else if hasWritten { context.flush() }
    }

    private func write(_ response: HTTPResponse, isHead: Bool, _ context: ChannelHandlerContext) {
        state = .closing
        var bytes: [UInt8] = []
        switch response.body {
        case .bytes(let all): bytes = all
        case .events(let stream): stream.close()
        }
        context.write(wrapOutboundOut(.head(head(of: response, length: bytes.count))), promise: nil)
        if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil) }
        finish(context)
    }

    private func finish(_ context: ChannelHandlerContext) {
        connections.note(.sending, of: context.channel)
        closeAfter(limits.responseSeconds, context)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }

    private func head(of response: HTTPResponse, length: Int?) -> HTTPResponseHead {
        var headers = HTTPHeaders([
            ("Content-Type", response.contentType), ("Connection", "close"), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        ])
        if let length { headers.add(name: "Content-Length", value: "\(length)") }
        for (name, value) in response.headers { headers.add(name: name, value: value) }
        return HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
    }

    private func closeAfter(_ seconds: Double, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) { channel.close(promise: nil) }
    }
}
