import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

/// Numbers that are well-formed and of the right type, and must not end the process by overflow.
@Suite("Numbers that devices choose", .serialized)
struct HostileNumberTests {
    @Test("Missing frames of many boots are counted up to the greatest number, and no further", .slow)
    func missingFrames() {
        var harness = PipelineHarness()
        for boot in 0..<1026 {
            for sequence in [0, (1 << 53) - 1] {
                var device = TestDevice("d1", boot: "b\(boot)")
                _ = harness.send(device.frame("submersion", uptime: 100 + Double(boot), seq: sequence, #""events":[]"#))
            }
        }
        _ = harness.end()
        #expect(harness.pipeline.counters.missingFrames == .max)
        let sum = harness.pipeline.counters + harness.pipeline.counters
        #expect(sum.missingFrames == .max)
    }

    @Test("Sums stop at the greatest and the least number")
    func saturation() {
        #expect(Int.max.addingSaturated(1) == .max)
        #expect(Int.min.addingSaturated(-1) == .min)
        #expect(Int.max.addingSaturated(.min) == -1)
        #expect(UInt64.max.addingSaturated(.max) == .max)
        #expect(2.addingSaturated(3) == 5)
    }

    @Test("Any numbers in frames of any stream are processed or refused", .slow)
    func anyNumbers() {
        var (kinds, processed): (Set<String>, Int) = ([], 0)
        for seed in 0..<24 as Range<UInt64> {
            var device = HostileDevice(seed: seed)
            var harness = PipelineHarness()
            for _ in 0..<300 {
                let message = device.next()
                for derived in harness.send(message) + harness.tick(at: message.at) {
                    #expect(!derived.fields.isEmpty || derived.isClearing)
                    kinds.insert(derived.kind)
                }
            }
            _ = harness.end()
            // A boot that nothing can follow may come early.
            #expect(harness.pipeline.counters.processed > 10)
            processed += harness.pipeline.counters.processed
        }
        #expect(processed > 24 * 50)
        #expect(kinds.isSuperset(of: ["depth-state", "gap", "rejected", "connection/device", "impact", "dive"]))
    }
}

/// A device whose frames are valid but for the numbers in them.
private struct HostileDevice {
    private static let numbers = [
        "0", "-0.0", "1", "-1", "0.5", "30", "1e308", "-1e308", "1.7976931348623157e308", "5e-324", "3.4e38", "3.5e38", "-3.5e38",
        "1e19", "9223372036854775807", "18446744073709551615", "-9223372036854775808",
    ]
    private static let uptimes: [Double] = [0, 0.001, 100, 4_294_967_296, 9_007_199_200, 1e13, 9_007_199_254_740_000]
    private static let passing: [Double] = [0.001, 0.02, 0.5, 1, 1, 1, 20, 70]
    private static let sampleIntervals: [Double] = [1e-9, 0.00125, 0.005, 0.02, 0.1, 1, 1e5]
    private static let sampleCount = 24

    private var random: SeededGenerator
    private var at = 1_763_749_000.0
    private var boot = 0
    private var uptime = 100.0
    private var sequences: [StreamName: UInt64] = [:]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The next message.
    mutating func next() -> RecordedMessage {
        let passed = pick(Self.passing)
        at += passed
        uptime += passed
        if isOneIn(40) {
            boot += 1
            uptime = pick(Self.uptimes)
            sequences = [:]
        } else if isOneIn(60) {
            uptime = pick(Self.uptimes)
        }
        let stream = pick(StreamName.allCases)
        var sequence = sequences[stream, default: 0]
        if isOneIn(30) { sequence = pick([sequence + 2, 1 << 32, (1 << 53) - 1]) }
        sequences[stream] = min(sequence + 1, (1 << 53) - 1)
        let sent = isOneIn(3) ? "" : #""sent":\#(isOneIn(20) ? pick([978_307_200, 4_102_444_799, 1e13]) : at),"#
        return TestDevice().raw(
            stream.rawValue, at: at, retain: stream.isRetained,
            #"{"schema":"wearables/1","boot":"b\#(boot)","seq":\#(sequence),"uptime":\#(uptime),\#(sent)\#(body(of: stream))}"#)
    }

    private mutating func body(of stream: StreamName) -> String {
        switch stream {
        case .headphoneMotion, .deviceMotion: return #""samples":\#(motion())"#
        case .batchedIMU:
            let accelerometer = #"{"timestamp":[\#(list(times()))],\#(vector())}"#
            return #""accelerometer":\#(accelerometer),"deviceMotion":\#(motion())"#
        case .submersion: return submersion()
        case .headphoneConnection: return #""event":"didConnect","timestamp":\#(uptime)"#
        case .status: return #""state":"online""#
        case .workout: return #""state":"running","activity":\#(pick([0, 5, Int.max])),"timestamp":\#(uptime)"#
        case .command: return #""command":"resetHeadPose""#
        case .pedometer: return pedometer()
        case .altimeter: return altimeter()
        case .recordedAccelerometer: return recordedAcceleration()
        case .movementDisorder: return movementDisorder()
        }
    }

    private mutating func motion() -> String {
        let zeros = list(Array(repeating: "0", count: Self.sampleCount))
        let ones = list(Array(repeating: "1", count: Self.sampleCount))
        return #"{"timestamp":[\#(list(times()))],"attitude":{"x":[\#(zeros)],"y":[\#(zeros)],"z":[\#(zeros)],"w":[\#(ones)]},"#
            + #""rotationRate":{\#(vector())},"userAcceleration":{\#(vector())},"gravity":{\#(vector())},"#
            + #""sensorLocation":"headphoneLeft"}"#
    }

    private mutating func pedometer() -> String {
        let date = 1_763_744_000 + uptime
        let data = (0..<Self.sampleCount).map { index in
            let start = isOneIn(2) ? 1_763_744_000 : pick([978_307_200, date])
            return #"{"startDate":\#(start),"endDate":\#(max(start, date - Double(index))),"#
                + #""numberOfSteps":\#(pick([0, 5, 1 << 40])),"distance":\#(pick(["0", "7.5", "1e9", "5e-324"]))}"#
        }
        let events = (0..<Self.sampleCount).map { #"{"type":\#(pick([0, 1])),"date":\#(date - Double($0) * pick([0, 1, 1e6]))}"# }
        return #""data":[\#(list(data))],"events":[\#(list(events))]"#
    }

    private mutating func recordedAcceleration() -> String {
        let interval = pick([0.005, 0.02, 0.5])
        let start = pick([978_307_200, at - 129_601, at - 20, at - 13])
        let dates = (0..<Self.sampleCount).map { "\(start + Double($0) * interval)" }
        let first = pick([0, 1 << 40, Int.max - 100])
        let identifiers = (0..<Self.sampleCount).map { "\(first + $0)" }
        let values = (0..<Self.sampleCount).map { _ in pick(["0", "-64", "64", "5e-324", "-1"]) }
        return #""samples":{"identifier":[\#(list(identifiers))],"startDate":[\#(list(dates))],"#
            + #""x":[\#(list(values))],"y":[\#(list(values))],"z":[\#(list(values))]}"#
    }

    private mutating func movementDisorder() -> String {
        let minutes = (0..<Self.sampleCount).map { index in
            let start = pick([978_307_200, at - 600_000, at - 120]) + Double(index)
            return #"{"startDate":\#(start),"endDate":\#(start + pick([1, 60])),"unknown":0,"none":\#(pick(["1", "0.99"])),"#
                + #""slight":0,"mild":0,"moderate":0,"strong":\#(pick(["0", "5e-324"]))}"#
        }
        return #""tremor":[\#(list(minutes))]"#
    }

    private mutating func altimeter() -> String {
        let altitudes = (0..<Self.sampleCount).map { _ in pick(["0", "-9500", "9500", "1", "5e-324"]) }
        let pressures = (0..<Self.sampleCount).map { _ in pick(["30", "120", "101"]) }
        return
            #""samples":{"timestamp":[\#(list(times()))],"relativeAltitude":[\#(list(altitudes))],"pressure":[\#(list(pressures))]}"#
    }

    private mutating func submersion() -> String {
        let measurements = times().map { time in
            let state = isOneIn(4) ? #""submersionState":\#(pick([0, 100, 300, 600, 700])),"# : ""
            return #"{"timestamp":\#(time),\#(state)"depth":\#(quantity("m")),"pressure":\#(quantity("bar")),"#
                + #""surfacePressure":\#(quantity("kPa"))}"#
        }
        let errors = times().map { #"{"timestamp":\#($0),"code":\#(pick([109, 0, Int.max, Int.min]))}"# }
        return #""measurements":[\#(list(measurements))],"errors":[\#(list(errors))],"temperatures":[{"timestamp":\#(uptime),"#
            + #""temperature":\#(quantity("F")),"temperatureUncertainty":{"value":1,"unit":"K"}}]"#
    }

    /// Increasing times, the last one the frame's uptime where there is room for them.
    private mutating func times() -> [String] {
        let interval = pick(Self.sampleIntervals)
        let first = max(0, uptime - interval * Double(Self.sampleCount - 1))
        return (0..<Self.sampleCount).map { "\(first + Double($0) * interval)" }
    }

    private mutating func vector() -> String {
        let isCalm = isOneIn(2)
        return list(
            ["x", "y", "z"].map { axis in
                let values = (0..<Self.sampleCount).map { _ in isCalm ? "1" : isOneIn(4) ? pick(Self.numbers) : "12" }
                return #""\#(axis)":[\#(list(values))]"#
            })
    }

    private mutating func quantity(_ unit: String) -> String {
        #"{"value":\#(isOneIn(3) ? pick(Self.numbers) : pick(["0", "3", "101", "20"])),"unit":"\#(unit)"}"#
    }

    private func list(_ parts: [String]) -> String { parts.joined(separator: ",") }

    private mutating func isOneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }
}
