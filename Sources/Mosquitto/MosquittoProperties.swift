import CMosquitto
import Glibc

/// A list of MQTT 5 properties to send; freed with the value.
@safe struct MosquittoProperties: ~Copyable {
    private(set) var list: OpaquePointer?

    deinit {
        var list = unsafe list
        unsafe mosquitto_property_free_all(&list)
    }

    /// The properties of CONNECT.
    init(connect configuration: MosquittoConfiguration) throws(MosquittoError) {
        try add(int32: configuration.sessionExpirySeconds, as: MQTT_PROP_SESSION_EXPIRY_INTERVAL)
        try add(int32: configuration.maximumPacketSize, as: MQTT_PROP_MAXIMUM_PACKET_SIZE)
    }

    /// The properties of PUBLISH or of a will; empty for a plain message and for 3.1.1.
    init(publish message: MQTTMessage, in version: MosquittoConfiguration.ProtocolVersion) throws(MosquittoError) {
        // On 3.1.1 the library refuses any list but an empty one.
        guard version == .v5 else { return }
        if let seconds = message.messageExpirySeconds {
            try add(int32: seconds, as: MQTT_PROP_MESSAGE_EXPIRY_INTERVAL)
        }
        if let type = message.contentType {
            try check(unsafe mosquitto_property_add_string(&list, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), type))
        }
        if message.isText {
            try check(unsafe mosquitto_property_add_byte(&list, Int32(MQTT_PROP_PAYLOAD_FORMAT_INDICATOR.rawValue), 1))
        }
        if let topic = message.responseTopic {
            try check(unsafe mosquitto_property_add_string(&list, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), topic))
        }
        if let data = message.correlationData, !data.isEmpty {
            let code = unsafe data.withUnsafeBytes { bytes in
                unsafe mosquitto_property_add_binary(
                    &list, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), bytes.baseAddress, UInt16(clamping: bytes.count))
            }
            try check(code)
        }
        for property in message.userProperties {
            let kind = Int32(MQTT_PROP_USER_PROPERTY.rawValue)
            try check(unsafe mosquitto_property_add_string_pair(&list, kind, property.name, property.value))
        }
    }

    /// Gives the list to a function that takes it over.
    consuming func release() -> OpaquePointer? {
        let released = unsafe list
        unsafe list = nil
        return unsafe released
    }

    private mutating func add(int32 value: UInt32, as property: mqtt5_property) throws(MosquittoError) {
        try check(unsafe mosquitto_property_add_int32(&list, Int32(property.rawValue), value))
    }

    private func check(_ code: Int32) throws(MosquittoError) {
        guard code == 0 else { throw .library(code, errno: 0) }
    }

    // MARK: Reading received lists

    static func contentType(in list: OpaquePointer?) -> String? { unsafe text(MQTT_PROP_CONTENT_TYPE, in: list) }

    static func responseTopic(in list: OpaquePointer?) -> String? { unsafe text(MQTT_PROP_RESPONSE_TOPIC, in: list) }

    static func correlationData(in list: OpaquePointer?) -> [UInt8]? {
        guard unsafe list != nil else { return nil }
        var value: UnsafeMutableRawPointer?
        var length: UInt16 = 0
        defer { unsafe free(value) }
        let property = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
        let found = unsafe mosquitto_property_read_binary(list, property, &value, &length, false)
        guard unsafe found != nil else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: value, count: Int(length)))
    }

    private static func text(_ property: mqtt5_property, in list: OpaquePointer?) -> String? {
        guard unsafe list != nil else { return nil }
        var value: UnsafeMutablePointer<CChar>?
        defer { unsafe free(value) }
        unsafe mosquitto_property_read_string(list, Int32(property.rawValue), &value, false)
        return unsafe value.map { unsafe String(cString: $0) }
    }

    /// Reads the properties of CONNACK into `terms`; those that are not there leave theirs as they are.
    static func read(_ list: OpaquePointer?, into terms: inout BrokerTerms) {
        guard unsafe list != nil else { return }
        var seconds: UInt32 = 0
        if unsafe mosquitto_property_read_int32(list, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), &seconds, false) != nil {
            terms.sessionExpirySeconds = seconds
        }
        var bytes: UInt32 = 0
        if unsafe mosquitto_property_read_int32(list, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &bytes, false) != nil {
            terms.maximumPacketBytes = bytes
        }
        var interval: UInt16 = 0
        if unsafe mosquitto_property_read_int16(list, Int32(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue), &interval, false) != nil {
            // 0 is none at all.
            terms.keepAliveSeconds = interval > 0 ? interval : nil
        }
        if let level = unsafe byte(MQTT_PROP_MAXIMUM_QOS, in: list) {
            terms.maximumQoS = QoS(rawValue: Int(level)) ?? .exactlyOnce
        }
        if let isOn = unsafe byte(MQTT_PROP_RETAIN_AVAILABLE, in: list) { terms.retains = isOn != 0 }
        if let isOn = unsafe byte(MQTT_PROP_WILDCARD_SUB_AVAILABLE, in: list) { terms.allowsWildcards = isOn != 0 }
    }

    private static func byte(_ property: mqtt5_property, in list: OpaquePointer?) -> UInt8? {
        var value: UInt8 = 0
        return unsafe mosquitto_property_read_byte(list, Int32(property.rawValue), &value, false) == nil ? nil : value
    }

    static func messageExpiry(in list: OpaquePointer?) -> UInt32? {
        guard unsafe list != nil else { return nil }
        var value: UInt32 = 0
        let found = unsafe mosquitto_property_read_int32(list, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), &value, false)
        return unsafe found == nil ? nil : value
    }
}
