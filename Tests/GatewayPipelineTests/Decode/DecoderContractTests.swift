import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

/// What every decoder must do with valid and invalid payloads of any sender.
@Suite("Contract of decoders", .serialized)
struct DecoderContractTests {
    typealias Sample = DecoderContract.Sample

    /// Reads a payload; nil when it is rejected, in which case the rejection must be safe for a log.
    private func outcome(
        _ contract: DecoderContract, _ decoder: MessageDecoder, _ sample: Sample, _ payload: [UInt8],
        limits: DecodeLimits? = nil
    ) -> Result<DecodedMessage, Rejection> {
        do throws(Rejection) {
            let decoder = limits.map { MessageDecoder(producers: contract.producers, limits: $0) } ?? decoder
            let message = try contract.decode(payload, like: sample, with: decoder)
            #expect(message.header.uptime.seconds.isFinite && message.header.sent?.seconds.isFinite != false)
            #expect((message.header.sequence ?? 0) < 1 << 53)
            return .success(message)
        } catch {
            #expect(!error.detail.isEmpty && error.detail.utf8.count < 1000)
            #expect((error.detail + error.pointer).unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            return .failure(error)
        }
    }

    /// Calls `body` with every sample and a decoder that has read all before.
    private func forEachSample(of contract: DecoderContract, _ body: (MessageDecoder, Sample) -> Void) {
        let decoder = MessageDecoder(producers: contract.producers)
        for sample in contract.samples { body(decoder, sample) }
    }

    @Test(arguments: DecoderContract.all) func `Every sample is read, and read alike every time`(contract: DecoderContract) {
        #expect(!contract.samples.isEmpty)
        forEachSample(of: contract) { decoder, sample in
            let first = outcome(contract, decoder, sample, sample.payload)
            #expect((try? first.get()) != nil, "\(sample.topic): \(first)")
            #expect(outcome(contract, decoder, sample, sample.payload) == first)
        }
    }

    @Test(.slow, arguments: DecoderContract.all) func `Every truncation is refused`(contract: DecoderContract) {
        forEachSample(of: contract) { decoder, sample in
            for length in 0..<sample.payload.count {
                let message = try? outcome(contract, decoder, sample, Array(sample.payload[..<length])).get()
                #expect(!contract.refusesTruncation || message == nil)
            }
            #expect((try? outcome(contract, decoder, sample, sample.payload).get()) != nil)
        }
    }

    @Test(.slow, arguments: DecoderContract.all) func `Flipped bytes never crash and never let a number escape`(
        contract: DecoderContract
    ) {
        var random = SeededGenerator(seed: 42)
        forEachSample(of: contract) { decoder, sample in
            for _ in 0..<2000 {
                var payload = sample.payload
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    payload[Int.random(in: payload.indices, using: &random)] = .random(in: 0...255, using: &random)
                }
                _ = outcome(contract, decoder, sample, payload)
            }
        }
    }

    @Test(.slow, arguments: DecoderContract.all) func `Noise of any length is refused`(contract: DecoderContract) {
        var random = SeededGenerator(seed: 7)
        for length in [1, 2, 31, 32, 33, 63, 64, 65, 4096, 100_000] {
            var noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            forEachSample(of: contract) { decoder, sample in
                #expect((try? outcome(contract, decoder, sample, noise).get()) == nil)
                noise[0] = UInt8(ascii: "{")
                #expect((try? outcome(contract, decoder, sample, noise).get()) == nil)
            }
        }
    }

    @Test(arguments: DecoderContract.all) func `Samples where others are expected never crash`(contract: DecoderContract) {
        let all = DecoderContract.all.flatMap(\.samples)
        forEachSample(of: contract) { decoder, sample in
            for other in all { _ = outcome(contract, decoder, sample, other.payload) }
        }
    }

    @Test(.slow, arguments: DecoderContract.all) func `A value of another type is read or refused at its place`(
        contract: DecoderContract
    ) {
        let others = ["null", "true", "7", "-1", "0.5", "1e300", "\"x\"", "\"\"", "[]", "{}", "[1]", #"{"a":1}"#]
        forEachSample(of: contract) { decoder, sample in
            guard let text = sample.text else { return }
            for place in text.places {
                for other in others {
                    let spoiled = outcome(contract, decoder, sample, text.with(place.pointer, other).payload)
                    guard let rejection = spoiled.refusal, rejection.reason == .wrongType else { continue }
                    #expect(
                        rejection.pointer == place.pointer || place.pointer.hasPrefix(rejection.pointer + "/")
                            || rejection.pointer.hasPrefix(place.pointer + "/"),
                        "\(other) at \(place.pointer) is refused at \(rejection.pointer)")
                }
            }
        }
    }

    @Test(arguments: DecoderContract.all) func `A missing value is read or refused where it was`(contract: DecoderContract) {
        forEachSample(of: contract) { decoder, sample in
            guard let text = sample.text else { return }
            for place in text.places {
                let spoiled = outcome(contract, decoder, sample, text.with(place.pointer, nil).payload)
                guard let rejection = spoiled.refusal, rejection.reason == .missingField else { continue }
                let isThere = text.places.contains { $0.pointer == rejection.pointer }
                #expect(
                    rejection.pointer == place.pointer || place.pointer.hasPrefix(rejection.pointer + "/")
                        || rejection.pointer.hasPrefix(place.pointer + "/") || !isThere,
                    "without \(place.pointer) refused at \(rejection.pointer)")
            }
        }
    }

    @Test(.slow, arguments: DecoderContract.all) func `A number that is not finite is refused wherever it stands`(
        contract: DecoderContract
    ) {
        forEachSample(of: contract) { decoder, sample in
            guard let text = sample.text else { return }
            for place in text.places {
                for number in ["NaN", "Infinity", "-Infinity", "1e999"] {
                    let spoiled = outcome(contract, decoder, sample, text.with(place.pointer, number).payload)
                    guard let rejection = spoiled.refusal else {
                        Issue.record("\(number) at \(place.pointer) is read")
                        continue
                    }
                    #expect(rejection.reason == .notFinite)
                }
            }
        }
    }

    @Test(arguments: DecoderContract.all) func `A key twice in an object is refused wherever it stands`(
        contract: DecoderContract
    ) {
        forEachSample(of: contract) { decoder, sample in
            guard let text = sample.text else { return }
            let doubled =
                [text.withFirstMemberTwice?.payload]
                + text.places.map { place in
                    place.value.withFirstMemberTwice.map { text.with(place.pointer, $0.text).payload }
                }
            for payload in doubled.compactMap(\.self) {
                guard case .failure(let rejection) = outcome(contract, decoder, sample, payload) else {
                    Issue.record("\(String(decoding: payload, as: UTF8.self)) is read")
                    continue
                }
                #expect(rejection.reason == .duplicateKey)
            }
        }
    }

    @Test(arguments: DecoderContract.all) func `Hostile texts do no harm`(contract: DecoderContract) {
        let hostile = [
            #"\u0000\u0007\u001b[2J"#, "../../#/+", #"\u202e\ufeff"#, String(repeating: "x", count: 10_000), "e\u{301}\u{1F600}",
            #"\ud800"#, "$SYS", "%n%s", #"a\nb"#,
        ]
        forEachSample(of: contract) { decoder, sample in
            guard let text = sample.text else { return }
            for place in text.places where place.value.isString {
                for hostile in hostile {
                    _ = outcome(contract, decoder, sample, text.with(place.pointer, "\"\(hostile)\"").payload)
                }
            }
        }
    }

    @Test(arguments: DecoderContract.all) func `A payload is read at the limit of its size and refused over it`(
        contract: DecoderContract
    ) {
        forEachSample(of: contract) { decoder, sample in
            let count = sample.payload.count
            let limits = DecodeLimits(maximumPayloadBytes: count)
            #expect((try? outcome(contract, decoder, sample, sample.payload, limits: limits).get()) != nil)
            let over = outcome(contract, decoder, sample, sample.payload, limits: DecodeLimits(maximumPayloadBytes: count - 1))
            #expect(over.rejection?.reason == .payloadTooLarge)
            guard sample.text != nil else { return }
            let padded = sample.payload + Array(repeating: UInt8(ascii: " "), count: DecodeLimits().maximumPayloadBytes - count)
            #expect((try? outcome(contract, decoder, sample, padded).get()) != nil)
            #expect(
                outcome(contract, decoder, sample, padded + [UInt8(ascii: " ")]).rejection?.reason == .payloadTooLarge)
        }
    }

    @Test(arguments: DecoderContract.all) func `Nesting and series are read at their limits and refused over them`(
        contract: DecoderContract
    ) {
        forEachSample(of: contract) { decoder, sample in
            if let text = sample.text {
                func nested(_ depth: Int) -> [UInt8] {
                    text.with("/extra", String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).payload
                }
                let deepest = DecodeLimits().maximumNesting - 1
                #expect((try? outcome(contract, decoder, sample, nested(deepest)).get()) != nil)
                #expect(outcome(contract, decoder, sample, nested(deepest + 1)).rejection?.reason == .nestedTooDeep)
            }
            guard sample.longestSeries > 0 else { return }
            let most = DecodeLimits(maximumSamples: sample.longestSeries)
            #expect((try? outcome(contract, decoder, sample, sample.payload, limits: most).get()) != nil)
            let fewer = DecodeLimits(maximumSamples: sample.longestSeries - 1)
            #expect(outcome(contract, decoder, sample, sample.payload, limits: fewer).rejection?.reason == .columnLength)
        }
    }
}

extension Result where Failure == Rejection {
    fileprivate var rejection: Rejection? { if case .failure(let rejection) = self { rejection } else { nil } }
}

extension Result<DecodedMessage, Rejection> {
    /// Why the message is refused, or the first part of it that is left out.
    fileprivate var refusal: Rejection? { rejection ?? (try? get())?.passedOver.refusal }
}
