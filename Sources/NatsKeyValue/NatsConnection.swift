import CNats
import Glibc

/// A connection to one NATS server, made by libnats. Its calls block, and may be made on any thread, one after the other.
///
/// The thread that waits reads the socket itself, as an event loop of libnats, and only while there is no message that it can take. A
/// thread of libnats would read whatever a server sends, and keep it.
///
/// `@unchecked Sendable`: one call is made at a time.
@safe
final class NatsConnection: @unchecked Sendable {
    /// One request.
    struct Request: Sendable {
        var subject: String
        var fields: [(name: String, value: String)] = []
        var payload: [UInt8] = []
    }

    /// The largest payload that the server accepts, the header included.
    let maximumPayload: Int
    private let connection: OpaquePointer
    private let server: NatsSettings.Server
    private let timeoutSeconds: Double
    private let interruption: Interruption
    /// The socket, as libnats names it.
    private let socket: UnsafeMutablePointer<natsSock>
    /// How many bytes have come since the last message.
    private var unreadBytes = 0
    /// How long a server may take to accept a connection, and to log in, at most, in seconds.
    private static let longestConnecting = 1.5
    /// How often a thread that waits calls what it has to call meanwhile, in ms.
    private static let pauseMilliseconds = 100.0
    /// How many bytes are read at a time.
    private static let bufferBytes: Int32 = 65_536
    /// The most bytes that a server may send without a message: four times what a message of a bucket has.
    private static let mostUnreadBytes = 4 << 20
    /// How many bytes may wait to be written while more requests are made.
    private static let mostUnwrittenBytes: Int32 = 1 << 20

    /// Connects to `server` and logs in. Calls end with an error once `interruption` is set.
    init(
        _ settings: NatsSettings, to server: NatsSettings.Server, interruption: Interruption = Interruption()
    ) throws(NatsError) {
        self.server = server
        self.interruption = interruption
        timeoutSeconds = settings.timeoutSeconds
        let socket = UnsafeMutablePointer<natsSock>.allocate(capacity: 1)
        unsafe socket.initialize(to: -1)
        unsafe self.socket = socket
        do throws(NatsError) {
            if interruption.isSet { throw Interruption.error }
            unsafe connection = try Self.connect(settings, server, socket)
        } catch {
            unsafe socket.deallocate()
            throw error
        }
        Self.limitSilence(of: unsafe socket.pointee, to: settings.timeoutSeconds)
        maximumPayload = Int(unsafe natsConnection_GetMaxPayload(connection))
    }

    private static func connect(
        _ settings: NatsSettings, _ server: NatsSettings.Server, _ socket: UnsafeMutablePointer<natsSock>
    ) throws(NatsError) -> OpaquePointer {
        let options = unsafe try options(settings, server, socket)
        defer { unsafe natsOptions_Destroy(options) }
        var connection: OpaquePointer?
        let status = unsafe natsConnection_Connect(&connection, options)
        // The library begins TLS where the server requires it, without an authority that it trusts.
        if status == NATS_SSL_ERROR, !settings.usesTLS { throw NatsError("\(server) requires TLS") }
        try check(status, server)
        // There is one where the library reports no error.
        guard let connection = unsafe connection else { throw NatsError("\(server): no connection") }
        return unsafe connection
    }

    /// Has the system end a connection whose peer is gone for so long: the library reads on without a limit of time.
    private static func limitSilence(of socket: natsSock, to seconds: Double) {
        let whole = CInt(max(1, seconds.rounded(.up)))
        let values: [(level: CInt, name: CInt, value: CInt)] = [
            (SOL_SOCKET, SO_KEEPALIVE, 1), (CInt(IPPROTO_TCP), TCP_KEEPIDLE, whole), (CInt(IPPROTO_TCP), TCP_KEEPINTVL, 1),
            (CInt(IPPROTO_TCP), TCP_KEEPCNT, 3), (CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, whole * 1_000),
        ]
        for (level, name, value) in values {
            // Where one is not known the limit of the system holds.
            var value = value
            _ = unsafe setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
        }
    }

    /// A text as the library has to be given it: it is put between the quotation marks of JSON as it is.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    deinit {
        _ = turn(0)
        unsafe natsConnection_Destroy(connection)
        unsafe socket.deallocate()
    }

    private static func options(
        _ settings: NatsSettings, _ server: NatsSettings.Server, _ socket: UnsafeMutablePointer<natsSock>
    ) throws(NatsError) -> OpaquePointer {
        var options: OpaquePointer?
        try check(unsafe natsOptions_Create(&options), server)
        guard let options = unsafe options else { throw NatsError("\(server): no options") }
        do throws(NatsError) {
            try check(unsafe natsOptions_SetURL(options, "nats://\(server)"), server)
            try check(unsafe natsOptions_SetName(options, escaped(settings.name)), server)
            let patience = Int64(min(settings.timeoutSeconds, longestConnecting) * 1_000)
            try check(unsafe natsOptions_SetTimeout(options, patience), server)
            try check(unsafe natsOptions_SetWriteDeadline(options, Int64(settings.timeoutSeconds * 1_000)), server)
            try check(unsafe natsOptions_SetAllowReconnect(options, false), server)
            // Requests are awaited: there is nothing to collect them with.
            try check(unsafe natsOptions_SetSendAsap(options, true), server)
            try check(unsafe natsOptions_SetIOBufSize(options, bufferBytes), server)
            // A timer would write beside the thread that uses the connection; who waits has a limit of time.
            try check(unsafe natsOptions_SetPingInterval(options, 0), server)
            let attach: natsEvLoop_Attach = { data, loop, _, socket in
                unsafe loop?.assumingMemoryBound(to: natsSock.self).pointee = socket
                unsafe data?.pointee = loop
                return NATS_OK
            }
            let read: natsEvLoop_ReadAddRemove = { data, isAdded in
                if !isAdded, let socket = unsafe data?.assumingMemoryBound(to: natsSock.self) {
                    unsafe nats_close_socket(socket)
                    unsafe socket.pointee = -1
                }
                return NATS_OK
            }
            try check(
                unsafe natsOptions_SetEventLoop(options, socket, attach, read, { _, _ in NATS_OK }, { _ in NATS_OK }), server)
            // The default prints what a request is refused for; whoever waits for it reads it from the connection.
            try check(unsafe natsOptions_SetErrorHandler(options, { _, _, _, _ in }, nil), server)
            if let username = settings.username {
                try check(unsafe natsOptions_SetUserInfo(options, escaped(username), escaped(settings.password ?? "")), server)
            }
            if settings.usesTLS {
                try check(unsafe natsOptions_SetSecure(options, true), server)
                let authorities = settings.authoritiesFile ?? systemAuthorities
                try check(unsafe natsOptions_LoadCATrustedCertificates(options, authorities), server)
                try check(unsafe natsOptions_SetExpectedHostname(options, server.host), server)
            }
        } catch {
            unsafe natsOptions_Destroy(options)
            throw error
        }
        return unsafe options
    }

    private static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

    /// Whether requests can be made. Reads what has come meanwhile: a question whether anybody is there, or the end of the connection.
    var isOpen: Bool {
        for _ in 0..<Self.mostUnreadBytes / Int(Self.bufferBytes) {
            guard turn(0) else { return unsafe natsConnection_Status(connection) == NATS_CONN_STATUS_CONNECTED }
        }
        close()
        return false
    }

    /// Ends the connection.
    func close() {
        // What waits to be written would be waited for.
        _ = turn(0)
        unsafe natsConnection_Close(connection)
    }

    // MARK: Socket

    /// Waits up to `milliseconds` until something can be read or written, and reads or writes it; false where nothing was read.
    @discardableResult
    private func turn(_ milliseconds: Int32) -> Bool {
        guard unsafe socket.pointee >= 0 else { return false }
        let events = unsafe natsConnection_Buffered(connection) > 0 ? POLLIN | POLLOUT : POLLIN
        var state = unsafe pollfd(fd: socket.pointee, events: Int16(events), revents: 0)
        guard unsafe poll(&state, 1, milliseconds) > 0 else { return false }
        if Int32(state.revents) & POLLOUT != 0 { unsafe natsConnection_ProcessWriteEvent(connection) }
        guard Int32(state.revents) & ~POLLOUT != 0 else { return false }
        unreadBytes += Int(min(nats_readable_bytes(state.fd), Self.bufferBytes))
        unsafe natsConnection_ProcessReadEvent(connection)
        return true
    }

    /// One turn of reading and writing, until `end` at the latest. Throws where nothing more is to be awaited.
    private func turn(until end: ContinuousClock.Instant) throws(NatsError) {
        guard !interruption.isSet else { throw Interruption.error }
        let left = (end - .now) / .milliseconds(1)
        turn(Int32(min(max(0, left), Self.pauseMilliseconds).rounded(.up)))
        guard unreadBytes <= Self.mostUnreadBytes else {
            throw NatsError("\(server) has sent \(unreadBytes) bytes without a message: it is no NATS server, or is damaged")
        }
    }

    // MARK: Requests

    /// Makes requests, and returns their answers in their order. `whileWaiting` is called with each answer, and several times a second. Throws where one
    /// is not answered.
    func answers(to requests: [Request], whileWaiting: () -> Void = {}) throws(NatsError) -> [NatsMessage] {
        let inbox = Self.newInbox
        let subscription = unsafe try subscribe(to: "\(inbox).*")
        defer { unsafe natsSubscription_Destroy(subscription) }
        let end = ContinuousClock.now + .seconds(timeoutSeconds)
        for (index, request) in requests.enumerated() {
            try publish(request, reply: "\(inbox).\(index)")
            while unsafe natsConnection_Buffered(connection) > Self.mostUnwrittenBytes {
                guard ContinuousClock.now < end else { throw refusal ?? silence }
                try turn(until: end)
            }
        }
        var answers = [NatsMessage?](repeating: nil, count: requests.count)
        var missing = requests.count
        while missing > 0 {
            guard let message = unsafe try next(of: subscription, until: end, whileWaiting) else {
                throw silence
            }
            guard let index = Int(message.subject.dropFirst(inbox.count + 1)), answers.indices.contains(index),
                answers[index] == nil
            else { continue }
            answers[index] = message
            missing -= 1
        }
        return answers.compactMap(\.self)
    }

    private var silence: NatsError { NatsError("\(server) has not answered in \(timeoutSeconds) s") }

    /// Makes a request that is answered once, and then by messages on a subject of their own, of which `makeRequest` makes it. Where
    /// `brings` says so of the answer, `receiver` is called with each message until it returns true. Throws where a message is awaited for
    /// longer than the timeout.
    func stream(
        _ makeRequest: (_ subject: String) -> Request, brings: (NatsMessage) throws -> Bool,
        to receiver: (NatsMessage) throws -> Bool
    ) throws {
        let inbox = Self.newInbox
        let subscription = unsafe try subscribe(to: inbox)
        defer { unsafe natsSubscription_Destroy(subscription) }
        guard try brings(answers(to: [makeRequest(inbox)])[0]) else { return }
        while true {
            var message: NatsMessage
            let end = ContinuousClock.now + .seconds(timeoutSeconds)
            repeat {
                guard let next = unsafe try next(of: subscription, until: end, {}) else {
                    throw NatsError("\(server) has stopped sending for \(timeoutSeconds) s")
                }
                message = next
                // The server asks whether what it has sent has come: it then sends more.
                if message.status == Self.controlStatus, let control = message.reply ?? message.fields["Nats-Consumer-Stalled"] {
                    try publish(Request(subject: control), reply: nil)
                }
            } while message.status == Self.controlStatus
            if try receiver(message) { return }
        }
    }

    /// The status of heartbeats and of questions whether what was sent has come.
    private static let controlStatus = 100

    private static var newInbox: String { "_INBOX.\(String(UInt64.random(in: .min ... .max), radix: 36))" }

    private func subscribe(to subject: String) throws(NatsError) -> OpaquePointer {
        var subscription: OpaquePointer?
        try check(unsafe natsConnection_SubscribeSync(&subscription, connection, subject))
        guard let subscription = unsafe subscription else { throw NatsError("\(server): no subscription") }
        // The socket is read only while there is no message.
        _ = unsafe natsSubscription_SetPendingLimits(subscription, -1, -1)
        return unsafe subscription
    }

    private func publish(_ request: Request, reply: String?) throws(NatsError) {
        var message: OpaquePointer?
        let made = unsafe request.payload.withUnsafeBytes { bytes in
            unsafe natsMsg_Create(
                &message, request.subject, reply, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count))
        }
        defer { unsafe natsMsg_Destroy(message) }
        try check(made)
        // The library reads the line behind an empty value as a part of it.
        for (name, value) in request.fields where !value.isEmpty { try check(unsafe natsMsgHeader_Set(message, name, value)) }
        try check(unsafe natsConnection_PublishMsg(connection, message))
    }

    /// Waits for a message until `end`; nil where none has come.
    private func next(
        of subscription: OpaquePointer, until end: ContinuousClock.Instant, _ whileWaiting: () -> Void
    ) throws(NatsError) -> NatsMessage? {
        while ContinuousClock.now < end {
            if let message = unsafe try taken(from: subscription) {
                unreadBytes = 0
                whileWaiting()
                return message
            }
            let before = unreadBytes
            try turn(until: end)
            guard unreadBytes == before else { continue }
            if let reason = refusal { throw reason }
            whileWaiting()
        }
        if let reason = refusal { throw reason }
        return nil
    }

    /// The next of the messages that have been read; nil for none.
    private func taken(from subscription: OpaquePointer) throws(NatsError) -> NatsMessage? {
        var (count, bytes): (Int32, Int32) = (0, 0)
        let state = unsafe natsSubscription_GetPending(subscription, &count, &bytes)
        guard state != NATS_OK || count > 0 else { return nil }
        var message: OpaquePointer?
        let status = unsafe natsSubscription_NextMsg(&message, subscription, 1)
        defer { unsafe natsMsg_Destroy(message) }
        switch status {
        case NATS_OK: return unsafe message.map { unsafe NatsMessage($0) }
        case NATS_TIMEOUT: return nil
        case NATS_NO_RESPONDERS: throw NatsError("nobody answers: JetStream is not enabled, or has no leader at present")
        default: throw refusal ?? Self.error(status, server)
        }
    }

    // MARK: Errors

    /// Why the server has refused something, or has closed the connection. It is not said which request that was: none can count as carried
    /// out.
    private var refusal: NatsError? {
        var text: UnsafePointer<CChar>?
        guard unsafe natsConnection_GetLastError(connection, &text) != NATS_OK, let text = unsafe text,
            unsafe text.pointee != 0
        else { return nil }
        return NatsError("\(server): \(unsafe String(cString: text))")
    }

    private func check(_ status: natsStatus) throws(NatsError) {
        guard status != NATS_OK else { return }
        throw refusal ?? Self.error(status, server)
    }

    private static func check(_ status: natsStatus, _ server: NatsSettings.Server) throws(NatsError) {
        guard status != NATS_OK else { return }
        throw error(status, server)
    }

    private static func error(_ status: natsStatus, _ server: NatsSettings.Server) -> NatsError {
        switch status {
        case NATS_SECURE_CONNECTION_WANTED: return NatsError("\(server) has no TLS")
        case NATS_TIMEOUT: return NatsError("\(server) has not answered in time")
        case NATS_CONNECTION_CLOSED: return NatsError("\(server) has closed the connection")
        default: break
        }
        // What failed last on this thread, with more detail.
        let detail = unsafe nats_GetLastError(nil).map { unsafe String(cString: $0) }
        let text = unsafe natsStatus_GetText(status).map { unsafe String(cString: $0) } ?? "\(status.rawValue)"
        return NatsError("\(server): \(detail.flatMap { $0.isEmpty ? nil : $0 } ?? text)")
    }
}

/// A message that has come.
struct NatsMessage: Sendable, Equatable {
    /// Its subject.
    var subject: String
    /// Where an answer goes.
    var reply: String?
    /// The status of a message that the server itself sends.
    var status: Int?
    /// Its header fields.
    var fields: [String: String] = [:]
    /// Its content.
    var payload: [UInt8] = []

    /// About how much memory it takes, with room for each text.
    var storedBytes: Int {
        256 + subject.utf8.count + payload.count + fields.reduce(0) { $0 + 128 + $1.key.utf8.count + $1.value.utf8.count }
    }

    /// A copy of a message of libnats.
    fileprivate init(_ message: OpaquePointer) {
        subject = unsafe natsMsg_GetSubject(message).map { unsafe String(cString: $0) } ?? ""
        reply = unsafe natsMsg_GetReply(message).map { unsafe String(cString: $0) }
        if let data = unsafe natsMsg_GetData(message) {
            let bytes = unsafe UnsafeRawBufferPointer(start: data, count: Int(natsMsg_GetDataLength(message)))
            payload = unsafe Array(bytes)
        }
        var (names, count): (UnsafeMutablePointer<UnsafePointer<CChar>?>?, Int32) = (nil, 0)
        guard unsafe natsMsgHeader_Keys(message, &names, &count) == NATS_OK, let names = unsafe names else { return }
        defer { unsafe free(names) }
        for index in 0..<Int(count) {
            var value: UnsafePointer<CChar>?
            guard let name = unsafe names[index], unsafe natsMsgHeader_Get(message, name, &value) == NATS_OK else { continue }
            fields[unsafe String(cString: name)] = unsafe value.map { unsafe String(cString: $0) } ?? ""
        }
        status = fields["Status"].flatMap { Int($0) }
    }
}
