import GatewayPipeline
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("What devices are told to be committed")
struct AcknowledgementBookTests {
    private var book = AcknowledgementBook()

    private func message(_ number: Int, _ stream: String = "submersion") -> OutboundMessage {
        OutboundMessage(topic: "wearables/d1/out/ack/\(stream)", payload: Array("\(number)".utf8), retain: true)
    }

    private mutating func note(_ messages: OutboundMessage..., of device: String = "d1") throws {
        book.note(messages, of: try #require(DeviceID(device)))
    }

    @Test("the first is told at once, and of those within a second the newest when it is over")
    mutating func rate() throws {
        try note(message(1))
        #expect(book.due(at: 10) == [message(1)])
        try note(message(2))
        try note(message(3))
        #expect(book.due(at: 10.9) == [])
        #expect(book.due(at: 11) == [message(3)])
        #expect(book.due(at: 20) == [])
    }

    @Test("every stream has a second of its own")
    mutating func streams() throws {
        try note(message(1))
        #expect(book.due(at: 10) == [message(1)])
        try note(message(2), message(7, "batched-imu"))
        #expect(book.due(at: 10.5) == [message(7, "batched-imu")])
        #expect(book.due(at: 11) == [message(2)])
    }

    @Test("what is known is not told twice, unless the broker has lost it")
    mutating func again() throws {
        try note(message(1))
        #expect(book.due(at: 10) == [message(1)])
        try note(message(1))
        #expect(book.due(at: 20) == [])
        book.tellAgain()
        #expect(book.due(at: 30) == [message(1)])
    }

    @Test("a device of which nothing is kept is told nothing, then or later")
    mutating func forgotten() throws {
        try note(message(1))
        try note()
        #expect(book.due(at: 10) == [])
        book.tellAgain()
        #expect(book.due(at: 20) == [])
    }
}
