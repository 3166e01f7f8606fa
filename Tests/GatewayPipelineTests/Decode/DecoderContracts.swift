import GatewayPipeline
import Testing

extension DecoderContract {
    /// Every decoder there is. A new one is added here, and is then held to everything that follows.
    static let all = [
        json,
        producer("sensorLogger", [("sensor-logger", SampleEnvelopes.sensorLogger, 2)]),
    ]
}

@Suite("Decoders held to the contract")
struct DecoderContractsTests {
    @Test func `No producer is left out`() {
        let held = Set(DecoderContract.all.flatMap(\.producers.names))
        #expect(Producers.kindNames.filter { !held.contains($0) } == [])
    }
}
