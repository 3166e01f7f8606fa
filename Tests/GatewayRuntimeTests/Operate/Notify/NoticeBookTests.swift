import GatewayTestSupport
import LocalBroker
import Logging
import Mosquitto
import Testing

@testable import GatewayRuntime
import GatewayPipeline
import TelemetryModel

@Suite("Alarms that wait, on disk")
struct NoticeBookTests {
    private let directory: TemporaryDirectory
    private let log = CollectedLog()

    init() throws { directory = try TemporaryDirectory() }

    private func book(least: AlarmSeverity = .info) throws -> NoticeBook {
        try NoticeBook(NoticeStore(folder: directory.path("notify")), root: "wearables", least: least, logger: log.logger)
    }

    private func message(
        _ id: String, _ state: String = "raised", device: String = "d", severity: String = "warning", since: Int = 1
    )
        -> MQTTMessage
    {
        let payload = #"{"id":"\#(id)","alarm":"x","severity":"\#(severity)","state":"\#(state)","since":\#(since)}"#
        return MQTTMessage(topic: "wearables/\(device)/out/alarm/x", payload: Array(payload.utf8))
    }

    private func told(_ book: NoticeBook) throws -> [String] {
        var ids: [String] = []
        while let due = try book.next(at: .now) {
            ids.append(due.alarm.id)
            book.told(due.notice)
        }
        return ids
    }

    @Test("What is not told is there after a restart, once, and what was told is not told again")
    func restart() throws {
        do {
            let book = try book()
            try book.take([message("1"), message("2", device: "e"), message("1")])
            #expect(try book.next(at: .now)?.alarm.id == "1")
        }
        do {
            let book = try book()
            #expect(book.count == 2)
            try book.take([message("1"), message("2", device: "e"), message("3", "cleared")])
            #expect(try told(book) == ["1", "2", "3"])
        }
        let last = try book()
        try last.take([message("1"), message("3", "cleared")])
        #expect(last.count == 0)
    }

    @Test("An alarm that is no more is forgotten, and raised again it is told")
    func emptied() throws {
        let book = try book()
        try book.take([message("1"), message("2", "cleared")])
        #expect(try told(book) == ["1", "2"])
        try book.take([MQTTMessage(topic: message("1").topic, payload: [], retain: true), message("3")])
        #expect(try told(book) == ["3"])
    }

    @Test("A cleared alarm is reported only where a message of it was received before")
    func unseenEnd() throws {
        let book = try book()
        try book.take([message("1", "cleared"), message("2", "acknowledged", device: "e"), message("3", "cleared", device: "e")])
        #expect(try told(book) == ["3"])
        try book.take([message("4", since: 2), message("5", "cleared", since: 2)])
        #expect(try told(book) == ["4", "5"])
    }

    @Test("Less severe alarms are not told; what cannot be read is named in the log and holds up nothing")
    func severity() throws {
        let book = try book(least: .critical)
        let damaged = MQTTMessage(topic: "wearables/d/out/alarm/y", payload: Array("{".utf8))
        try book.take([message("1"), damaged, message("2", device: "e", severity: "critical")])
        #expect(try told(book) == ["2"])
        #expect(log.contains("cannot be read"))
    }

    @Test("Of one alarm for which the command fails the newest messages are kept, and the log says that others are left out")
    func omitted() throws {
        let book = try book()
        for index in 0..<40 {
            try book.take([message("\(index)", index.isMultiple(of: 2) ? "raised" : "cleared", since: index / 2)])
        }
        #expect(book.count == NoticeQueue.mostOfTopic)
        #expect(log.contains("left out"))
        #expect(try told(book) == (24..<40).map { "\($0)" })
    }

    @Test("Two programs do not share a folder")
    func lock() throws {
        let first = try book()
        #expect(throws: GatewayError.self) { try book() }
        _ = first
    }
}
