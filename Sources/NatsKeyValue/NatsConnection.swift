import Dispatch
import NIOCore
import NIOPosix
import Synchronization

/// A connection to one NATS server. Its calls block, and may be made on any thread but those of NIO.
final class NatsConnection: Sendable {
    /// One request.
    struct Request: Sendable {
        var subject: String
        var fields: [(name: String, value: String)] = []
        var payload: [UInt8] = []
    }

    /// The largest payload that the server accepts, the header included.
    let maximumPayload: Int
    private let channel: any Channel
    private let router: NatsRouter
    private let timeoutSeconds: Double
    /// How long a server may take to accept a connection, and to log in, at most, in seconds.
    private static let longestConnecting = 1.5

    /// Connects to `server` and logs in.
    init(_ settings: NatsSettings, to server: NatsSettings.Server) throws(NatsError) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (router, ready) = (NatsRouter(), loop.makePromise(of: Int.self))
        timeoutSeconds = settings.timeoutSeconds
        // Others may wait for this connection.
        let patience = TimeAmount.nanoseconds(Int64(min(settings.timeoutSeconds, Self.longestConnecting) * 1e9))
        self.router = router
        do {
            channel = try ClientBootstrap(group: loop)
                .connectTimeout(patience)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers(
                            ByteToMessageHandler(NatsDecoder()), NatsHandler(settings, server, router, ready: ready))
                    }
                }
                .connect(host: server.host, port: server.port).wait()
        } catch {
            let reason = NatsError("\(server): \(error)")
            ready.fail(reason)
            throw reason
        }
        let late = loop.scheduleTask(in: patience) {
            ready.fail(NatsError("\(server) has not answered in time"))
        }
        do {
            maximumPayload = try ready.futureResult.wait()
            late.cancel()
        } catch {
            channel.close(promise: nil)
            throw error as? NatsError ?? NatsError("\(server): \(error)")
        }
    }

    deinit { channel.close(promise: nil) }

    /// Whether requests can be made.
    var isOpen: Bool { router.failure == nil }

    /// Makes requests, and returns their answers in their order. `whileWaiting` is called several times a second meanwhile. Throws where one
    /// is not answered.
    func answers(to requests: [Request], whileWaiting: () -> Void = {}) throws(NatsError) -> [NatsMessage] {
        guard !requests.isEmpty else { return [] }
        let answers = Answers(count: requests.count)
        var buffer = channel.allocator.buffer(capacity: requests.reduce(0) { $0 + $1.payload.count + 256 })
        var subjects: [String] = []
        defer { subjects.forEach(router.forget) }
        for (index, request) in requests.enumerated() {
            let subject = try router.subject { answer in
                answers.take(answer, at: index)
                return true
            }
            subjects.append(subject)
            buffer.write(request, reply: subject)
        }
        channel.writeAndFlush(buffer, promise: nil)
        return try answers.wait(seconds: timeoutSeconds, whileWaiting)
    }

    /// Makes a request that is answered once, and then by messages on a subject of their own, of which `makeRequest` makes it. Where
    /// `brings` says so of the answer, `receiver` is called with each message until it returns true, on another thread. Throws where a
    /// message is awaited for longer than the timeout.
    func stream(
        _ makeRequest: (_ subject: String) -> Request, brings: (NatsMessage) throws -> Bool,
        to receiver: @escaping @Sendable (NatsMessage) throws -> Bool
    ) throws {
        let progress = StreamProgress()
        let subscription = try router.subscription { [channel] answer in
            guard case .success(let message) = answer, message.status == 100 else {
                return progress.take(answer, receiver)
            }
            // The server asks whether what it has sent has come: it then sends more.
            if let control = message.reply ?? message.fields["Nats-Consumer-Stalled"] {
                var buffer = channel.allocator.buffer(capacity: 64)
                buffer.write(Request(subject: control), reply: nil)
                channel.writeAndFlush(buffer, promise: nil)
            }
            return false
        }
        write("SUB \(subscription.subject) \(subscription.number)\r\n")
        defer {
            write("UNSUB \(subscription.number)\r\n")
            router.forget(subscription: subscription.number)
        }
        guard try brings(answers(to: [makeRequest(subscription.subject)])[0]) else { return }
        try progress.wait(seconds: timeoutSeconds)
    }

    private func write(_ text: String) { channel.writeAndFlush(channel.allocator.buffer(string: text), promise: nil) }

    /// Ends the connection; requests that wait fail.
    func close() { channel.close(promise: nil) }
}

extension ByteBuffer {
    fileprivate mutating func write(_ request: NatsConnection.Request, reply: String?) {
        let target = reply.map { "\(request.subject) \($0)" } ?? request.subject
        if request.fields.isEmpty {
            writeString("PUB \(target) \(request.payload.count)\r\n")
        } else {
            let header = "NATS/1.0\r\n\(request.fields.map { "\($0.name): \($0.value)\r\n" }.joined())\r\n"
            writeString("HPUB \(target) \(header.utf8.count) \(header.utf8.count + request.payload.count)\r\n\(header)")
        }
        writeBytes(request.payload)
        writeString("\r\n")
    }
}
