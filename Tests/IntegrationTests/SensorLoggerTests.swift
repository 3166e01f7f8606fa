import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Mosquitto
import TelemetryModel
import Testing

@Suite("Sensor Logger through a real broker")
struct SensorLoggerTests {
    private static let registry = """
        devices:
          anna:
            from: { producer: sensorLogger, topic: sensor-logger/anna, id: 9E2A6C1E-1D7B-4C55-8B53-0D8E9C4A7F10 }
        """

    @Test("messages of QoS 0 become head poses of the registered device")
    func headPoses() async throws {
        let directory = try TemporaryDirectory()
        let registryFile = try directory.write(Self.registry, to: "registry.yaml")
        let producersFile = try directory.write("sensorLogger: { topic: 'sensor-logger/{user}' }\n", to: "producers.yaml")
        let configure: (inout GatewayConfiguration) -> Void = { configuration in
            configuration.registry.file = registryFile
            configuration.producers.file = producersFile
            configuration.derive[HeadPoseDerivation.self].rateHertz = 10
        }
        var configuration = GatewayConfiguration()
        configure(&configuration)
        let (producers, problems) = Producers.load(configuration)
        let (registry, more) = configuration.loadRegistry(for: producers)
        #expect((problems + more).isEmpty)

        try await GatewayFixture.run(
            configure: configure, registry: try #require(registry), producers: producers
        ) { fixture in
            let start = now - 6
            var app = SensorLoggerApp()
            let head = (0..<250).map { AppReading(time: start + Double($0) / 50, yaw: 0) }
            try await fixture.publish([app.raw(at: start, #"{"test":true}"#)], qos: .atMostOnce)
            try await fixture.publish(
                app.messages(from: start, seconds: 5, headphones: head), qos: .atMostOnce)
            try await eventually("head poses") {
                fixture.watcher.messages(of: "anna").filter { $0.kind == "head-pose" }.count > 20
            }
            // Another lane judges the device's connection.
            for kind in ["connection/headphone", "connection/device", "convention/headphone-motion"] {
                try await eventually(kind) { fixture.watcher.messages(of: "anna").contains { $0.kind == kind } }
            }
            #expect(
                fixture.watcher.messages.contains { $0.topic == "fathom/test/rejected" && $0.text("reason") == "missingField" })
        }
    }
}
