import GatewayPipeline
import Testing

extension DecoderContract {
    /// Every decoder there is. A new one is added here, and is then tested by everything that follows.
    static let all = [
        json, protobuf,
        producer(
            "sensorLogger", [("sensor-logger", SampleEnvelopes.sensorLogger, 2), ("sensor-logger", SampleEnvelopes.android, 4)]),
        shipped(
            "mappings of objects", [("sensorlog/watch-1", MappedSamples.sensorLog), ("phyphox/phone-1", MappedSamples.phyphox)]),
        shipped(
            "mappings of raw motion",
            [
                ("phyphox-raw/phone-1", MappedSamples.phyphoxRaw), ("imu/esp-1", MappedSamples.espHome),
                ("imu-columns/esp-2", MappedSamples.arduino), ("metawear/mms-1", MappedSamples.metaWear),
                ("movella/dot-1", MappedSamples.movella),
            ]),
        shipped("mappings of numbers", words: MappedSamples.numbers),
        presence,
    ]

    /// The producers of the example file that the project ships.
    private static func shipped(_ name: String, _ samples: [(topic: String, text: JSONText)]) -> DecoderContract {
        DecoderContract(
            testDescription: name, producers: producers,
            samples: samples.map { Sample(topic: $0.topic, payload: $0.text.payload, text: $0.text) })
    }

    /// The same for payloads that are words or numbers, of which a beginning may be another.
    private static func shipped(_ name: String, words: [(topic: String, payload: String)]) -> DecoderContract {
        DecoderContract(
            testDescription: name, producers: producers,
            samples: words.map { Sample(topic: $0.topic, payload: Array($0.payload.utf8), text: nil) }, refusesTruncation: false)
    }

    private static let presence: DecoderContract = {
        var contract = shipped("presence", words: PresenceSamples.all)
        guard let producers = try? ProducersText.producers(PresenceTests.presets) else { preconditionFailure("the presets") }
        contract.producers = producers
        return contract
    }()

    private static let producers: Producers = {
        guard let text = try? ProducersText.shipped(), let producers = try? ProducersText.producers(text) else {
            preconditionFailure("config/producers.example.yaml cannot be read")
        }
        return producers
    }()
}

@Suite("Decoders by the contract")
struct DecoderContractsTests {
    @Test func `No producer is left out`() {
        let held = Set(DecoderContract.all.flatMap(\.producers.names))
        #expect(Producers.kindNames.filter { !held.contains($0) } == [])
    }
}
