import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import LocalBroker
import Mosquitto
import TelemetryModel
import Testing

@Suite("Producers of the configuration")
struct ProducersTests {
    private func load(
        producers: String, registry: String = "devices: {}"
    ) throws -> (producers: Producers, registry: Registry?, problems: [String]) {
        let directory = try TemporaryDirectory()
        var configuration = GatewayConfiguration()
        configuration.producers.file = try directory.write(producers, to: "producers.yaml")
        configuration.registry.file = try directory.write(registry, to: "registry.yaml")
        let (producers, problems) = Producers.load(configuration)
        let (registry, more) = configuration.loadRegistry(for: producers)
        return (producers, registry, (problems + more).map { "\($0.keyPath):\($0.line ?? 0): \($0.message)" })
    }

    @Test func `A lane subscribes to the topics of the producers that it carries`() throws {
        let (producers, _, problems) = try load(producers: "sensorLogger: { topic: [sensor-logger, 'team/{user}/app'] }")
        #expect(problems.isEmpty)
        let configuration = GatewayConfiguration()
        let filters = LanePlan.lanes(of: configuration).map { $0.filters(of: configuration, producers: producers) }
        let own = ["sensor-logger", "team/+/app"]
        #expect(filters.map { $0.filter(own.contains) } == [[], own, []])
        let shared = MosquittoConfiguration.ingress(configuration, LanePlan.lanes(of: configuration), producers: producers)
        #expect(Set(shared.subscriptions.map(\.filter)).isSuperset(of: own))
    }

    @Test func `A section without keys has its defaults`() throws {
        let (producers, _, problems) = try load(producers: "sensorLogger:\n")
        #expect(problems.isEmpty)
        #expect(producers.subscriptions.map(\.filter) == ["sensor-logger"])
    }

    @Test func `Problems have their places`() throws {
        let problems = try load(
            producers: "sensorLogger:\n  topics: x\nsensorLog:\n  topic: y\n",
            registry: """
                devices:
                  anna: { from: { producer: sensorLog, topic: sensor-logger, id: A } }
                  bert: { from: { producer: sensorLogger, topic: sensor-loggers, id: A } }
                  carl: { from: { producer: sensorLogger, topic: sensor-logger, id: B } }
                """
        ).problems
        #expect(problems.contains { $0.hasPrefix("sensorLog:3: is not a key here") })
        #expect(problems.contains { $0.hasPrefix("sensorLogger.topics:2: is not a key here") })
        #expect(problems.contains(#"devices.anna.from:2: names "sensorLog", which has no section in the producers file"#))
        #expect(problems.contains(#"devices.bert.from:3: names the topic "sensor-loggers", which is none of sensorLogger's"#))
        #expect(problems.count == 4)
    }

    @Test(arguments: [
        "'#'", "wearables/+/in/headphone-motion", "+/+/out/depth-state", "fathom/gateway/status", "'{a}/{b}/{c}/{d}'",
    ])
    func `A producer cannot take the gateway's own topics`(topic: String) throws {
        let problems = try load(producers: "sensorLogger: { topic: \(topic) }").problems
        #expect(problems.count == 1)
        #expect(problems.first?.contains("takes in the gateway's own") == true)
    }

    @Test func `The registry binds senders to devices`() throws {
        let registry = try #require(
            try load(
                producers: "sensorLogger: { topic: sensor-logger/+ }",
                registry: """
                    devices:
                      anna: { from: { producer: sensorLogger, topic: sensor-logger/anna, id: A, standardised: false } }
                    """
            ).registry)
        let policy = AccessPolicy(registry)
        let anna = try #require(DeviceID("anna"))
        #expect(policy.device(of: .bound(topic: "sensor-logger/anna", id: "A")) == anna)
        #expect(policy.device(of: .bound(topic: "sensor-logger/bert", id: "A")) == nil)
        #expect(policy.device(of: .bound(topic: "sensor-logger/anna", id: "B")) == nil)
        #expect(policy.policy(for: anna)?.isStandardised == false)
    }
}
