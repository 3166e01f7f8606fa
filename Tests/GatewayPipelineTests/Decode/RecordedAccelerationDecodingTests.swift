import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Recorded acceleration is decoded")
struct RecordedAccelerationDecodingTests {
    private func decode(_ samples: String, sent: String = #","sent":1763749000"#) throws(Rejection) -> RecordedAcceleration {
        let frame = #"{"schema":"wearables/1","boot":"b","seq":0,"uptime":100\#(sent),"samples":\#(samples)}"#
        let decoded = try Decoding.decode(.recordedAccelerometer, Array(frame.utf8))
        guard case .model(.recordedAcceleration(let samples)) = decoded.body else { throw Rejection(.wrongType, "another body") }
        return samples
    }

    @Test("as columns, or with start and interval")
    func columns() throws {
        let columns = try decode(
            #"{"identifier":[7,8],"startDate":[1763748900,1763748900.02],"timestamp":[1,2],"x":[0,0.5],"y":[0,0],"z":[-1,-1]}"#)
        #expect(columns.identifier == [7, 8])
        #expect(columns.startDate.map(\.seconds) == [1_763_748_900, 1_763_748_900.02])
        #expect(columns.acceleration[1] == SIMD3(0.5, 0, -1))
        let even = try decode(#"{"startDate":{"start":1763748900,"interval":0.5},"x":[0,0],"y":[0,0],"z":[-1,-1]}"#)
        #expect(even.identifier == nil)
        #expect(even.startDate.map(\.seconds) == [1_763_748_900, 1_763_748_900.5])
    }

    static let faults: [(String, RejectionReason, String)] = [
        (#"{"x":[0],"y":[0],"z":[0]}"#, .missingField, "/samples/startDate"),
        (#"{"startDate":[],"x":[],"y":[],"z":[]}"#, .columnLength, "/samples/startDate"),
        (#"{"startDate":[1763748900],"x":[0,0],"y":[0],"z":[0]}"#, .columnLength, "/samples/x"),
        (#"{"startDate":[1763748900],"x":[0],"y":[64.5],"z":[0]}"#, .invalidValue, "/samples/y/0"),
        (#"{"startDate":[1763748900],"x":[0],"y":["NaN"],"z":[0]}"#, .notFinite, "/samples/y/0"),
        (#"{"startDate":[1763748900,1763748900.004],"x":[0,0],"y":[0,0],"z":[0,0]}"#, .timestampOrder, "/samples/startDate/1"),
        (#"{"startDate":[1763748900,1763748900.6],"x":[0,0],"y":[0,0],"z":[0,0]}"#, .timestampOrder, "/samples/startDate/1"),
        (#"{"startDate":[100,100.02],"x":[0,0],"y":[0,0],"z":[0,0]}"#, .timeOutOfRange, "/samples/startDate/0"),
        (#"{"startDate":[1763749005.1],"x":[0],"y":[0],"z":[0]}"#, .timeOutOfRange, "/samples/startDate/0"),
        (
            #"{"identifier":[8,8],"startDate":[1763748900,1763748900.02],"x":[0,0],"y":[0,0],"z":[0,0]}"#, .invalidValue,
            "/samples/identifier/1"
        ),
        (#"{"identifier":[-1],"startDate":[1763748900],"x":[0],"y":[0],"z":[0]}"#, .invalidValue, "/samples/identifier/0"),
        (#"{"identifier":[1.5],"startDate":[1763748900],"x":[0],"y":[0],"z":[0]}"#, .wrongType, "/samples/identifier/0"),
        (
            #"{"startDate":{"start":1763748900,"interval":0},"x":[0,0],"y":[0,0],"z":[0,0]}"#, .timestampOrder,
            "/samples/startDate"
        ),
        (#"{"startDate":{"start":1e300,"interval":0.02},"x":[0],"y":[0],"z":[0]}"#, .timeOutOfRange, "/samples/startDate"),
    ]

    @Test("A fault is reported with its place", arguments: faults)
    func fault(samples: String, reason: RejectionReason, pointer: String) {
        let rejection = #expect(throws: Rejection.self) { try decode(samples) }
        #expect(rejection?.reason == reason)
        #expect(rejection?.pointer == pointer)
    }
}
