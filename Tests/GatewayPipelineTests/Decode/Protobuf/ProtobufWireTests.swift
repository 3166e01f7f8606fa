import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Wire format of Protocol Buffers")
struct ProtobufWireTests {
    private static let workout = ProtobufSample.payload(SampleFrames.workout, stream: .workout)
    private static let motion = ProtobufSample.payload(SampleFrames.headphoneMotion, stream: .headphoneMotion)
    private static let header = ProtobufSample.payload(SampleFrames.workout, stream: nil)

    private func outcome(_ payload: [UInt8], _ stream: StreamName = .workout, contentType: String? = nil) -> Rejection? {
        do throws(Rejection) {
            _ = try Decoding.decode(stream, payload, contentType: contentType)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        nil, "application/protobuf", "application/x-protobuf", "application/vnd.google.protobuf", "Application/Protobuf; v=1",
    ])
    func `Protocol Buffers are known by their content type, or without one as what is not JSON`(contentType: String?) {
        #expect(outcome(Self.workout, contentType: contentType) == nil)
        #expect(
            outcome(SampleFrames.workout.payload, contentType: contentType)?.reason
                == (contentType == nil ? nil : .malformedProtobuf))
    }

    @Test func `What has no content type and is neither is said to be neither`() {
        #expect(outcome(Array("hello".utf8))?.reason == .unsupportedContentType)
        #expect(outcome([0x0A, 0xFF])?.reason == .malformedProtobuf)
        #expect(outcome(Self.workout, contentType: "application/json")?.reason == .malformedJSON)
    }

    static let malformed: [(String, [UInt8])] = [
        ("a field with the number 0", [0x00, 0x00]), ("wire type 6", [0x0E]), ("wire type 7", [0x7F]),
        ("an end of a group", [0x0C]), ("a length past the end", [0x7A, 5, 0]),
        ("a length of 2^63", [0x7A, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1]),
        ("an integer of 71 bits", [0x38] + Array(repeating: 0x80, count: 10) + [1]),
        ("an integer of 65 bits", [0x38] + Array(repeating: 0xFF, count: 9) + [2]),
        ("eight bytes that are four", [0x39, 0, 0, 0, 0]), ("four bytes that are three", [0x3D, 0, 0, 0]),
        ("a group without an end", [0x3B]), ("a group with another end", [0x3B, 0x44]),
        ("a field number of 30 bits", [0x80, 0x80, 0x80, 0x80, 0x10]),
    ]

    @Test(arguments: malformed) func `What is no message is refused`(name: String, bytes: [UInt8]) {
        #expect(outcome(Self.workout + bytes, contentType: "application/protobuf")?.reason == .malformedProtobuf, "\(name)")
    }

    @Test func `Unknown fields are passed over, of whatever wire type`() {
        let unknown: [UInt8] = [
            0x38, 0xFF, 0x01, 0x39, 1, 2, 3, 4, 5, 6, 7, 8, 0x3D, 1, 2, 3, 4, 0x7A, 2, 0xFF, 0xFF, 0x3B, 0x08, 1, 0x43, 0x44,
            0x3C,
            0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 1,
        ]
        #expect(outcome(Self.workout + unknown) == nil)
        #expect(outcome(unknown + Self.workout, contentType: "application/protobuf") == nil)
    }

    @Test func `Groups are passed over to the limit of nesting, and refused past it`() {
        func groups(_ depth: Int) -> [UInt8] {
            Array(repeating: 0x3B, count: depth) + Array(repeating: 0x3C, count: depth)
        }
        #expect(outcome(Self.workout + groups(15)) == nil)
        #expect(outcome(Self.workout + groups(16))?.reason == .nestedTooDeep)
        #expect(outcome(Self.workout + groups(100_000))?.reason == .nestedTooDeep)
    }

    @Test func `A body of another stream is none`() {
        #expect(outcome(Self.workout, .submersion)?.reason == .missingField)
        #expect(outcome(Self.motion, .deviceMotion) == nil)
        #expect(outcome(Self.motion, .batchedIMU)?.reason == .missingField)
    }

    @Test func `A body without entries is one, a frame without a body is none`() throws {
        for (number, stream) in [(19, StreamName.submersion), (23, .pedometer), (26, .movementDisorder)] {
            var writer = Writer(bytes: Self.header)
            #expect(outcome(writer.bytes, stream)?.reason == .missingField)
            writer.delimited(number, [])
            #expect(outcome(writer.bytes, stream) == nil, "\(stream)")
        }
    }

    @Test func `Fields that are not repeated stand once`() {
        #expect(outcome(Self.workout + Self.workout)?.reason == .duplicateKey)
        #expect(outcome([0x12, 1, 0x62] + Self.workout, contentType: "application/protobuf")?.pointer == "/boot")
    }

    @Test func `Text that is not UTF-8 is refused at its place`() {
        let rejection = outcome([0x12, 2, 0xC3, 0x28] + Self.header, contentType: "application/protobuf")
        #expect(rejection?.reason == .invalidUTF8)
        #expect(rejection?.pointer == "/boot")
    }

    // MARK: Columns

    private func batch(_ accelerometer: Writer) -> [UInt8] {
        var body = Writer()
        body.delimited(1, accelerometer.bytes)
        var frame = Writer(bytes: Self.header)
        frame.delimited(18, body.bytes)
        return frame.bytes
    }

    private func accelerometer(timestamp: Writer, _ add: (inout Writer) -> Void) -> Writer {
        var writer = Writer()
        writer.delimited(1, timestamp.bytes)
        add(&writer)
        return writer
    }

    private var even: Writer {
        var writer = Writer()
        writer.tag(2, .fixed64)
        writer.double(99)
        writer.tag(3, .fixed64)
        writer.double(0.25)
        return writer
    }

    private func packed(_ scale: Double?, x: [Double] = [4, 2, -6]) -> [UInt8] {
        var writer = Writer()
        for number in 1...3 { writer.differences(number == 1 ? x : [0, 1, 2], at: number) }
        if let scale {
            writer.tag(4, .fixed64)
            writer.double(scale)
        }
        return writer.bytes
    }

    private func samples(_ payload: [UInt8]) throws -> AccelerometerSamples {
        guard case .model(.batchedIMU(let batch)) = try Decoding.decode(.batchedIMU, payload).body,
            let samples = batch.accelerometer
        else { throw AnotherBody() }
        return samples
    }

    @Test func `Packed columns are sums of differences times their scale`() throws {
        let samples = try samples(batch(accelerometer(timestamp: even) { $0.delimited(5, packed(0.5)) }))
        #expect(samples.acceleration == VectorColumns(x: [2, 1, -3], y: [0, 0.5, 1], z: [0, 0.5, 1]))
        #expect(samples.timestamp == [99, 99.25, 99.5])
    }

    @Test func `Differences of times count from the start`() throws {
        var times = Writer()
        times.tag(2, .fixed64)
        times.double(99)
        times.differences([0, 250_000, 1_000_000], at: 4)
        let samples = try samples(batch(accelerometer(timestamp: times) { $0.delimited(5, packed(1)) }))
        #expect(samples.timestamp == [99, 99.25, 100])
        var noStart = Writer()
        noStart.differences([0, 250_000, 1_000_000], at: 4)
        let rejection = outcome(batch(accelerometer(timestamp: noStart) { $0.delimited(5, packed(1)) }), .batchedIMU)
        #expect(rejection?.reason == .missingField && rejection?.pointer == "/accelerometer/timestamp/start")
    }

    @Test func `A column may be packed, in parts or not at all`() throws {
        let bytes = batch(
            accelerometer(timestamp: even) { writer in
                for number in [2, 3, 4] {
                    for value in [Float(1), 2] {
                        writer.tag(number, .fixed32)
                        writer.float(value)
                    }
                    var rest = Writer()
                    rest.float(3)
                    writer.delimited(number, rest.bytes)
                }
            })
        #expect(try samples(bytes).acceleration.x == [1, 2, 3])
    }

    @Test(
        arguments: [
            (nil, [1.0, 2, 3], RejectionReason.missingField, "/accelerometer/packed/scale"),
            (0, [1, 2, 3], .invalidValue, "/accelerometer/packed/scale"),
            (-1, [1, 2, 3], .invalidValue, "/accelerometer/packed/scale"),
            (.nan, [1, 2, 3], .notFinite, "/accelerometer/packed/scale"), (1e308, [1, 2, 3], .notFinite, "/accelerometer/x/1"),
            (1, [1, 2], .columnLength, "/accelerometer/y"),
        ] as [(Double?, [Double], RejectionReason, String)])
    func `Packed columns that break a rule are refused`(scale: Double?, x: [Double], reason: RejectionReason, pointer: String) {
        let rejection = outcome(batch(accelerometer(timestamp: even) { $0.delimited(5, packed(scale, x: x)) }), .batchedIMU)
        #expect(rejection?.reason == reason && rejection?.pointer == pointer, "\(String(describing: rejection))")
    }

    @Test(
        arguments: [
            [0x80], [0x02, 0xFF], Array(repeating: 0x80, count: 10) + [0x01], Array(repeating: 0xFF, count: 9) + [0x02],
        ] as [[UInt8]])
    func `Differences that are no integers are refused`(bytes: [UInt8]) {
        var columns = Writer()
        columns.delimited(1, bytes)
        let rejection = outcome(batch(accelerometer(timestamp: even) { $0.delimited(5, columns.bytes) }), .batchedIMU)
        #expect(rejection?.reason == .malformedProtobuf)
    }

    @Test func `A difference of 64 bits is read as its lowest 32`() throws {
        var columns = Writer()
        for number in 1...3 { columns.delimited(number, Array(repeating: 0xFF, count: 9) + [0x01]) }
        columns.tag(4, .fixed64)
        columns.double(0.5)
        #expect(try samples(batch(accelerometer(timestamp: even) { $0.delimited(5, columns.bytes) })).acceleration.x == [-0x1p30])
    }

    @Test func `A column in two forms is refused`() {
        let rejection = outcome(
            batch(
                accelerometer(timestamp: even) {
                    $0.delimited(2, Array(repeating: 0, count: 12))
                    $0.delimited(5, packed(1))
                }), .batchedIMU)
        #expect(rejection?.reason == .duplicateKey && rejection?.pointer == "/accelerometer/x")
    }

    @Test func `Floats are read as the doubles of the same value`() throws {
        let bytes = batch(
            accelerometer(timestamp: even) { writer in
                for number in 2...4 {
                    writer.tag(number, .fixed32)
                    writer.float(0.1)
                }
            })
        #expect(try samples(bytes).acceleration.x == [Double(Float(0.1))])
    }
}
