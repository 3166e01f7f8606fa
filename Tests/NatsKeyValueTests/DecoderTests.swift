import NIOCore
import Testing

@testable import NatsKeyValue

@Suite("The client protocol of NATS")
struct DecoderTests {
    private static let stream = [
        "INFO {\"max_payload\":1048576}\r\n", "PING\r\n", "+OK\r\n", "-ERR 'Authorization Violation'\r\n",
        "MSG _INBOX.a.1 1 5\r\nhello\r\n", "MSG _INBOX.a.2 1 $JS.ACK.s.c.1.7.1.99.0 0\r\n\r\n",
        "HMSG _INBOX.a.3 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n",
        "HMSG k 1 reply 28 31\r\nNATS/1.0\r\nName: a: value\r\n\r\nabc\r\n", "PONG\r\n",
    ].joined()

    private static let expected: [NatsOperation] = [
        .info(Array(" {\"max_payload\":1048576}".utf8)), .ping, .ok, .error("Authorization Violation"),
        .message(NatsMessage(subject: "_INBOX.a.1", payload: Array("hello".utf8))),
        .message(NatsMessage(subject: "_INBOX.a.2", reply: "$JS.ACK.s.c.1.7.1.99.0")),
        .message(NatsMessage(subject: "_INBOX.a.3", status: 503)),
        .message(NatsMessage(subject: "k", reply: "reply", fields: ["Name": "a: value"], payload: Array("abc".utf8))), .pong,
    ]

    @Test("operations are read, wherever they are cut", arguments: [1, 2, 7, 1_000])
    func pieces(size: Int) throws {
        var (decoder, buffer, read): (NatsDecoder, ByteBuffer, [NatsOperation]) = (NatsDecoder(), ByteBuffer(), [])
        let bytes = Array(Self.stream.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            buffer.writeBytes(bytes[start..<min(start + size, bytes.count)])
            while let operation = try decoder.next(&buffer) { read.append(operation) }
        }
        #expect(read == Self.expected)
        #expect(buffer.readableBytes == 0)
    }

    @Test(
        "what is not of the protocol is refused",
        arguments: [
            "HTTP/1.1 400 Bad Request\r\n", "\r\n", "MSG a 1\r\n", "MSG a 1 -1\r\n", "MSG a 1 99999999999\r\n",
            "MSG a 1 9223372036854775807\r\n", "HMSG a 1 5 4\r\nabcd\r\n", "MSG a 1 2\r\nabcd\r\n",
            "HMSG a 1 4 4\r\nabcd\r\n",
        ])
    func damage(_ text: String) {
        #expect(throws: NatsError.self) {
            var (decoder, buffer) = (NatsDecoder(), ByteBuffer(string: text))
            _ = try decoder.next(&buffer)
        }
    }

    @Test("a line that does not end is refused before it fills the memory")
    func endless() {
        var (decoder, buffer) = (NatsDecoder(), ByteBuffer(repeating: UInt8(ascii: "a"), count: 300_000))
        #expect(throws: NatsError.self) { _ = try decoder.next(&buffer) }
    }

    @Test("the place of a message is read from both forms of its reply subject")
    func places() {
        #expect(
            DeliveryPlace("$JS.ACK.KV_b.c.1.70.3.1700000000.5").map { [$0.sequence, $0.delivery, $0.pending] } == [70, 3, 5])
        #expect(
            DeliveryPlace("$JS.ACK._.hash.KV_b.c.1.70.3.1700000000.5.token").map { [$0.sequence, $0.delivery, $0.pending] } == [
                70, 3, 5,
            ])
        for reply in [nil, "", "a.b", "$JS.ACK.KV_b.c.1.x.1.1.5", "$JS.API.KV_b.c.1.70.1.1.5"] {
            #expect(DeliveryPlace(reply) == nil)
        }
    }
}
