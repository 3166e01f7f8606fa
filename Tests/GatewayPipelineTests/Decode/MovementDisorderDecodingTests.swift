import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Movement disorder results are decoded")
struct MovementDisorderDecodingTests {
    private func decode(_ body: String) throws(Rejection) -> MovementDisorderResults {
        let frame = #"{"schema":"wearables/1","boot":"b","seq":0,"uptime":100,"sent":1763749000,\#(body)}"#
        let decoded = try Decoding.decode(.movementDisorder, Array(frame.utf8))
        guard case .model(.movementDisorder(let results)) = decoded.body else { throw Rejection(.wrongType, "another body") }
        return results
    }

    private static func minute(
        _ start: String = "1763748900", _ end: String = "1763748960", none: String = "1", slight: String = "0"
    ) -> String {
        #"{"startDate":\#(start),"endDate":\#(end),"unknown":0,"none":\#(none),"slight":\#(slight),"mild":0,"moderate":0,"strong":0}"#
    }

    @Test("Each list alone, sorted by start; sums within a hundredth of 1")
    func lists() throws {
        let tremor = try decode(
            #""tremor":[\#(Self.minute("1763748960", "1763749004")),\#(Self.minute(none: "0.4", slight: "0.595"))]"#)
        #expect(tremor.tremor.map(\.start.seconds) == [1_763_748_900, 1_763_748_960])
        #expect(tremor.tremor[0].none == 0.4 && tremor.tremor[0].slight == 0.595 && tremor.dyskinesia.isEmpty)
        let other = try decode(
            #""tremor":null,"dyskinesia":[{"startDate":1763748900,"endDate":1763748960,"unlikely":0.3,"likely":0.7}]"#)
        #expect(other.tremor.isEmpty && other.dyskinesia.map(\.likely) == [0.7])
    }

    static let faults: [(String, RejectionReason, String)] = [
        (#""other":[]"#, .missingField, ""),
        (#""tremor":[{"startDate":1763748900,"endDate":1763748960}]"#, .missingField, "/tremor/0/unknown"),
        (#""tremor":[\#(minute(none: "0.98"))]"#, .invalidValue, "/tremor/0"),
        (#""tremor":[\#(minute(none: "0.9", slight: "0.12"))]"#, .invalidValue, "/tremor/0"),
        (#""tremor":[\#(minute(none: "1.2", slight: "-0.2"))]"#, .invalidValue, "/tremor/0/none"),
        (#""tremor":[\#(minute(none: "1e400"))]"#, .notFinite, "/tremor/0/none"),
        (#""tremor":[\#(minute("1763748960", "1763748960"))]"#, .invalidValue, "/tremor/0/endDate"),
        (#""tremor":[\#(minute("1763748960", "1763749006"))]"#, .timeOutOfRange, "/tremor/0/endDate"),
        (#""tremor":[\#(minute("60", "120"))]"#, .timeOutOfRange, "/tremor/0/startDate"),
        (
            #""dyskinesia":[{"startDate":1763748900,"endDate":1763748960,"unlikely":0.3,"likely":0.6}]"#, .invalidValue,
            "/dyskinesia/0"
        ),
        (#""tremor":[\#(Array(repeating: minute(), count: 257).joined(separator: ","))]"#, .columnLength, "/tremor"),
    ]

    @Test("A fault is reported with its place", arguments: faults)
    func fault(body: String, reason: RejectionReason, pointer: String) {
        let rejection = #expect(throws: Rejection.self) { try decode(body) }
        #expect(rejection?.reason == reason)
        #expect(rejection?.pointer == pointer)
    }
}
