import GatewayPipeline
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("Committed messages")
struct CommittedReportsTests {
    private var reports = CommittedReports()

    private func message(_ number: Int, _ stream: String = "submersion") -> OutboundMessage {
        OutboundMessage(topic: "wearables/d1/out/committed/\(stream)", payload: Array("\(number)".utf8), retain: true)
    }

    private mutating func note(_ messages: OutboundMessage..., of device: String = "d1") throws {
        reports.note(messages, of: try #require(DeviceID(device)))
    }

    @Test("the first is published at once, and of those within a second the newest when it is over")
    mutating func rate() throws {
        try note(message(1))
        #expect(reports.due(at: 10) == [message(1)])
        try note(message(2))
        try note(message(3))
        #expect(reports.due(at: 10.9) == [])
        #expect(reports.due(at: 11) == [message(3)])
        #expect(reports.due(at: 20) == [])
    }

    @Test("every stream has an interval of its own")
    mutating func streams() throws {
        try note(message(1))
        #expect(reports.due(at: 10) == [message(1)])
        try note(message(2), message(7, "batched-imu"))
        #expect(reports.due(at: 10.5) == [message(7, "batched-imu")])
        #expect(reports.due(at: 11) == [message(2)])
    }

    @Test("an unchanged message is published once, and again after the broker lost it")
    mutating func again() throws {
        try note(message(1))
        #expect(reports.due(at: 10) == [message(1)])
        try note(message(1))
        #expect(reports.due(at: 20) == [])
        reports.repeatAll()
        #expect(reports.due(at: 30) == [message(1)])
    }

    @Test("nothing is published for a device whose state was deleted")
    mutating func forgotten() throws {
        try note(message(1))
        try note()
        #expect(reports.due(at: 10) == [])
        reports.repeatAll()
        #expect(reports.due(at: 20) == [])
    }
}
