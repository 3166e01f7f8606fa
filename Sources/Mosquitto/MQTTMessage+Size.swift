extension MQTTMessage {
    /// The size of its PUBLISH packet on MQTT 5, in bytes: section 3.3, with a packet identifier where the quality of service has one.
    package var packetBytes: Int {
        let properties = propertyBytes
        let remaining =
            2 + topic.utf8.count + (qos == .atMostOnce ? 0 : 2) + Self.lengthBytes(properties) + properties + payload.count
        return 1 + Self.lengthBytes(remaining) + remaining
    }

    private var propertyBytes: Int {
        var bytes = messageExpirySeconds == nil ? 0 : 5
        if isText { bytes += 2 }
        if let contentType { bytes += 3 + contentType.utf8.count }
        if let responseTopic { bytes += 3 + responseTopic.utf8.count }
        if let correlationData, !correlationData.isEmpty { bytes += 3 + correlationData.count }
        for property in userProperties { bytes += 5 + property.name.utf8.count + property.value.utf8.count }
        return bytes
    }

    /// The size of a variable byte integer, section 1.5.5.
    private static func lengthBytes(_ value: Int) -> Int {
        switch value {
        case ..<0x80: 1
        case ..<0x4000: 2
        case ..<0x20_0000: 3
        default: 4
        }
    }
}
