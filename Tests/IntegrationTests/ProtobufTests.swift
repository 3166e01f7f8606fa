import FleetSimulator
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import ProtobufFrames
import TelemetryModel
import Testing

@Suite("Protocol Buffers through a real broker")
struct ProtobufTests {
    /// What simulated devices send in the minute before now.
    private func frames(_ columns: ProtobufFrameEncoder.Columns) throws -> [RecordedMessage] {
        let encoder = ProtobufFrameEncoder(columns)
        let fleet = Fleet(
            kinds: [.diver, .batter], count: 2, startingAt: now - 60, duration: 60, seed: 4)
        return try fleet.map { message in
            let topic = message.topic()
            let stream = try #require(topic.split(separator: "/").last.flatMap { StreamName(rawValue: String($0)) })
            let payload = try encoder.encode(json: message.payload, stream: stream)
            return RecordedMessage(
                at: message.at,
                message: InboundMessage(
                    topic: topic, payload: payload, retain: message.retain, contentType: ProtobufFrameEncoder.contentType))
        }
    }

    @Test(
        "frames with floats and with scaled integers give live what they give in a replay",
        arguments: ProtobufFrameEncoder.Columns.allCases)
    func simulated(columns: ProtobufFrameEncoder.Columns) async throws {
        let frames = try frames(columns)
        let kinds: Set<String> = ["depth-state", "dive", "swing", "impact", "rejected", "gap", "quantization/batched-imu"]
        func events(_ messages: [DerivedJSON]) -> Set<String> { Set(messages.filter { kinds.contains($0.kind) }.map(\.lasting)) }
        // However slow the machine is, the diver is not silent.
        let configure = { (configuration: inout GatewayConfiguration) in
            configuration.derive[SubmersionDerivation.self].staleSeconds = 300
        }
        let messages = try replayed(frames, configure: configure)
        let expected = events(messages)
        #expect(expected.count > 10 && !messages.contains { $0.kind == "rejected" })
        #expect(messages.contains { $0.kind == "quantization/batched-imu" } == (columns == .packed))
        try await GatewayFixture.run(configure: configure) { fixture in
            try await fixture.publish(frames)
            try await eventually("everything is derived") { events(fixture.watcher.messages).isSuperset(of: expected) }
            #expect(events(fixture.watcher.messages) == expected)
        }
    }
}
