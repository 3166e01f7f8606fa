@testable import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Submersion rules")
struct SubmersionRulesTests {
    private let clock = FrameClock(uptime: DeviceTime(100))
    private let offset = 1_000_000.0

    private func event(_ instant: Instant, _ state: SubmersionState) -> DecodedSubmersion.Event {
        DecodedSubmersion.Event(instant: instant, state: state)
    }

    private func rejection(_ frame: DecodedSubmersion) -> Rejection? {
        #expect(throws: Rejection.self) { try frame.samples(clockOffset: offset, clock: clock) }
    }

    @Test func `Everything comes out in the model's units and in device time`() throws {
        let frame = DecodedSubmersion(
            events: [event(.unix(UnixTime(1_000_040)), .submerged)],
            measurements: [
                .init(
                    instant: .unix(UnixTime(1_000_042.5)), depth: Quantity(10, .feet), pressure: Quantity(1.5, .bars),
                    surfacePressure: Quantity(100_000, .pascals), submersionState: .submergedDeep)
            ],
            temperatures: [
                .init(
                    instant: .device(DeviceTime(43)), temperature: Quantity(283.15, .kelvin), uncertainty: Quantity(2, .kelvin))
            ],
            errors: [.init(instant: .device(DeviceTime(44)), code: 111)], maximumDepth: Quantity(20, .feet))
        let samples = try frame.samples(clockOffset: offset, clock: clock)
        #expect(samples.events == [SubmersionEvent(time: DeviceTime(40), state: .submerged)])
        #expect(
            samples.measurements == [
                SubmersionMeasurement(
                    time: DeviceTime(42.5), depth: 3.048, pressure: 150, surfacePressure: 100, submersionState: .submergedDeep)
            ])
        #expect(samples.temperatures == [WaterTemperatureSample(time: DeviceTime(43), temperature: 10, uncertainty: 2)])
        #expect(samples.errors == [SubmersionError(time: DeviceTime(44), code: 111)])
        #expect(samples.maximumDepth == 6.096)
    }

    @Test func `Entries of both clocks are sorted by time, ties in the frame's order`() throws {
        let frame = DecodedSubmersion(events: [
            event(.device(DeviceTime(30)), .submerged), event(.unix(UnixTime(1_000_010)), .unknown),
            event(.device(DeviceTime(20)), .notSubmerged), event(.unix(UnixTime(1_000_030)), .notSubmerged),
            event(.device(DeviceTime(10)), .submerged),
        ])
        let events = try frame.samples(clockOffset: offset, clock: clock).events
        #expect(events.map(\.time.seconds) == [10, 10, 20, 30, 30])
        #expect(events.map(\.state) == [.unknown, .submerged, .notSubmerged, .submerged, .notSubmerged])
    }

    @Test(arguments: [(999_996.0, 0.0), (1_000_000, 0), (1_000_105, 105)])
    func `A date may lie a little outside the frame's clock`(date: Double, seconds: Double) throws {
        let frame = DecodedSubmersion(events: [event(.unix(UnixTime(date)), .submerged)])
        #expect(try frame.samples(clockOffset: offset, clock: clock).events.first?.time.seconds == seconds)
    }

    @Test(arguments: [1.0, 999_994.9, 1_000_105.1, 9e15])
    func `A date of no time of this boot is refused where it stands`(date: Double) {
        let frame = DecodedSubmersion(events: [
            event(.device(DeviceTime(1)), .submerged), event(.unix(UnixTime(date)), .submerged),
        ])
        let rejection = rejection(frame)
        #expect(rejection?.reason == .timeOutOfRange)
        #expect(rejection?.pointer == "/events/1/date")
    }

    @Test func `A pressure that overflows is refused, an absurd depth is not`() throws {
        let instant = Instant.device(DeviceTime(1))
        let absurd = DecodedSubmersion(measurements: [.init(instant: instant, depth: Quantity(1e308, .feet))])
        #expect(try absurd.samples(clockOffset: offset, clock: clock).measurements.first?.depth == 0.3048e308)
        let rejection = rejection(DecodedSubmersion(measurements: [.init(instant: instant, pressure: Quantity(1e308, .bars))]))
        #expect(rejection?.reason == .invalidValue)
        #expect(rejection?.pointer == "/measurements/0/pressure/value")
    }
}
