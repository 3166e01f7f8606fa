import Foundation
import TelemetryModel
import Testing

@Suite("Telemetry model")
struct ModelTests {
    @Test(
        "an identifier is 1 to 64 of letters, digits, underscore and hyphen",
        arguments: ["a", "A-z_0", String(repeating: "x", count: 64)])
    func identifiers(text: String) throws {
        let identifier = try #require(Identifier(text))
        #expect(identifier.rawValue == text)
        #expect(try JSONDecoder().decode(Identifier.self, from: JSONEncoder().encode(identifier)) == identifier)
    }

    @Test(
        "nothing else is an identifier",
        arguments: ["", "a b", "a/b", "a+", "#", "$a", "a\u{0}", "\u{0430}", "é", "a\n", String(repeating: "x", count: 65)])
    func notIdentifiers(text: String) {
        #expect(Identifier(text) == nil)
    }

    @Test("an invalid identifier is not decoded")
    func brokenIdentifier() {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Identifier.self, from: Data(#""a b""#.utf8)) }
    }

    @Test("times count in whole microseconds, and one too far to count is the greatest")
    func microseconds() {
        #expect(DeviceTime(5321.1234567).microseconds == 5_321_123_457)
        #expect(DeviceTime(1e300).microseconds == .max)
        #expect(DeviceTime(.nan).microseconds == .max)
    }

    @Test("times of one clock differ by seconds and are written as bare numbers")
    func times() throws {
        #expect(UnixTime(10) - UnixTime(7.5) == 2.5)
        #expect(DeviceTime(1) + 0.5 > DeviceTime(1))
        #expect(String(decoding: try JSONEncoder().encode([DeviceTime(1.5)]), as: UTF8.self) == "[1.5]")
    }

    @Test("depth states have Core Motion's names and raw values", arguments: DepthState.allCases)
    func depthStates(state: DepthState) {
        #expect(DepthState(name: state.name) == state)
        #expect(state.rawValue % 100 == 0)
    }

    @Test("entitlement strings give the deepest they name")
    func entitlements() {
        let shallow = "com.apple.developer.submerged-shallow-depth-and-pressure"
        let full = "com.apple.developer.submerged-depth-and-pressure"
        #expect(DepthEntitlement(entitlements: []) == .none)
        #expect(DepthEntitlement(entitlements: [shallow]) == .shallow)
        #expect(DepthEntitlement(entitlements: [shallow, full]) == .full)
        #expect(DepthEntitlement.allCases.map(\.maximumDepth) == [nil, 6, 40])
    }

    @Test("a frame spans from its first sample to its last, whatever list they are in")
    func timeSpan() {
        let batch = FrameBody.batchedIMU(
            BatchedIMU(
                accelerometer: AccelerometerSamples(timestamp: [2, 3, 4]), deviceMotion: MotionSamples(timestamp: [1, 2, 3])))
        #expect(batch.timeSpan == DeviceTime(1)...DeviceTime(4))
        let submersion = FrameBody.submersion(
            SubmersionSamples(
                events: [SubmersionEvent(time: DeviceTime(5), state: .submerged)],
                measurements: [SubmersionMeasurement(time: DeviceTime(4))]))
        #expect(submersion.timeSpan == DeviceTime(4)...DeviceTime(5))
        #expect(FrameBody.command(.resetCounts).timeSpan == nil)
    }
}
