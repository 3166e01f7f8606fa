import GatewayPipeline
import GatewayTestSupport
import Logging
import Testing

@testable import GatewayRuntime

@Suite("The log of rejected messages")
struct RejectionLogTests {
    private let collected = CollectedLog()

    private func rejected(_ device: String, count: Int = 1) -> OutboundMessage {
        let payload =
            #"{"reason":"malformedJSON","pointer":"/a\u001b","detail":"no \"value\"","topic":"wearables/\#(device)/in/status","count":\#(count)}"#
        return OutboundMessage(topic: "wearables/\(device)/out/rejected", payload: Array(payload.utf8))
    }

    @Test("a device has one line in 10 s, which states how many were left out before it")
    func device() {
        var log = RejectionLog(logger: collected.logger, metadata: ["lane": "safety"])
        for second in 0..<10 { log.note([rejected("a", count: 2)], at: Double(second)) }
        #expect(collected.lines.count == 1)
        log.note([rejected("a")], at: 10)
        #expect(collected.lines.count == 2)
        #expect(collected.lines.last?.contains("more=18") == true, "\(collected.lines)")
    }

    @Test("topic, reason, place and detail are in the line, without control characters")
    func content() throws {
        var log = RejectionLog(logger: collected.logger, metadata: ["lane": "safety"])
        log.note([OutboundMessage(topic: "wearables/a/out/dive", payload: Array("{}".utf8)), rejected("a")], at: 0)
        let line = try #require(collected.lines.first)
        #expect(collected.lines.count == 1)
        for part in ["wearables/a/in/status", "malformedJSON", #"/a\u{1B}"#, #"no \"value\""#, "lane=safety"] {
            #expect(line.contains(part), "\(line)")
        }
        #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test("many devices have ten lines a second, and leave a bounded memory")
    func many() {
        var log = RejectionLog(logger: collected.logger, metadata: [:])
        for second in 0..<3 { for device in 0..<5_000 { log.note([rejected("d\(device)")], at: Double(second)) } }
        #expect(collected.lines.count == 30)
    }

    @Test("nothing is logged above the level info")
    func level() {
        var logger = collected.logger
        logger.logLevel = .notice
        var log = RejectionLog(logger: logger, metadata: [:])
        log.note([rejected("a")], at: 0)
        #expect(collected.lines.isEmpty)
    }
}
