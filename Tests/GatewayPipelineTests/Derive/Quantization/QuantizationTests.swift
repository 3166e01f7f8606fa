import GatewayRuntime
import GatewayTestSupport
import ProtobufFrames
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Quantization")
struct QuantizationTests {
    private static let fields = ["acceleration", "rotationRate", "userAcceleration", "gravity"]

    /// A frame in Protocol Buffers.
    private func encoded(_ frame: RecordedMessage, _ columns: ProtobufFrameEncoder.Columns) throws -> RecordedMessage {
        let stream = try #require(frame.message.topic.split(separator: "/").last.flatMap { StreamName(rawValue: String($0)) })
        var encoded = frame
        encoded.message.payload = try ProtobufFrameEncoder(columns).encode(json: frame.message.payload, stream: stream)
        encoded.message.contentType = ProtobufFrameEncoder.contentType
        return encoded
    }

    private func errors(_ messages: [DerivedJSON]) -> [[Double?]] {
        messages.filter { $0.kind.hasPrefix("quantization/") }.map { message in Self.fields.map { message.number($0) } }
    }

    @Test("The error of scaled columns is half of their scale, and is published when it changes")
    func changes() throws {
        var device = TestDevice("pods-1")
        var harness = PipelineHarness()
        var frames: [RecordedMessage] = []
        for index in 0..<4 { frames.append(device.stillHead(uptime: 100 + Double(index))) }
        let first = harness.send(try encoded(frames[0], .packed))
        let error = try #require(errors(first).first)
        #expect(first.contains { $0.topic == "wearables/pods-1/out/quantization/headphone-motion" && $0.retain })
        let expected: [Double?] = [nil, 0.000_25, 0.000_25, 0.000_25]
        #expect(error == expected)
        #expect(errors(harness.send(try encoded(frames[1], .packed))).isEmpty)
        #expect(errors(harness.send(try encoded(frames[2], .floats))) == [[nil, nil, nil, nil]])
        #expect(errors(harness.send(frames[3])).isEmpty)
    }

    @Test("A device that sends no scaled columns has no such message")
    func none() throws {
        var device = TestDevice("pods-1")
        var harness = PipelineHarness()
        for uptime in [100.0, 101] {
            let frame = device.stillHead(uptime: uptime)
            #expect(errors(harness.send(uptime == 100 ? frame : try encoded(frame, .floats))).isEmpty)
        }
        let id = try #require(DeviceID("pods-1"))
        #expect(harness.pipeline.state(of: id)?.boot.derivations[QuantizationDerivation.self] == nil)
    }

    @Test("A batch has an error for each of its halves, and a reboot publishes none again")
    func batch() throws {
        var harness = PipelineHarness(policy: AccessPolicy(unknown: .everything))
        var device = TestDevice("watch-1")
        let first = harness.send(try encoded(device.accelerometer(start: 100), .packed))
        #expect(errors(first).map { $0.map { $0 != nil } } == [[true, false, false, false]])
        var rebooted = TestDevice("watch-1", boot: "b2", offset: device.offset + 50)
        #expect(errors(harness.send(try encoded(rebooted.accelerometer(start: 100), .packed))).isEmpty)
    }
}
