@testable import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Pedometer frames")
struct PedometerDecodingTests {
    static let cases: [RuleCase] = [
        rule("/sent", nil, .missingField), rule("/sent", "null", .missingField), rule("/sent", "5", .timeOutOfRange),
        rule("/data", "{}", .wrongType),
        rule("/data/0", "5", .wrongType),
        rule("/data/0/startDate", nil, .missingField), rule("/data/0/startDate", "0", .timeOutOfRange),
        rule("/data/0/endDate", nil, .missingField), rule("/data/0/endDate", "\"now\"", .wrongType),
        rule("/data/0/endDate", "1763748901", .invalidValue), rule("/data/0/endDate", "1763749001250", .timeOutOfRange),
        rule("/data/0/numberOfSteps", nil, .missingField), rule("/data/0/numberOfSteps", "-1", .invalidValue),
        rule("/data/0/numberOfSteps", "1.5", .wrongType), rule("/data/0/numberOfSteps", "601", .invalidValue),
        rule("/data/0/numberOfSteps", "9223372036854775807", .invalidValue),
        rule("/data/0/distance", "-0.1", .invalidValue), rule("/data/0/distance", "1251", .invalidValue),
        rule("/data/0/distance", "\"NaN\"", .notFinite), rule("/data/0/distance", "{}", .wrongType),
        rule("/data/0/floorsAscended", "-1", .invalidValue), rule("/data/0/floorsDescended", "0.5", .wrongType),
        rule("/data/0/currentPace", "0.079", .invalidValue), rule("/data/0/currentPace", "-1", .invalidValue),
        rule("/data/0/currentPace", "0", .invalidValue), rule("/data/0/averageActivePace", "0.01", .invalidValue),
        rule("/data/0/currentCadence", "6.01", .invalidValue), rule("/data/0/currentCadence", "-0.1", .invalidValue),
        rule("/events", "5", .wrongType), rule("/events/0/type", nil, .missingField),
        rule("/events/0/type", "\"stop\"", .invalidValue), rule("/events/0/type", "2", .invalidValue),
        rule("/events/0/type", "true", .wrongType), rule("/events/0/date", nil, .missingField),
        rule("/events/0/date", "1e300", .timeOutOfRange), rule("/events/1/date", "[]", .wrongType),
        RuleCase(.pedometer, SampleFrames.pedometer.with("/data", nil), "/events", nil, .missingField, at: ""),
    ]

    private static let rule = RuleMaker(stream: .pedometer, frame: SampleFrames.pedometer)

    @Test(arguments: cases) func `A frame that breaks a rule is refused where it does`(rule: RuleCase) { rule.check() }

    @Test func `Either list may be missing, and a type may be a raw value`() throws {
        let both = try Decoding.pedometer(SampleFrames.pedometer)
        #expect(both.data.count == 1)
        #expect(both.events.map(\.kind) == [.resume, .pause])
        #expect(both.data.first?.values.steps == 240)
        #expect(both.data.first?.values.distance == 190.5)
        #expect(both.data.first?.values.currentPace == 0.4)
        #expect(both.tracksEvents)
        #expect(try Decoding.pedometer(SampleFrames.pedometer.with("/events", nil)).events.isEmpty)
        #expect(try Decoding.pedometer(SampleFrames.pedometer.with("/data", "null")).data.isEmpty)
    }

    @Test func `A list holds no more entries than the limit`() {
        let rejection = #expect(throws: Rejection.self) {
            try Decoding.decode(.pedometer, SampleFrames.pedometer.payload, limits: DecodeLimits(maximumEntries: 1))
        }
        #expect(rejection?.reason == .columnLength)
        #expect(rejection?.pointer == "/events")
    }

    @Test func `Means over a moment are not judged`() throws {
        let frame = SampleFrames.pedometer.with("/data/0/startDate", "1763749000.9").with("/data/0/endDate", "1763749001")
        #expect(try Decoding.pedometer(frame).data.first?.values.steps == 240)
    }

    // MARK: Device time

    private func samples(_ frame: JSONText) throws(Rejection) -> PedometerSamples {
        let decoded = try Decoding.decode(.pedometer, frame.payload)
        guard case .pedometer(let pedometer) = decoded.body, let sent = decoded.header.sent else {
            throw Rejection(.missingField, "no pedometer frame")
        }
        return try pedometer.samples(
            clockOffset: sent.seconds - decoded.header.uptime.seconds, clock: FrameClock(uptime: decoded.header.uptime))
    }

    @Test func `Dates become device time, in order, and counting may have begun before the boot`() throws {
        let samples = try samples(SampleFrames.pedometer.with("/data/0/startDate", "1763700000"))
        #expect(samples.data.map(\.end.seconds) == [99.75])
        #expect(samples.data.map(\.start.seconds) == [1_763_700_000 - 1_763_748_901])
        #expect(samples.data.map(\.startDate) == [UnixTime(1_763_700_000)])
        #expect(samples.events.map(\.time.seconds) == [95, 98])
        #expect(samples.events.map(\.kind) == [.pause, .resume])
        #expect(samples.timeSpan == DeviceTime(95)...DeviceTime(99.75))
    }

    @Test(arguments: [
        ("/data/0/endDate", "1763749007"), ("/events/1/date", "1763749007"), ("/events/0/date", "1763748890"),
    ])
    func `A date outside the boot is refused where it stands`(edit: String, text: String) {
        let rejection = #expect(throws: Rejection.self) { try samples(SampleFrames.pedometer.with(edit, text)) }
        #expect(rejection?.reason == .timeOutOfRange)
        #expect(rejection?.pointer == edit)
    }

    @Test func `History in a frame does not count to its time`() {
        let old = PedometerData(start: DeviceTime(0), startDate: nil, end: DeviceTime(100), steps: 1)
        var new = old
        new.end = DeviceTime(5_000)
        #expect(PedometerSamples(data: [old, new]).timeSpan == DeviceTime(5_000)...DeviceTime(5_000))
        #expect(PedometerSamples().timeSpan == nil)
    }
}

@Suite("Altimeter frames")
struct AltimeterDecodingTests {
    static let cases: [RuleCase] = [
        rule("/samples", "5", .wrongType), rule("/samples/timestamp", nil, .missingField),
        rule("/samples/timestamp", "[99, 98.5]", .timestampOrder, at: "/samples/timestamp/1"),
        rule("/samples/timestamp", "[99, 105.3]", .timeOutOfRange, at: "/samples/timestamp/1"),
        rule("/samples/relativeAltitude", "[1]", .columnLength), rule("/samples/relativeAltitude", "5", .wrongType),
        rule("/samples/relativeAltitude", "[1, \"x\"]", .wrongType, at: "/samples/relativeAltitude/1"),
        rule("/samples/relativeAltitude", "[1, 9600]", .invalidValue, at: "/samples/relativeAltitude/1"),
        rule("/samples/pressure", "[101.3, 1013]", .invalidValue, at: "/samples/pressure/1"),
        rule("/samples/pressure", "[29.9, 101]", .invalidValue, at: "/samples/pressure/0"),
        rule("/samples/pressure", "[101.3, 120.1]", .invalidValue, at: "/samples/pressure/1"),
        rule("/samples/pressure", "[101.3]", .columnLength),
        rule("/absolute", "[]", .wrongType), rule("/absolute/altitude", nil, .missingField),
        rule("/absolute/altitude", "[9001]", .invalidValue, at: "/absolute/altitude/0"),
        rule("/absolute/altitude", "[-501]", .invalidValue, at: "/absolute/altitude/0"),
        rule("/absolute/accuracy", nil, .missingField), rule("/absolute/precision", nil, .missingField),
        rule("/absolute/accuracy", "[-1]", .invalidValue, at: "/absolute/accuracy/0"),
        rule("/absolute/timestamp", "[99, 99.5]", .columnLength, at: "/absolute/altitude"),
        RuleCase(.altimeter, SampleFrames.altimeter.with("/absolute", nil), "/samples", nil, .missingField, at: ""),
        RuleCase(
            .altimeter, SampleFrames.altimeter.with("/samples/pressure", nil), "/samples/relativeAltitude", nil, .missingField,
            at: "/samples"),
    ]

    private static let rule = RuleMaker(stream: .altimeter, frame: SampleFrames.altimeter)

    @Test(arguments: cases) func `A frame that breaks a rule is refused where it does`(rule: RuleCase) { rule.check() }

    @Test func `Both halves are read, and either may be missing`() throws {
        let samples = try Decoding.altimeter(SampleFrames.altimeter)
        #expect(samples.timestamp == [99, 100])
        #expect(samples.relativeAltitude == [0, 0.5])
        #expect(samples.pressure == [101.325, 101.319])
        #expect(samples.absolute == AbsoluteAltitudeSamples(timestamp: [99.5], altitude: [412], accuracy: [3], precision: [0.5]))
        #expect(try Decoding.altimeter(SampleFrames.altimeter.with("/absolute", nil)).absolute == nil)
        #expect(try Decoding.altimeter(SampleFrames.altimeter.with("/samples", nil)).timestamp.isEmpty)
        #expect(try Decoding.altimeter(SampleFrames.altimeter.with("/samples/pressure", "null")).pressure == nil)
    }
}
