import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import TelemetryModel

internal import Foundation

/// Targets whose input is the payload of one message.
enum MessageTargets {
    /// A frame of the contract: the first byte is the number of its stream, the second whether it is retained.
    static func native(_ input: [UInt8], contentType: String? = nil) {
        var input = FuzzInput(input)
        let stream = StreamName.allCases[input.index(below: StreamName.allCases.count)]
        let retain = input.byte() & 1 == 1
        process(
            InboundMessage(
                topic: "wearables/d1/in/\(stream.rawValue)", payload: input.remainder(), retain: retain, contentType: contentType)
        )
    }

    /// A message of the app Sensor Logger.
    static func sensorLogger(_ input: [UInt8]) {
        process(InboundMessage(topic: "sensor-logger/user", payload: input))
    }

    /// A payload of the mappings in the example configuration; the first byte is the number of the topic.
    static func mapped(_ input: [UInt8]) {
        var input = FuzzInput(input)
        let topics = [
            "sensorlog/d1", "phyphox/d1", "d1/sensor/water_pressure/state", "d1/sensor/water_temperature/state",
            "fuzz/depth/d1", "fuzz/steps/d1", "fuzz/altitude/d1", "fuzz/raw/d1",
        ]
        process(InboundMessage(topic: topics[input.index(below: topics.count)], payload: input.remainder()))
    }

    /// A presence message; the first byte is the number of the topic.
    static func presence(_ input: [UInt8]) {
        var input = FuzzInput(input)
        let topics = [
            "owntracks/anna/phone", "homie/5/scale/$state", "buoy-1/status", "ble/presence/c0:52:3f:50:42:c9",
            "zigbee2mqtt/tap/availability",
        ]
        process(InboundMessage(topic: topics[input.index(below: topics.count)], payload: input.remainder(), retain: true))
    }

    /// Processes a message, what its device may wait for, and the end.
    private static func process(_ message: InboundMessage) {
        var gateway = FuzzGateway(rules)
        var published = gateway.send(message)
        published += gateway.advance(by: 90)
        published += gateway.end()
        _ = gateway.checkpoint()
        let bytes = published.reduce(0) { $0 + $1.payload.count }
        require(bytes < 64 * 1024 + 64 * message.payload.count, "\(bytes) bytes are published of \(message.payload.count)")
    }

    private static let rules = {
        var settings = FuzzGateway.settings
        settings.producers = producers
        return FuzzRules(settings)
    }()

    /// The producers of `producers.yaml` beside the corpus.
    static let producers = {
        var configuration = GatewayConfiguration()
        configuration.producers.file = FuzzFiles.producers
        let (producers, problems) = Producers.load(configuration)
        require(problems.isEmpty, "\(problems)")
        return producers
    }()
}
