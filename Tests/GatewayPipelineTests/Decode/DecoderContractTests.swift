import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

/// What every decoder of native frames must do with good and bad payloads, whatever the encoding.
struct DecoderContract: Sendable, CustomTestStringConvertible {
    /// The encoding's name.
    var testDescription: String
    /// Good payloads, none with bytes after the frame's end.
    var samples: [(stream: StreamName, payload: [UInt8])]
    /// Whether every proper beginning of a sample must be refused, as where an encoding marks its own end.
    var refusesTruncation: Bool
    /// The decoder under test; it may be used again after a refusal.
    var decode: @Sendable (NativeFrameDecoder, StreamName, [UInt8]) throws(Rejection) -> DecodedFrame

    static let json = DecoderContract(
        testDescription: "JSON", samples: SampleFrames.all.map { ($0.stream, $0.frame.payload) }, refusesTruncation: true
    ) { decoder, stream, payload throws(Rejection) in
        try decoder.decode(stream: stream, payload: payload, contentType: nil, limits: DecodeLimits())
    }
}

@Suite("Contract of decoders", .serialized)
struct DecoderContractTests {
    static let contracts = [DecoderContract.json]

    /// Decodes; nil when refused, in which case the refusal must be fit for a log.
    private func outcome(
        _ contract: DecoderContract, _ decoder: NativeFrameDecoder, _ stream: StreamName, _ payload: [UInt8]
    ) -> DecodedFrame? {
        do throws(Rejection) {
            return try contract.decode(decoder, stream, payload)
        } catch {
            #expect(!error.detail.isEmpty && error.detail.utf8.count < 1000)
            #expect((error.detail + error.pointer).unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            return nil
        }
    }

    @Test(arguments: contracts) func `Every sample is read, and read alike every time`(contract: DecoderContract) {
        let decoder = NativeFrameDecoder()
        for (stream, payload) in contract.samples {
            let first = outcome(contract, decoder, stream, payload)
            #expect(first != nil)
            #expect(outcome(contract, decoder, stream, payload) == first)
        }
    }

    @Test(arguments: contracts) func `Every truncation is refused`(contract: DecoderContract) {
        let decoder = NativeFrameDecoder()
        for (stream, payload) in contract.samples {
            for length in 0..<payload.count {
                let frame = outcome(contract, decoder, stream, Array(payload[..<length]))
                #expect(!contract.refusesTruncation || frame == nil)
            }
            #expect(outcome(contract, decoder, stream, payload) != nil)
        }
    }

    @Test(arguments: contracts) func `Flipped bytes never crash and never let a number escape`(contract: DecoderContract) {
        let decoder = NativeFrameDecoder()
        var random = SeededGenerator(seed: 42)
        for (stream, payload) in contract.samples {
            for _ in 0..<2000 {
                var payload = payload
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    payload[Int.random(in: payload.indices, using: &random)] = .random(in: 0...255, using: &random)
                }
                guard let frame = outcome(contract, decoder, stream, payload) else { continue }
                #expect(frame.header.uptime.seconds.isFinite)
                #expect((frame.header.sequence ?? 0) < 1 << 53)
            }
        }
    }

    @Test(arguments: contracts) func `Noise of any length is refused`(contract: DecoderContract) {
        let decoder = NativeFrameDecoder()
        var random = SeededGenerator(seed: 7)
        for length in [1, 2, 31, 32, 33, 63, 64, 65, 4096, 100_000] {
            var noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            for stream in StreamName.allCases {
                #expect(outcome(contract, decoder, stream, noise) == nil)
                noise[0] = UInt8(ascii: "{")
                #expect(outcome(contract, decoder, stream, noise) == nil)
            }
        }
    }

    @Test(arguments: contracts) func `Samples on the wrong stream never crash`(contract: DecoderContract) {
        let decoder = NativeFrameDecoder()
        for (_, payload) in contract.samples {
            for stream in StreamName.allCases { _ = outcome(contract, decoder, stream, payload) }
        }
    }
}
