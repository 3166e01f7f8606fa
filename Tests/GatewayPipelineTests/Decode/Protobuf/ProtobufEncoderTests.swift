import FleetSimulator
import Foundation
import GatewayRuntime
import GatewayTestSupport
import ProtobufFrames
import SwiftProtobuf
import TelemetryModel
import Testing
import WearableProtobuf

@testable import GatewayPipeline

/// Frames written by the Protocol Buffers library, an implementation of its own, and read by the gateway.
@Suite("Frames by the Protocol Buffers library")
struct ProtobufEncoderTests {
    typealias Columns = ProtobufFrameEncoder.Columns

    @Test(arguments: Columns.allCases) func `Every sample is written and read back`(columns: Columns) throws {
        let encoder = ProtobufFrameEncoder(columns)
        for (stream, text) in SampleFrames.all + SampleFrames.raw {
            let expected = try Decoding.decode(stream, text.payload)
            let frame = try Decoding.decode(
                stream, encoder.encode(expected.header, expected.body, isLastWill: expected.isLastWill),
                contentType: ProtobufFrameEncoder.contentType)
            #expect(frame.header == expected.header && frame.isLastWill == expected.isLastWill)
            if ![.batchedIMU, .recordedAccelerometer, .altimeter].contains(stream) {
                #expect(frame.body == expected.body, "\(stream)")
            }
        }
    }

    @Test func `The library reads what the tests write, and the reader knows every field of the library`() throws {
        for (stream, text) in SampleFrames.all + SampleFrames.raw {
            for isPacked in [false, true] {
                let sample = try ProtobufSample(text.payload, stream: stream, isPacked: isPacked)
                let message = try Wearables_V1_Frame(serializedBytes: sample.payload)
                #expect(message.unknownFields.data.isEmpty)
                #expect(try Decoding.decode(stream, message.serializedBytes()) == Decoding.decode(stream, sample.payload))
            }
        }
    }

    /// What a gateway derives from `messages`, line by line.
    private func derived(_ messages: [RecordedMessage]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var settings = PipelineHarness.settings
        settings.derive[HeadPoseDerivation.self].rateHertz = 10
        settings.derive[HeadPoseDerivation.self].seriesHertz = 100
        let replay = Replay(settings: settings, policy: AccessPolicy(unknown: .everything)) { lines.append($0) }
        for message in messages { replay.take(message) }
        replay.end()
        return lines
    }

    @Test(.slow, arguments: Columns.allCases)
    func `A recording gives byte for byte the same as the JSON of what it decodes to`(columns: Columns) throws {
        let fleet = Fleet(kinds: DeviceKind.allCases, count: 10, startingAt: 1_763_749_000, duration: 40, seed: 3)
        let encoder = ProtobufFrameEncoder(columns)
        var binary: [RecordedMessage] = []
        var text: [RecordedMessage] = []
        var streams: Set<StreamName> = []
        for message in fleet {
            let stream = try #require(message.topic().split(separator: "/").last.flatMap { StreamName(rawValue: String($0)) })
            let payload = try encoder.encode(json: message.payload, stream: stream)
            let json = try #require(ProtobufText.json(of: payload))
            streams.insert(stream)
            for (payload, type) in [(payload, "application/protobuf"), (json, "application/json")] {
                let inbound = InboundMessage(
                    topic: message.topic(), payload: payload, retain: message.retain, contentType: type)
                let recorded = RecordedMessage(at: message.at, message: inbound)
                if type == "application/json" { text.append(recorded) } else { binary.append(recorded) }
            }
        }
        #expect(streams.count >= 9, "\(streams)")
        // The JSON does not say how far the values may be off.
        let quantization = Array("/out/quantization/".utf8)
        let lines = derived(binary).filter { $0.firstRange(of: quantization) == nil }
        #expect(lines.count > 300)
        #expect(!lines.contains { String(decoding: $0, as: UTF8.self).contains("/out/rejected") })
        #expect(lines == derived(text))
    }

    // MARK: Sizes

    /// A second and a bit of a watch that moves, with the noise of its sensors: 4 mG and 5 mrad/s.
    private static func batch(_ boot: BootID) -> DecodedFrame {
        var random = SeededGenerator(seed: 5)
        func noise(_ deviation: Double) -> Double {
            deviation * (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
        }
        func column(_ count: Int, _ rate: Double, _ amplitude: Double, _ deviation: Double, _ phase: Double) -> [Double] {
            (0..<count).map { amplitude * sin(6 * Double($0) / rate + phase) + noise(deviation) }
        }
        func vectors(_ count: Int, _ rate: Double, _ amplitude: Double, _ deviation: Double) -> VectorColumns {
            VectorColumns(
                x: column(count, rate, amplitude, deviation, 0), y: column(count, rate, amplitude, deviation, 1),
                z: column(count, rate, amplitude, deviation, 2))
        }
        func times(_ count: Int, _ rate: Double) -> [Double] {
            (0..<count).map { ((8_000 + Double($0) / rate + noise(5e-6)) * 1e6).rounded() / 1e6 }
        }
        let angles = (0..<201).map { 0.5 * sin(6 * Double($0) / 200) + noise(1e-4) }
        let motion = MotionSamples(
            timestamp: times(201, 200),
            attitude: QuaternionColumns(
                x: angles.map { sin($0 / 2) * 0.6 }, y: angles.map { sin($0 / 2) * 0.8 }, z: angles.map { $0 * 0 },
                w: angles.map { cos($0 / 2) }),
            rotationRate: vectors(201, 200, 1, 0.005), userAcceleration: vectors(201, 200, 0.2, 0.004),
            gravity: vectors(201, 200, 0.5, 0.0002))
        let batch = BatchedIMU(
            accelerometer: AccelerometerSamples(timestamp: times(802, 800), acceleration: vectors(802, 800, 0.2, 0.004)),
            deviceMotion: motion)
        let header = FrameHeader(
            boot: boot, sequence: 1_000, uptime: DeviceTime(8_001.1), sent: UnixTime(1_763_749_000))
        return DecodedFrame(header: header, body: .model(.batchedIMU(batch)))
    }

    @Test func `A batch of 802 and 201 samples has at most 26 kB as floats and 14 kB as scaled integers`() throws {
        let frame = Self.batch(try #require(BootID("b7f3")))
        for (columns, limit, error) in [(Columns.floats, 26_000, 1e-6), (.packed, 14_000, 0.000_250_1)] {
            let payload = ProtobufFrameEncoder(columns).encode(frame.header, frame.body)
            #expect(payload.count <= limit, "\(columns): \(payload.count)")
            guard case .model(.batchedIMU(let batch)) = try Decoding.decode(.batchedIMU, payload).body,
                case .model(.batchedIMU(let original)) = frame.body, let motion = batch.deviceMotion,
                let originalMotion = original.deviceMotion
            else { throw AnotherBody() }
            #expect(motion.attitude == originalMotion.attitude)
            for (found, expected) in [
                (batch.accelerometer?.acceleration, original.accelerometer?.acceleration),
                (motion.rotationRate, originalMotion.rotationRate), (motion.gravity, originalMotion.gravity),
            ] {
                let pairs = zip(found?.x ?? [], expected?.x ?? [])
                #expect(pairs.allSatisfy { abs($0 - $1) <= error } && found?.count == expected?.count)
            }
            let offset = zip(motion.timestamp, originalMotion.timestamp).map { abs($0 - $1) }.max() ?? 1
            #expect(offset < 1e-9)
        }
    }
}
