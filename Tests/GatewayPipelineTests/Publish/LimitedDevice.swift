import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

/// Frames whose boot, `seq` and instants a test chooses.
extension TestDevice {
    /// When the first of them is received.
    static let start = 1_763_744_000.0

    /// The device of all of them.
    static var name: DeviceID {
        get throws { try #require(DeviceID("d1")) }
    }

    /// One depth, received at `at`.
    static func submersion(
        boot: String, sequence: UInt64, uptime: Double, depth: Double = 3, at: Double, sent: Double? = nil
    ) -> RecordedMessage {
        chosen(
            "submersion", boot, sequence, uptime,
            #""measurements":[{"timestamp":\#(uptime),"depth":{"value":\#(depth),"unit":"m"}}]"#, at: at, sent: sent)
    }

    /// A status, received at `at`.
    static func changedStatus(sequence: UInt64, uptime: Double, state: String, at: Double) -> RecordedMessage {
        chosen("status", "b", sequence, uptime, #""state":"\#(state)""#, at: at)
    }

    private static func chosen(
        _ stream: String, _ boot: String, _ sequence: UInt64, _ uptime: Double, _ body: String, at: Double,
        sent: Double? = nil
    ) -> RecordedMessage {
        TestDevice().raw(
            stream, at: at,
            #"{"schema":"wearables/1","boot":"\#(boot)","seq":\#(sequence),"uptime":\#(uptime),"sent":\#(sent ?? at),\#(body)}"#)
    }
}

extension DerivedJSON {
    /// Whether a field is there.
    func has(_ key: String) -> Bool { fields[key] != nil }

    /// The pairs of a field.
    func ranges(_ key: String) -> [ClosedRange<UInt64>]? {
        (fields[key] as? [[UInt64]])?.compactMap { $0.count == 2 ? $0[0]...$0[1] : nil }
    }

    /// First and last `seq` of the source.
    var sequence: ClosedRange<UInt64>? {
        ((fields["source"] as? [String: Any])?["seq"] as? [UInt64]).flatMap { $0.count == 2 ? $0[0]...$0[1] : nil }
    }
}
