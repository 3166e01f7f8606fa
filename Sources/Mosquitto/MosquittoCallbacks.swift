import CMosquitto

/// The C functions libmosquitto calls: each copies out of C memory and returns.
enum MosquittoCallbacks {
    /// Makes the library report to `events`, the object it was created with.
    static func install(on client: OpaquePointer) {
        unsafe mosquitto_connect_v5_callback_set(client) { _, object, code, flags, properties in
            guard let events = unsafe MosquittoEvents.behind(object) else { return }
            // MQTT 3.1.1 section 3.2.2.2: bit 0 of the flags is session present.
            events.answer = (code, flags & 1 != 0)
            unsafe MosquittoProperties.read(properties, into: &events.terms)
        }
        unsafe mosquitto_disconnect_v5_callback_set(client) { _, object, code, _ in
            unsafe MosquittoEvents.behind(object)?.ended(code)
        }
        unsafe mosquitto_publish_v5_callback_set(client) { _, object, packetID, code, _ in
            unsafe MosquittoEvents.behind(object)?.receipts.append((packetID, code))
        }
        unsafe mosquitto_subscribe_v5_callback_set(client) { _, object, packetID, count, codes, _ in
            guard count > 0, let codes = unsafe codes else { return }
            unsafe MosquittoEvents.behind(object)?.grants.append((packetID, codes[0]))
        }
        unsafe mosquitto_unsubscribe_v5_callback_set(client) { _, object, packetID, _ in
            unsafe MosquittoEvents.behind(object)?.revocations.append(packetID)
        }
        unsafe mosquitto_message_v5_callback_set(client) { _, object, message, properties in
            guard let message = unsafe message, let copy = unsafe MQTTMessage(copying: message.pointee, properties),
                let events = unsafe MosquittoEvents.behind(object)
            else { return }
            events.messages.append(copy)
            guard events.readsRequestProperties else { return }
            let last = events.messages.endIndex - 1
            events.messages[last].responseTopic = unsafe MosquittoProperties.responseTopic(in: properties)
            events.messages[last].correlationData = unsafe MosquittoProperties.correlationData(in: properties)
        }
    }

    /// Collects error lines. Off once connected: with any log callback set the library formats a line for every packet.
    static func collectErrors(_ isOn: Bool, of client: OpaquePointer) {
        guard isOn else { return unsafe mosquitto_log_callback_set(client, nil) }
        unsafe mosquitto_log_callback_set(client) { _, object, level, line in
            guard level == MOSQ_LOG_ERR, let line = unsafe line else { return }
            unsafe MosquittoEvents.behind(object)?.loggedError = unsafe String(cString: line)
        }
    }
}

extension MosquittoEvents {
    /// The value a handle was created with; unretained, as its connection keeps it for longer than the handle.
    fileprivate static func behind(_ object: UnsafeMutableRawPointer?) -> MosquittoEvents? {
        guard let object = unsafe object else { return nil }
        return unsafe Unmanaged<MosquittoEvents>.fromOpaque(object).takeUnretainedValue()
    }
}

extension MQTTMessage {
    /// Copies a delivered message; nil for a topic or quality outside the protocol.
    fileprivate init?(copying message: mosquitto_message, _ properties: OpaquePointer?) {
        guard let topic = unsafe message.topic, let qos = unsafe QoS(rawValue: Int(message.qos)) else { return nil }
        let payload = unsafe UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
        self.init(
            topic: unsafe String(cString: topic),
            payload: unsafe Self.copy(of: payload),
            qos: qos,
            retain: unsafe message.retain,
            contentType: unsafe MosquittoProperties.contentType(in: properties),
            messageExpirySeconds: unsafe MosquittoProperties.messageExpiry(in: properties)
        )
    }

    /// Room behind a payload, in bytes: simdjson reads whole blocks, and copies what ends at the end of its memory once more.
    private static let room = 64

    private static func copy(of payload: UnsafeRawBufferPointer) -> [UInt8] {
        unsafe Array(unsafeUninitializedCapacity: payload.count + room) { buffer, count in
            unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: payload)
            count = payload.count
        }
    }
}

/// What libmosquitto reported during one call; used by one thread at a time.
///
/// Callbacks only write here: they run under the library's callback mutex.
final class MosquittoEvents {
    /// The CONNACK, until it is processed.
    var answer: (code: Int32, sessionPresent: Bool)?

    /// What the CONNACK grants; before it, what the client asks for.
    var terms: BrokerTerms

    /// SUBACKs: packet identifier and granted quality, or failure.
    var grants: [(packetID: Int32, code: Int32)] = []

    /// UNSUBACKs: packet identifiers.
    var revocations: [Int32] = []

    /// Receipts of published messages; the code is a reason of MQTT 5, 0 on 3.1.1.
    var receipts: [(packetID: Int32, code: Int32)] = []

    /// Messages read since the last batch.
    var messages: [MQTTMessage] = []

    /// How many messages and receipts were read and not taken yet.
    var deliveryCount: Int { messages.count + receipts.count }

    /// Whether response topic and correlation data of messages are read.
    let readsRequestProperties: Bool

    /// The end of the connection: a `MOSQ_ERR_*` value, or the reason of the broker's DISCONNECT.
    private(set) var endCode: Int32?

    /// The last error line of the library's log, which has more detail about TLS than its return values.
    var loggedError: String?

    /// Nothing reported yet.
    init(readsRequestProperties: Bool, terms: BrokerTerms) {
        self.readsRequestProperties = readsRequestProperties
        self.terms = terms
    }

    /// Records the first cause: every further call on a closed connection reports another end.
    func ended(_ code: Int32) {
        endCode = endCode ?? code
    }
}
