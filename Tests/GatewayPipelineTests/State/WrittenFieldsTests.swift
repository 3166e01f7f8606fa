import FleetSimulator
import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import StateCoding
import TelemetryModel
import Testing

@Suite("States that write their fields themselves")
struct WrittenFieldsTests {
    @Test("every stored property is written, in the states of a fleet of all kinds")
    func complete() throws {
        var harness = PipelineHarness(policy: AccessPolicy(unknown: .everything))
        var devices: Set<String> = []
        for message in Fleet.demo(startingAt: 1_763_749_000, duration: 18) {
            devices.insert(message.device)
            _ = harness.send(
                RecordedMessage(
                    at: message.at + 0.05,
                    message: InboundMessage(topic: message.topic(), payload: message.payload, retain: message.retain)))
        }
        var seen: Set<String> = []
        for device in devices.compactMap({ DeviceID($0) }) {
            if let state = harness.pipeline.state(of: device) { try check(state, &seen) }
        }
        #expect(
            seen.isSuperset(of: ["DeviceIntake", "BootFrames", "SubmersionDerivation", "Immersion", "SessionDerivation"]),
            "\(seen)")
    }

    /// Compares the stored properties of every value in `value` that writes its own fields with those in its document.
    private func check(_ value: Any, _ seen: inout Set<String>) throws {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            for wrapped in mirror.children { try check(wrapped.value, &seen) }
            return
        }
        let name = "\(mirror.subjectType)"
        // They choose what they store.
        let isCustom =
            value is FrameHistory || value is WaitingMessages || value is any SessionSum || name == "StrokeCount"
            || name.hasPrefix("SessionEntry<")
        if let fields = value as? any FieldEncodable, !isCustom {
            seen.insert(name)
            let written = try StateCoder.decode([String: Anything].self, from: StateCoder.encode(fields)).count
            let stored = mirror.children.filter { Mirror(reflecting: $0.value).displayStyle != .optional || !isNil($0.value) }
                .count
            #expect(written == stored, "\(name)")
        }
        for child in mirror.children { try check(child.value, &seen) }
    }

    private func isNil(_ value: Any) -> Bool { Mirror(reflecting: value).children.isEmpty }

    /// A value of any type, which is not read.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {}
    }
}
