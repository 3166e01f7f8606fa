import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Rules of a series")
struct SeriesRuleTests {
    static let cases: [RuleCase] = [
        motion("", nil, .missingField), motion("", "[]", .wrongType),
        motion("/timestamp", nil, .missingField), motion("/timestamp", "5", .wrongType),
        motion("/timestamp", "[]", .columnLength), motion("/timestamp", "[99, 99.5]", .columnLength, at: "/attitude/x"),
        motion("/timestamp", "[99, null, 99.5]", .wrongType, at: "/timestamp/1"),
        motion("/timestamp", "[99, 99, 99.5]", .timestampOrder, at: "/timestamp/1"),
        motion("/timestamp", "[99, 99.5, 99.25]", .timestampOrder, at: "/timestamp/2"),
        motion("/timestamp", "[-0.5, 99, 99.5]", .timeOutOfRange, at: "/timestamp/0"),
        motion("/timestamp", "[99, 100, 105.3]", .timeOutOfRange, at: "/timestamp/2"),
        motion("/timestamp", "{\"interval\": 1}", .missingField, at: "/timestamp/start"),
        motion("/timestamp", "{\"start\": 1}", .missingField, at: "/timestamp/interval"),
        motion("/timestamp", "{\"start\": \"1\", \"interval\": 1}", .wrongType, at: "/timestamp/start"),
        motion("/timestamp", "{\"start\": 1, \"interval\": 0}", .invalidValue, at: "/timestamp/interval"),
        motion("/timestamp", "{\"start\": 1, \"interval\": -1}", .invalidValue, at: "/timestamp/interval"),
        motion("/timestamp", "{\"start\": 1, \"interval\": 1e-300}", .timestampOrder),
        motion("/timestamp", "{\"start\": 1, \"interval\": 1e308}", .timeOutOfRange),
        motion("/timestamp", "{\"start\": -1, \"interval\": 0.1}", .timeOutOfRange),
        motion("/attitude", nil, .missingField), motion("/attitude", "[]", .wrongType),
        motion("/attitude/w", nil, .missingField), motion("/attitude/w", "[1, 1]", .columnLength),
        motion("/attitude/w", "[1, \"NaN\", 1]", .notFinite, at: "/attitude/w/1"),
        motion("/attitude/w", "[1, 0.8, 0.89]", .invalidValue, at: "/attitude"),
        motion("/attitude/w", "[1, 0.8, 1.11]", .invalidValue, at: "/attitude"),
        motion("/attitude/w", "[1, 0.8, 1e200]", .invalidValue, at: "/attitude"),
        motion("/rotationRate", nil, .missingField), motion("/rotationRate/y", nil, .missingField),
        motion("/rotationRate/y", "1", .wrongType), motion("/rotationRate/y", "[]", .columnLength),
        motion("/userAcceleration", nil, .missingField), motion("/userAcceleration/z", "[1,2,3,4]", .columnLength),
        motion("/gravity", "null", .wrongType), motion("/gravity/x", "[[0], 0, 0]", .wrongType, at: "/gravity/x/0"),
        motion("/sensorLocation", "\"nose\"", .invalidValue),
        motion("/sensorLocation", "3", .invalidValue), motion("/sensorLocation", "1.0", .wrongType),
        motion("/sensorLocation", "[1, 1]", .columnLength),
        motion("/sensorLocation", "[1, 1, 9]", .invalidValue, at: "/sensorLocation/2"),
        motion("/referenceFrame", "\"up\"", .invalidValue), motion("/referenceFrame", "1", .wrongType),
        motion("/magneticField", "{}", .missingField, at: "/magneticField/x"),
        motion("/magneticField", "{\"x\":[1,2,3],\"y\":[1,2,3],\"z\":[1,2]}", .columnLength, at: "/magneticField/z"),
        motion("/magneticField", magnetic("7"), .invalidValue, at: "/magneticField/accuracy"),
        motion("/heading", "1", .wrongType), motion("/headingAccuracy", "[1]", .columnLength),
        batched("/accelerometer/x", nil, .missingField), batched("/accelerometer/y", "[1]", .columnLength),
        batched("/accelerometer/x", "[]", .columnLength),
        batched("/accelerometer/z", "[1, true]", .wrongType, at: "/accelerometer/z/1"),
        batched("/deviceMotion/gravity/z", "{}", .wrongType), batched("/deviceMotion", "5", .wrongType),
        RuleCase(
            .batchedIMU, SampleFrames.batchedIMU.with("/deviceMotion", nil), "/accelerometer", nil, .missingField, at: ""),
    ]

    private static func magnetic(_ accuracy: String) -> String {
        "{\"x\":[1,2,3],\"y\":[1,2,3],\"z\":[1,2,3],\"accuracy\":\(accuracy)}"
    }

    private static let motion = RuleMaker(stream: .headphoneMotion, frame: SampleFrames.headphoneMotion, prefix: "/samples")
    private static let batched = RuleMaker(stream: .batchedIMU, frame: SampleFrames.batchedIMU)

    @Test(arguments: cases) func `A series that breaks a rule is refused where it does`(rule: RuleCase) { rule.check() }

    @Test func `A time may be up to five seconds past the uptime`() throws {
        _ = try Decoding.frame(
            .headphoneMotion, SampleFrames.headphoneMotion.with("/samples/timestamp", "[0, 100, 105.25]"))
    }

    @Test(arguments: ["0.900001", "1.099999"])
    func `A quaternion may be off unit length by a tenth, and is kept as it is`(text: String) throws {
        let frame = SampleFrames.headphoneMotion.with("/samples/attitude/w", "[1, 0.8, \(text)]")
        #expect(try Decoding.motion(frame).attitude.w[2] == Double(text))
    }

    @Test func `A column holds no more samples than the limit`() {
        let column = "[" + (0..<5).map { "\($0)" }.joined(separator: ",") + "]"
        let frame = SampleFrames.batchedIMU.with("/deviceMotion", nil)
            .with("/accelerometer", "{\"timestamp\":\(column),\"x\":\(column),\"y\":\(column),\"z\":\(column)}")
        #expect(throws: Never.self) {
            try Decoding.decode(.batchedIMU, frame.payload, limits: DecodeLimits(maximumSamples: 5))
        }
        let rejection = #expect(throws: Rejection.self) {
            try Decoding.decode(.batchedIMU, frame.payload, limits: DecodeLimits(maximumSamples: 4))
        }
        #expect(rejection?.reason == .columnLength)
        #expect(rejection?.pointer == "/accelerometer/timestamp")
    }
}
