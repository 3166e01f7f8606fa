import CMosquitto
import Glibc

/// One attempt at a connection: owns a libmosquitto handle from creation to destruction; used by one thread at a time.
///
/// Never used twice: a new handle has none of the library's send quotas, queues and half-read packets, and the outbox republishes
/// messages without a receipt.
@safe final class MosquittoConnection {
    let events: MosquittoEvents
    private let client: OpaquePointer
    private let configuration: MosquittoConfiguration
    private let broker: BrokerAddress
    /// The system's error number after the last call that failed.
    private var lastErrno: Int32 = 0
    private var isEnded = false
    /// Whether the broker has accepted CONNECT.
    private(set) var isEstablished = false
    /// Whether anything was written, which implies that TCP is connected.
    private(set) var hasWritten = false

    /// Creates the handle with all its options; throws when one cannot be applied, as with an unreadable certificate.
    init(configuration: MosquittoConfiguration, to broker: BrokerAddress) throws(MosquittoError) {
        self.configuration = configuration
        self.broker = broker
        events = MosquittoEvents(
            readsRequestProperties: configuration.readsRequestProperties,
            terms: BrokerTerms(sessionExpirySeconds: configuration.sessionExpirySeconds))
        let object = unsafe Unmanaged.passUnretained(events).toOpaque()
        guard let client = unsafe mosquitto_new(configuration.clientID, configuration.cleanStart, object) else {
            throw .library(Int32(MOSQ_ERR_ERRNO.rawValue), errno: errno)
        }
        unsafe self.client = client
        try configure()
    }

    deinit {
        unsafe mosquitto_destroy(client)
    }

    private func configure() throws(MosquittoError) {
        unsafe MosquittoCallbacks.install(on: client)
        unsafe MosquittoCallbacks.collectErrors(true, of: client)
        let version = configuration.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try check(unsafe mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, version))
        // Otherwise every acknowledgement is written before the callback that delivers its message. In this mode the library
        // queues it then, and writes it only in `write`. It does not document that; tests with a scripted broker check it.
        try check(unsafe mosquitto_threaded_set(client, true))
        try check(unsafe mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1))
        try check(unsafe mosquitto_int_option(client, MOSQ_OPT_RECEIVE_MAXIMUM, Int32(configuration.receiveMaximum)))
        try check(unsafe mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, Int32(configuration.publishWindow)))
        if configuration.username != nil || configuration.password != nil {
            try check(unsafe mosquitto_username_pw_set(client, configuration.username, configuration.password))
        }
        if let tls = configuration.tls { try configure(tls) }
        if let will = configuration.will { try configure(will: will) }
    }

    private func configure(_ tls: MosquittoTLS) throws(MosquittoError) {
        // Without a password callback OpenSSL would prompt for the password of an encrypted key at the terminal.
        let code = unsafe mosquitto_tls_set(client, tls.caFile, nil, tls.certificateFile, tls.keyFile) { _, _, _, _ in 0 }
        guard code == 0 else { throw failure(code, detail: "reading \(tls.caFile), \(tls.certificateFile ?? "no certificate")") }
        // By default 2.0.11 accepts 1.2 and 1.3; naming a version excludes all others.
        let version = tls.minimumVersion == .v13 ? "tlsv1.3" : nil
        try check(unsafe mosquitto_tls_opts_set(client, 1, version, nil))
    }

    private func configure(will: MQTTMessage) throws(MosquittoError) {
        let properties = try MosquittoProperties(publish: will, in: configuration.version)
        let topic = try Self.whole(will.topic)
        let code = unsafe will.payload.withUnsafeBytes { payload in
            unsafe mosquitto_will_set_v5(
                client, topic, Int32(clamping: payload.count), payload.baseAddress, Int32(will.qos.rawValue), will.retain,
                properties.list)
        }
        try check(code)
        // Taken over by the library, but only on success.
        _ = unsafe properties.release()
    }

    // MARK: Connecting

    /// Starts connecting; the socket shows when to read and write. Blocks while the host's name is resolved.
    func open() throws(MosquittoError) {
        if configuration.version == .v5 {
            // The asynchronous connect takes no properties, but uses those of the last blocking one, which keeps them before it
            // finds that it has no host.
            let properties = try MosquittoProperties(connect: configuration)
            _ = unsafe mosquitto_connect_bind_v5(client, nil, 0, 0, nil, properties.list)
        }
        try check(
            unsafe mosquitto_connect_bind_async(
                client, broker.host, Int32(broker.port), Int32(configuration.keepAliveSeconds), nil))
    }

    /// To be called at a successful CONNACK.
    func established() {
        isEstablished = true
        unsafe MosquittoCallbacks.collectErrors(false, of: client)
    }

    // MARK: The library's loop

    /// The socket; -1 when there is none.
    var socket: Int32 { unsafe mosquitto_socket(client) }

    /// Whether packets are queued to be written, acknowledgements among them.
    var wantsWrite: Bool { unsafe mosquitto_want_write(client) }

    /// Reads at least one packet, or as much of one as there is.
    func read() { note(unsafe mosquitto_loop_read(client, 1)) }

    /// Writes all that is queued, as far as the socket takes it; never to be called while acknowledgements are held.
    ///
    /// The library makes a system call for each packet. `inOneSegment` lets what they write leave in as few segments as possible, when all is
    /// written: without that, each wakes the broker.
    func write(inOneSegment: Bool = true) {
        hasWritten = true
        if inOneSegment { holdSegments(true) }
        note(unsafe mosquitto_loop_write(client, 1))
        if inOneSegment { holdSegments(false) }
    }

    /// The interval at which the keep-alive is checked; each check is a wake-up. The library follows what the broker demands, and sends
    /// PINGREQ in a check only.
    var keepAliveInterval: Duration {
        let demanded = events.terms.keepAliveSeconds.map { Int($0) }
        return .seconds(Double(demanded ?? configuration.keepAliveSeconds) / 5)
    }

    /// Sends PINGREQ when due and ends a connection whose peer does not respond.
    func keepAlive() { note(unsafe mosquitto_loop_misc(client)) }

    // MARK: Packets

    /// Queues SUBSCRIBE and returns its packet identifier.
    func subscribe(_ subscription: MosquittoConfiguration.Subscription) throws(MosquittoError) -> Int32 {
        var packetID: Int32 = 0
        try check(unsafe mosquitto_subscribe_v5(client, &packetID, subscription.filter, Int32(subscription.qos.rawValue), 0, nil))
        return packetID
    }

    /// Queues UNSUBSCRIBE and returns its packet identifier.
    func unsubscribe(_ filter: String) throws(MosquittoError) -> Int32 {
        var packetID: Int32 = 0
        try check(unsafe mosquitto_unsubscribe_v5(client, &packetID, filter, nil))
        return packetID
    }

    /// Queues PUBLISH and returns its packet identifier, which receipts carry; throws where the broker accepts no packet of its size.
    func publish(_ message: MQTTMessage) throws(MosquittoError) -> Int32 {
        // The library's own check leaves the topic out.
        if let limit = events.terms.maximumPacketBytes, message.packetBytes > limit {
            throw .oversize(message.packetBytes, limit: limit)
        }
        let properties = try MosquittoProperties(publish: message, in: configuration.version)
        let topic = try Self.whole(message.topic)
        var packetID: Int32 = 0
        let code = unsafe message.payload.withUnsafeBytes { payload in
            unsafe mosquitto_publish_v5(
                client, &packetID, topic, Int32(clamping: payload.count), payload.baseAddress,
                Int32(message.qos.rawValue), message.retain, properties.list)
        }
        try check(code)
        return packetID
    }

    /// Queues DISCONNECT; writing it closes the socket.
    func queueDisconnect() { _ = unsafe mosquitto_disconnect_v5(client, 0, nil) }

    // MARK: Ending

    /// Why the connection is over; nil while it lasts.
    var endReason: DisconnectReason? {
        guard isEnded || events.endCode != nil || socket < 0 else { return nil }
        if let answer = events.answer, answer.code != 0 {
            let error: MosquittoError = configuration.version == .v5 ? .reasonCode(answer.code) : .returnCode(answer.code)
            return .refused(error, advice: error.isAccountRefused ? configuration.adviceIfAccountRefused : nil)
        }
        let code = events.endCode ?? Int32(MOSQ_ERR_CONN_LOST.rawValue)
        if code == Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue) { return .sessionTakenOver }
        // Values of the library stay below 0x80, failures of MQTT 5 begin there.
        if code >= 0x80 { return .closedByBroker(.reasonCode(code)) }
        let error = failure(code, detail: events.loggedError)
        return isEstablished ? .lost(error) : .connectFailed(error)
    }

    /// Ends the connection for an error of the socket found outside the library.
    func fail(errno: Int32) {
        lastErrno = errno
        events.ended(Int32(errno == 0 ? MOSQ_ERR_CONN_LOST.rawValue : MOSQ_ERR_ERRNO.rawValue))
    }

    private func note(_ code: Int32) {
        guard code != 0 else { return }
        lastErrno = errno
        isEnded = true
        events.ended(code)
    }

    private func check(_ code: Int32) throws(MosquittoError) {
        guard code != 0 else { return }
        lastErrno = errno
        throw failure(code, detail: events.loggedError)
    }

    private func failure(_ code: Int32, detail: String?) -> MosquittoError {
        .library(code, errno: lastErrno, detail: detail)
    }

    /// The topic; throws if it contains NUL, where C would cut it.
    private static func whole(_ topic: String) throws(MosquittoError) -> String {
        guard !topic.utf8.contains(0) else {
            throw .library(Int32(MOSQ_ERR_INVAL.rawValue), errno: 0, detail: "NUL in topic")
        }
        return topic
    }
}
