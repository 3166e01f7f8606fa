import Mosquitto
import Testing

@testable import GatewayRuntime

@Suite("What a check of the connections acknowledges")
struct ProbeHandlerTests {
    private let own = MQTTMessage(topic: "wearables/gateway-out/in/status", payload: [1])
    private let foreign = MQTTMessage(topic: "wearables/ultra-1/in/submersion", payload: [2])

    @Test("Its own messages, so that the gateway does not receive them later")
    func itsOwn() {
        let deliveries = ProbeHandler.Deliveries(own: own.payload)
        let handler = ProbeHandler(deliveries)
        handler.receive([own])
        #expect(handler.review(isStopping: false).acknowledgements == .write)
        #expect(deliveries.contain(own.topic) && !deliveries.contain(foreign.topic))
    }

    @Test("Nothing once a device's message was delivered: the broker delivers it again")
    func devices() {
        let deliveries = ProbeHandler.Deliveries(own: own.payload)
        let handler = ProbeHandler(deliveries)
        handler.receive([foreign])
        #expect(handler.review(isStopping: false).acknowledgements == .hold)
        handler.receive([own])
        #expect(handler.review(isStopping: false).acknowledgements == .hold)
        #expect(handler.review(isStopping: true).acknowledgements == .release)
        #expect(deliveries.count == 2)
    }
}
