import Foundation
import GatewayPipeline
import Testing

@testable import GatewayRuntime
import TelemetryModel

@Suite("Alarm messages that somebody is told of")
struct AlarmMessageTests {
    private static let topic = "wearables/ultra-1/out/alarm/refused/submersion"

    private func payload(_ members: [String: String] = [:]) -> [UInt8] {
        let usual = [
            "id": #""a1""#, "alarm": #""refused""#, "severity": #""warning""#, "state": #""raised""#, "since": "1764288202",
            "value": #""notEntitled""#, "sourceKind": #""access/submersion""#, "field": #""reason""#, "count": "2",
            "clearedAt": "null",
        ]
        let text = usual.merging(members) { $1 }.filter { $0.value != "" }.map { #""\#($0.key)":\#($0.value)"# }.joined(
            separator: ",")
        return Array("{\(text)}".utf8)
    }

    private func message(_ members: [String: String] = [:], topic: String = topic) throws -> AlarmMessage {
        try AlarmMessage(topic: topic, payload: payload(members), root: "wearables")
    }

    @Test("Device and level come from the topic, everything else from the message")
    func environment() throws {
        let environment = try message().environment
        #expect(environment["FATHOM_ALARM_DEVICE"] == "ultra-1" && environment["FATHOM_ALARM_LEVEL"] == "refused/submersion")
        #expect(environment["FATHOM_ALARM_NAME"] == "refused" && environment["FATHOM_ALARM_SEVERITY"] == "warning")
        #expect(
            environment["FATHOM_ALARM_VALUE"] == "notEntitled" && environment["FATHOM_ALARM_SOURCE_KIND"] == "access/submersion")
        #expect(environment["FATHOM_ALARM_COUNT"] == "2" && environment["FATHOM_ALARM_CLEARED_AT"] == "")
        #expect(environment["FATHOM_ALARM_SINCE"] == "1764288202" && environment["FATHOM_ALARM_ID"] == "a1")
        #expect(
            environment["FATHOM_ALARM_TEXT"]
                == "warning: ultra-1: refused/submersion raised at 00:03:22 UTC (access/submersion: notEntitled)")
    }

    @Test("A line for a person is one line, whatever the message holds")
    func hostile() throws {
        let text = try message(["value": #""a\nb\u001b[2J\u0000""#, "since": "1e300", "sourceKind": "7"]).environment
        for (name, value) in text { #expect(value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "\(name)") }
        #expect(try !message(["since": #""soon""#]).text.contains("UTC"))
        #expect(
            try message(["value": "null", "sourceKind": "null"]).text
                == "warning: ultra-1: refused/submersion raised at 00:03:22 UTC"
        )
    }

    @Test(
        "What cannot be read is named",
        arguments: [
            ("severity", #""urgent""#, "severity urgent is not known"), ("state", #""gone""#, "state gone is not known"),
            ("id", "", "id is no text"), ("id", "7", "id is no text"),
            ("id", #""\#(String(repeating: "x", count: 201))""#, "id is too long"),
        ])
    func faults(member: String, value: String, fault: String) {
        #expect(throws: AlarmMessage.Fault(description: fault)) { try message([member: value]) }
    }

    @Test("Other topics, other bytes and large payloads are no alarms")
    func notAlarms() {
        for topic in [
            "wearables/ultra-1/out/alarm", "wearables/ultra-1/out/alarm/", "other/ultra-1/out/alarm/x", "wearables//out/alarm/x",
        ] {
            #expect(throws: AlarmMessage.Fault(description: "no topic of an alarm")) { try message(topic: topic) }
        }
        for bytes in [Array("[]".utf8), Array("{".utf8), [0xFF, 0x00]] {
            #expect(throws: AlarmMessage.Fault.self) { try AlarmMessage(topic: Self.topic, payload: bytes, root: "wearables") }
        }
        let large = Array(#"{"id":"\#(String(repeating: "x", count: AlarmMessage.mostBytes))"}"#.utf8)
        #expect(throws: AlarmMessage.Fault(description: "more than 60000 bytes")) {
            try AlarmMessage(topic: Self.topic, payload: large, root: "wearables")
        }
    }

    @Test("Told: each time an alarm is raised or cleared, and nothing else")
    func changes() throws {
        var seen: SeenAlarm?
        func take(_ id: String, _ state: String, since: String = "1") throws -> Bool {
            try seen.take(message(["id": #""\#(id)""#, "state": #""\#(state)""#, "since": since]))
        }
        #expect(try take("1", "raised"))
        #expect(try !take("1", "raised"), "delivered again")
        #expect(try !take("2", "raised"), "the same appearance, with another count")
        #expect(try !take("3", "acknowledged"))
        #expect(try take("4", "raised"), "raised anew, so not acknowledged any more")
        #expect(try take("5", "cleared"))
        #expect(try !take("4", "raised"), "delivered again, behind a later one")
        #expect(try take("6", "raised", since: "2"))
        #expect(try take("7", "raised", since: "3"), "raised again, and what came between is lost")
    }

    @Test("As many ids are kept as the broker may deliver again")
    func ids() throws {
        var seen: SeenAlarm?
        for index in 0..<1_000 { _ = try seen.take(message(["id": #""\#(index)""#])) }
        #expect(seen?.ids.count == SeenAlarm.mostIDs && seen?.ids.last == "999")
    }
}
