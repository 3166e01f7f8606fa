import GatewayPipeline
import GatewayTestSupport
import Mosquitto
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("The payload of a message")
struct PayloadTests {
    private func place(_ payload: [UInt8]) -> UInt {
        unsafe payload.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    @Test("is copied out of libmosquitto, and not again on its way to decoder and journal")
    func isShared() throws {
        var device = TestDevice()
        let sent = device.depth(3, uptime: 100).message
        let delivered = MQTTMessage(topic: sent.topic, payload: sent.payload)
        let settings = PipelineHarness.settings
        var check = AdmissionCheck(policy: AccessPolicy(unknown: .everything), settings: settings)
        var messages: [OutboundMessage] = []
        let known = try #require(check.admit(InboundMessage(delivered), at: .at(100), into: &messages).first)
        let decoded = try MessageDecoder().decode(known.message, stream: .submersion, received: .at(100))
        #expect(place(known.message.payload) == place(delivered.payload))
        #expect(place(decoded.message.payload) == place(delivered.payload))
    }
}
