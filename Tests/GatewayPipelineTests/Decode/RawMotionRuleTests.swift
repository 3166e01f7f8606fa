import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Raw motion")
struct RawMotionRuleTests {
    static let cases: [RuleCase] = [
        raw("/acceleration", "[]", .wrongType), raw("/acceleration/x", nil, .missingField),
        raw("/acceleration/y", "5", .wrongType), raw("/acceleration/z", "[-1, -1]", .columnLength),
        raw("/acceleration/y", "[0, 0, 0, 0]", .columnLength),
        raw("/acceleration/z", "[-1, \"NaN\", -1]", .notFinite, at: "/acceleration/z/1"),
        raw("/acceleration/x", "[0, \"Infinity\", 0]", .notFinite, at: "/acceleration/x/1"),
        raw("/rotationRate", nil, .missingField), raw("/rotationRate", "null", .wrongType),
        raw("/rotationRate/y", nil, .missingField), raw("/rotationRate/y", "[0]", .columnLength),
        raw("/rotationRate/z", "[0, 0, \"nan\"]", .notFinite, at: "/rotationRate/z/2"),
        raw("/timestamp", nil, .missingField), raw("/timestamp", "[99, 99.5]", .columnLength, at: "/acceleration/x"),
        raw("/timestamp", "[99, 99, 99.5]", .timestampOrder, at: "/timestamp/1"),
        raw("/timestamp", "{\"start\": 1, \"interval\": 0}", .invalidValue, at: "/timestamp/interval"),
        raw("/magneticField", "{}", .missingField, at: "/magneticField/x"),
        raw("/magneticField/z", "[1, 2]", .columnLength),
        raw("/magneticField/y", "[1, 2, \"NaN\"]", .notFinite, at: "/magneticField/y/2"),
        raw("/sensorLocation", "3", .invalidValue),
        raw("/attitude", fused("attitude"), .conflictingFields, at: "/acceleration"),
        raw("/gravity", fused("gravity"), .conflictingFields, at: "/acceleration"),
        raw("/userAcceleration", fused("gravity"), .conflictingFields, at: "/acceleration"),
        raw("/acceleration", nil, .missingField, at: "/attitude"), raw("/acceleration", "null", .missingField, at: "/attitude"),
        RuleCase(
            .deviceMotion, SampleFrames.deviceMotion, "/samples/acceleration", vectors, .conflictingFields),
        RuleCase(
            .batchedIMU, SampleFrames.batchedIMU, "/deviceMotion/acceleration", vectors, .conflictingFields),
        RuleCase(
            .batchedIMU, SampleFrames.raw[2].frame, "/deviceMotion/rotationRate", nil, .missingField),
        RuleCase(
            .batchedIMU, SampleFrames.raw[2].frame, "/deviceMotion/gravity", vectors, .conflictingFields,
            at: "/deviceMotion/acceleration"),
    ]

    private static let vectors = #"{"x":[0,0,0],"y":[0,0,0],"z":[-1,-1,-1]}"#

    private static func fused(_ key: String) -> String {
        key == "attitude" ? #"{"x":[0,0,0],"y":[0,0,0],"z":[0,0,0],"w":[1,1,1]}"# : vectors
    }

    private static let raw = RuleMaker(stream: .headphoneMotion, frame: SampleFrames.rawMotion, prefix: "/samples")

    @Test(arguments: cases) func `Raw motion that breaks a rule is refused where it does`(rule: RuleCase) { rule.check() }

    /// A frame with `keys` of those that a device with fusion sends, and acceleration where `isRaw`.
    private func mixed(_ keys: [String], isRaw: Bool) -> JSONText {
        let frame = SampleFrames.rawMotion.with("/samples/acceleration", isRaw ? Self.vectors : nil)
        return keys.reduce(frame) { $0.with("/samples/\($1)", Self.fused($1)) }
    }

    private static let parts: [[String]] = [
        ["attitude"], ["gravity"], ["userAcceleration"], ["attitude", "gravity"], ["attitude", "userAcceleration"],
        ["gravity", "userAcceleration"], ["attitude", "gravity", "userAcceleration"],
    ]

    @Test(arguments: parts) func `A mixture of both forms is refused with the fields and what to send`(keys: [String]) {
        let rejection = Decoding.rejection(.headphoneMotion, mixed(keys, isRaw: true))
        #expect(rejection?.reason == .conflictingFields && rejection?.pointer == "/samples/acceleration")
        let named = keys.count == 1 ? keys[0] : keys.dropLast().joined(separator: ", ") + " and " + keys[keys.count - 1]
        #expect(
            rejection?.detail
                == "found acceleration beside \(named): send attitude, gravity and userAcceleration, "
                + "or acceleration alone where the device has no fusion")
    }

    @Test(arguments: parts.dropLast()) func `A part of the fused fields is refused with those that are there`(keys: [String]) {
        let rejection = Decoding.rejection(.headphoneMotion, mixed(keys, isRaw: false))
        let missing = ["attitude", "userAcceleration", "gravity"].first { !keys.contains($0) } ?? ""
        #expect(rejection?.reason == .missingField && rejection?.pointer == "/samples/\(missing)")
        #expect(
            rejection?.detail
                == "the field is missing beside \(keys.joined(separator: " and ")): send attitude, gravity and userAcceleration, "
                + "or acceleration alone where the device has no fusion")
    }

    @Test func `Neither form is refused with both, and a misspelled one with its name`() {
        let neither = Decoding.rejection(.headphoneMotion, mixed([], isRaw: false))
        #expect(neither?.pointer == "/samples/attitude")
        #expect(neither?.detail.hasPrefix("the field is missing: send attitude, gravity and userAcceleration, or acc") == true)
        let text = SampleFrames.rawMotion.text.replacing("\"acceleration\"", with: "\"accelleration\"")
        let misspelled = Decoding.rejection(.headphoneMotion, .raw(text))
        #expect(misspelled?.pointer == "/samples/acceleration")
        #expect(misspelled?.detail == "the field is missing; found \"accelleration\", did you mean \"acceleration\"?")
    }

    @Test func `Acceleration without a rotation rate is refused with what takes it`() {
        let rejection = Decoding.rejection(.headphoneMotion, SampleFrames.rawMotion.with("/samples/rotationRate", nil))
        #expect(rejection?.reason == .missingField && rejection?.pointer == "/samples/rotationRate")
        #expect(rejection?.detail.contains("recorded-accelerometer") == true)
    }

    @Test(arguments: SampleFrames.raw) func `Each stream of motion takes it`(stream: StreamName, frame: JSONText) throws {
        let samples: MotionSamples? =
            switch try Decoding.model(stream, frame) {
            case .headphoneMotion(let samples), .deviceMotion(let samples): samples
            case .batchedIMU(let batch): batch.deviceMotion
            default: nil
            }
        #expect(samples?.timestamp == [99, 99.25, 99.5])
        #expect(samples?.rotationRate[2] == SIMD3(1.5, 0.125, 0))
        #expect(samples?.raw?.acceleration[2] == SIMD3(0, -0.5, -1.5))
        #expect(samples?.raw?.magneticField?[0] == (stream == .deviceMotion ? nil : SIMD3(20.5, 0, -44)))
        #expect(samples?.attitude.count == 0 && samples?.gravity.count == 0 && samples?.userAcceleration.count == 0)
    }

    @Test func `Null counts as absent, and what is about a fusion is ignored`() throws {
        let plain = try Decoding.motion(SampleFrames.rawMotion)
        var frame = SampleFrames.rawMotion
        for (key, text) in [
            ("attitude", "null"), ("gravity", "null"), ("userAcceleration", "null"),
            ("referenceFrame", "\"xTrueNorthZVertical\""),
            ("heading", "[1, 2, 3]"), ("headingAccuracy", "5"), ("magneticField/accuracy", "\"high\""),
        ] { frame = frame.with("/samples/\(key)", text) }
        #expect(try Decoding.motion(frame) == plain)
        #expect(
            try Decoding.motion(frame.with("/samples/magneticField", "null")).raw
                == RawMotion(acceleration: try #require(plain.raw).acceleration))
        let fused = SampleFrames.headphoneMotion.with("/samples/acceleration", "null")
        #expect(try Decoding.motion(fused) == Decoding.motion(SampleFrames.headphoneMotion))
    }

    @Test func `Packed acceleration tells how far it may be off`() throws {
        for (stream, frame) in SampleFrames.raw {
            let sample = try ProtobufSample(frame.payload, stream: stream, isPacked: true)
            let quantization = try Decoding.decode(stream, sample.payload).quantization
            #expect(quantization.acceleration == 1 / 8192 && quantization.rotationRate == 1 / 8192)
            #expect(quantization.gravity == nil && quantization.userAcceleration == nil)
        }
    }
}
