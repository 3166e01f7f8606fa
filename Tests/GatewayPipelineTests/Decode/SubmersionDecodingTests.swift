@testable import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Submersion frames")
struct SubmersionDecodingTests {
    static let cases: [RuleCase] = [
        rule("/events", "{}", .wrongType), rule("/events/0", "5", .wrongType),
        rule("/events/0/state", nil, .missingField), rule("/events/0/state", "\"wet\"", .invalidValue),
        rule("/events/0/state", "3", .invalidValue), rule("/events/0/state", "true", .wrongType),
        rule("/events/0/timestamp", nil, .missingField), rule("/events/0/timestamp", "null", .wrongType),
        rule("/events/0/timestamp", "-1", .timeOutOfRange), rule("/events/0/timestamp", "105.3", .timeOutOfRange),
        rule("/measurements/1/date", nil, .missingField, at: "/measurements/1/timestamp"),
        rule("/measurements/1/date", "0", .timeOutOfRange), rule("/measurements/1/date", "1e16", .timeOutOfRange),
        rule("/measurements/1/date", "1763749000120", .timeOutOfRange),
        rule("/measurements/1/date", "\"2026-01-01\"", .wrongType),
        rule("/measurements/0/depth", "3.2", .wrongType),
        rule("/measurements/0/depth/value", nil, .missingField), rule("/measurements/0/depth/value", "\"NaN\"", .notFinite),
        rule("/measurements/0/depth/unit", nil, .unknownUnit), rule("/measurements/0/depth/unit", "\"fathom\"", .unknownUnit),
        rule("/measurements/0/depth/unit", "\"M\"", .unknownUnit), rule("/measurements/0/depth/unit", "\"bar\"", .unknownUnit),
        rule("/measurements/0/depth/unit", "1", .wrongType), rule("/measurements/0/pressure/unit", "\"m\"", .unknownUnit),
        rule("/measurements/0/surfacePressure", "[]", .wrongType),
        rule("/measurements/0/submersionState", "\"deep\"", .invalidValue),
        rule("/measurements/0/submersionState", "300.0", .wrongType),
        rule("/temperatures/0/temperature", nil, .missingField),
        rule("/temperatures/0/temperature/unit", "\"R\"", .unknownUnit),
        rule("/temperatures/0/temperatureUncertainty", nil, .missingField),
        rule("/temperatures/0/temperatureUncertainty/value", "-0.5", .invalidValue, at: "/temperatures/0/temperatureUncertainty"),
        rule("/errors/0/code", nil, .missingField), rule("/errors/0/code", "1.5", .wrongType),
        rule("/maximumDepth", "6", .wrongType), rule("/maximumDepth/value", "0", .invalidValue, at: "/maximumDepth"),
        rule("/maximumDepth/unit", "\"km\"", .unknownUnit),
    ]

    private static let rule = RuleMaker(stream: .submersion, frame: SampleFrames.submersion)

    @Test(arguments: cases) func `A frame that breaks a rule is refused where it does`(rule: RuleCase) { rule.check() }

    @Test func `Everything is kept as the device wrote it`() throws {
        let expected = DecodedSubmersion(
            events: [.init(instant: .device(DeviceTime(99)), state: .submerged)],
            measurements: [
                .init(
                    instant: .device(DeviceTime(99.25)), depth: Quantity(3.2, .meters), pressure: Quantity(1.33, .bars),
                    surfacePressure: Quantity(1013.25, .hectopascals), submersionState: .submergedDeep),
                .init(
                    instant: .unix(UnixTime(1_763_749_000.5)), depth: Quantity(10, .feet), submersionState: .submergedDeep),
            ],
            temperatures: [
                .init(
                    instant: .device(DeviceTime(99.25)), temperature: Quantity(50, .fahrenheit),
                    uncertainty: Quantity(9, .fahrenheit))
            ],
            errors: [.init(instant: .device(DeviceTime(99.5)), code: 110)], maximumDepth: Quantity(6, .meters))
        #expect(try Decoding.submersion(SampleFrames.submersion) == expected)
    }

    @Test func `Withheld depth and pressure may be null`() throws {
        let frame = SampleFrames.submersion.with("/measurements/0/depth", "null").with("/measurements/0/pressure", "null")
        let measurement = try Decoding.submersion(frame)?.measurements.first
        #expect(measurement?.depth == nil)
        #expect(measurement?.pressure == nil)
        #expect(measurement?.surfacePressure == Quantity(1013.25, .hectopascals))
    }

    @Test(arguments: ["-700", "1e308", "-0.0", "5e-324"])
    func `A depth is not validated here`(text: String) throws {
        let frame = SampleFrames.submersion.with("/measurements/0/depth/value", text)
        #expect(try Decoding.submersion(frame)?.measurements.first?.depth?.value == Double(text))
    }

    @Test(arguments: [("0", DepthState.unknown), ("600", .sensorDepthError), ("700", nil), ("-1", nil)])
    func `A depth state newer than the gateway is read as none`(text: String, state: DepthState?) throws {
        let frame = SampleFrames.submersion.with("/measurements/0/submersionState", text)
        #expect(try Decoding.submersion(frame)?.measurements.first?.submersionState == state)
    }

    @Test func `A timestamp goes before a date, and entries may be out of order`() throws {
        let frame = SampleFrames.submersion.with("/measurements/1/timestamp", "12.5")
        #expect(try Decoding.submersion(frame)?.measurements.last?.instant == .device(DeviceTime(12.5)))
    }

    @Test func `A list holds no more entries than the limit`() {
        let rejection = #expect(throws: Rejection.self) {
            try Decoding.decode(
                .submersion, SampleFrames.submersion.payload, limits: DecodeLimits(maximumEntries: 1))
        }
        #expect(rejection?.reason == .columnLength)
        #expect(rejection?.pointer == "/measurements")
    }
}
