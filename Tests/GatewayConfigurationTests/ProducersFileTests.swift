import GatewayConfiguration
import GatewayPipeline
import Testing

@Suite("The producers file and the senders of devices")
struct ProducersFileTests {
    @Test("Any keys are read, with their paths and lines")
    func tree() throws {
        let (tree, problems) = ConfigurationTree.load(
            text: """
                sensorLogger:
                  topic: [a, "b/{user}"]
                mapped:
                  - { path: x }
                presence:
                """, name: "producers.yaml")
        #expect(problems.isEmpty)
        guard case .table(let table)? = tree?.value, case .table(let section)? = table["sensorLogger"]?.value,
            let topic = section["topic"], case .list(let topics) = topic.value
        else {
            Issue.record("\(String(describing: tree))")
            return
        }
        #expect((topic.path, topic.line) == ("sensorLogger.topic", 2))
        #expect(topics.map(\.value) == [.text("a"), .text("b/{user}")])
        #expect(topics.map(\.path) == ["sensorLogger.topic[0]", "sensorLogger.topic[1]"])
        #expect(table["presence"]?.value == .table([:]))
    }

    @Test("A half-written or missing file is a problem", arguments: ["", "# nothing\n", "a: [", "a: 1\na: 2"])
    func broken(text: String) {
        let (tree, problems) = ConfigurationTree.load(text: text, name: "producers.yaml")
        #expect(tree == nil)
        #expect(problems.count == 1)
        #expect(ConfigurationTree.load(file: "/nowhere/producers.yaml").problems.count == 1)
    }

    @Test("The shipped file is read, and relative to the configuration that names it")
    func shipped() async throws {
        try await TestFiles.withFolder([
            "fathom.yaml": "producers: { file: producers.yaml }", "producers.yaml": TestFiles.text("config/producers.yaml"),
        ]) { folder in
            let (configuration, problems) = GatewayConfiguration.load(file: "\(folder)/fathom.yaml")
            #expect(problems.isEmpty)
            #expect(configuration.producers.file == "\(folder)/producers.yaml")
            let (tree, more) = configuration.loadProducers()
            #expect(more.isEmpty)
            guard case .table(let table)? = tree?.value else { throw TestFailure() }
            #expect(table.keys.sorted() == ["sensorLogger"])
        }
        #expect(GatewayConfiguration().loadProducers().tree == nil)
    }

    @Test("A constant that no message could be read with is reported by its path and line")
    func constants() throws {
        let (tree, _) = ConfigurationTree.load(
            text: """
                mappings:
                  - name: pool
                    topic: pool/{device}
                    stream: submersion
                    fields:
                      depth: { pointer: /d, unit: m }
                      temperature: { pointer: /c, unit: C }
                      temperatureUncertainty: { constant: -1, unit: C }
                  - name: hill
                    topic: hill/{device}
                    stream: altimeter
                    fields:
                      altitude: { pointer: /h, unit: m }
                      accuracy: { constant: 0, unit: m }
                      precision: { constant: -1, unit: m }
                """, name: "producers.yaml")
        var problems: [TreeProblem] = []
        _ = Producers(try #require(tree), problems: &problems)
        #expect(problems.map(\.path) == ["mappings[0].fields.temperatureUncertainty", "mappings[1].fields.precision"])
        #expect(problems.map(\.line) == [8, 15])
    }

    private struct TestFailure: Error {}

    @Test("A device may be bound to an app's sender")
    func from() throws {
        let text = """
            devices:
              anna: { from: { producer: sensorLogger, topic: sensor-logger/anna, id: ONE, standardised: auto } }
              bert: { from: { producer: sensorLogger, topic: sensor-logger/bert, id: ONE, standardised: true } }
              carl: { from: { producer: sensorLogger, topic: sensor-logger/anna, id: TWO } }
            """
        let registry = try #require(Registry.load(text: text).registry)
        let bert = try #require(registry.policy(for: "bert")?.from)
        #expect((bert.producer, bert.topic, bert.id) == ("sensorLogger", "sensor-logger/bert", "ONE"))
        #expect(bert.standardised == .yes)
        #expect(bert.line == 3)
        #expect(registry.policy(for: "anna")?.from?.standardised == .auto)
        #expect(registry.policy(for: "carl")?.from?.standardised == nil)
    }

    @Test("Senders with a fault are reported, all at once")
    func faults() {
        let (registry, problems) = Registry.load(
            text: """
                defaults: { from: { producer: a, topic: b, id: c } }
                devices:
                  d1: { from: { producer: a, topic: b, id: c } }
                  d2: { from: { producer: a, topic: b, id: c } }
                  d3: { from: { producer: a, topic: b/+, id: c, standardized: true } }
                  d4: { from: { topic: b, standardised: maybe } }
                  d5: { from: a }
                """)
        #expect(registry == nil)
        #expect(
            problems.map { "\($0.keyPath):\($0.line ?? 0): \($0.message)" } == [
                "defaults.from:1: is not a key of the registry",
                "devices.d2.from:4: names the topic and the id of d1",
                "devices.d3.from.standardized:5: is not a key of the registry; did you mean standardised?",
                #"devices.d3.from.topic:5: must be one topic, is "b/+""#,
                #"devices.d4.from.standardised:6: must be auto or true or false, is "maybe""#,
                "devices.d4.from:6: has no producer",
                "devices.d4.from:6: has no id",
                "devices.d5.from:7: must hold keys and values, is a single value",
            ])
    }
}
