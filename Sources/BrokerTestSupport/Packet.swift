/// An MQTT control packet as bytes: the first byte of its header and what follows the length.
package struct Packet: Sendable, Equatable {
    /// The packet type, MQTT 5 section 2.1.2.
    package enum Kind: UInt8, Sendable {
        case connect = 1
        case connectAcknowledgement, publish, publishAcknowledgement, publishReceived, publishRelease, publishComplete
        case subscribe, subscribeAcknowledgement, unsubscribe, unsubscribeAcknowledgement
        case pingRequest, pingResponse, disconnect, authenticate
    }

    /// Type and flags.
    package var header: UInt8

    /// Everything behind the remaining length.
    package var body: [UInt8]

    /// Creates a packet.
    package init(_ kind: Kind, flags: UInt8 = 0, _ body: [UInt8] = []) {
        header = kind.rawValue << 4 | flags
        self.body = body
    }

    init(header: UInt8, body: [UInt8]) {
        self.header = header
        self.body = body
    }

    /// The type; nil for the reserved 0.
    package var kind: Kind? { Kind(rawValue: header >> 4) }

    /// The first two bytes of the body, which is where acknowledgements and subscriptions carry their identifier.
    package var identifier: UInt16 { body.count < 2 ? 0 : UInt16(body[0]) << 8 | UInt16(body[1]) }

    /// The packet on the wire.
    package var bytes: [UInt8] {
        var (length, count) = ([UInt8](), body.count)
        repeat {
            length.append(UInt8(count % 128) | (count >= 128 ? 0x80 : 0))
            count /= 128
        } while count > 0
        return [header] + length + body
    }
}

extension Packet {
    /// CONNACK of MQTT 3.1.1.
    package static func accepted(sessionPresent: Bool = false) -> Packet {
        Packet(.connectAcknowledgement, [sessionPresent ? 1 : 0, 0])
    }

    /// PUBLISH of MQTT 3.1.1 at QoS 1.
    package static func publish(_ topic: String, _ payload: String, identifier: UInt16) -> Packet {
        let topic = Array(topic.utf8)
        let head = [UInt8(topic.count >> 8), UInt8(topic.count & 0xff)] + topic
        return Packet(.publish, flags: 0b0010, head + [UInt8(identifier >> 8), UInt8(identifier & 0xff)] + Array(payload.utf8))
    }

    /// SUBACK of MQTT 3.1.1 to `request` with one return code.
    package static func grant(_ code: UInt8, to request: Packet) -> Packet {
        Packet(.subscribeAcknowledgement, Array(request.body.prefix(2)) + [code])
    }
}
