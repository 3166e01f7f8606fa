import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("When the data stop")
struct SwingTimerTests {
    let settings = SwingSettings()
    let hit = BatchedIMU.recording([SyntheticSwing(onset: 1, impact: 1.3)], to: 4)

    private func stopping(_ frames: [BatchedIMU]) -> (SwingDerivation, [DerivedEvent]) {
        var derivation = SwingDerivation()
        var events: [DerivedEvent] = []
        for frame in frames { derivation.consume(frame, settings: settings, into: &events) }
        return (derivation, events)
    }

    @Test("a pending impact comes out after the wait, dated by itself")
    func pendingImpact() throws {
        var (derivation, events) = stopping([hit.accelerometerOnly.during(0..<1.4)])
        #expect(events.isEmpty)
        let due = try #require(derivation.due(settings: settings))
        #expect(abs(due.seconds - 1.4 - settings.waitSeconds) < 0.003)
        derivation.fire(until: due - 0.001, settings: settings, into: &events)
        #expect(events.isEmpty)
        derivation.fire(until: due, settings: settings, into: &events)
        #expect(abs(try #require(events.only).time.seconds - 1.3) < 0.003)
    }

    @Test("an open rotation with an impact is a hit, with a beginning only it is nothing")
    func openRotation() {
        var (struck, events) = stopping([hit.during(0..<1.4)])
        struck.fire(until: DeviceTime(9), settings: settings, into: &events)
        #expect(events.swings.map(\.contact) == [true])
        #expect(struck.due(settings: settings) == nil)

        var (unstruck, others) = stopping([hit.during(0..<1.29)])
        unstruck.fire(until: DeviceTime(9), settings: settings, into: &others)
        #expect(others.isEmpty)
        #expect(unstruck.due(settings: settings) == nil)
    }

    @Test("a candidate waits for the accelerometer and is then dropped")
    func noAccelerometer() throws {
        var (derivation, events) = stopping([hit.motionOnly.during(0..<2)])
        #expect(abs(try #require(derivation.due(settings: settings)).seconds - 4.5) < 0.01)
        derivation.fire(until: DeviceTime(4.4), settings: settings, into: &events)
        #expect(derivation.due(settings: settings) != nil)
        derivation.fire(until: DeviceTime(4.6), settings: settings, into: &events)
        #expect(derivation.due(settings: settings) == nil)
        derivation.consume(hit.accelerometerOnly, settings: settings, into: &events)
        #expect(events.count == 1 && events.impacts.count == 1)
    }

    @Test("an impact waits for the rotation and then stays an impact")
    func noRotation() throws {
        var (derivation, events) = stopping([hit.accelerometerOnly.during(0..<2)])
        #expect(abs(try #require(derivation.due(settings: settings)).seconds - 4.5) < 0.01)
        derivation.fire(until: DeviceTime(4.6), settings: settings, into: &events)
        #expect(derivation.due(settings: settings) == nil)
        derivation.consume(hit.motionOnly, settings: settings, into: &events)
        derivation.consume(hit.accelerometerOnly, settings: settings, into: &events)
        #expect(events.count == 1 && events.impacts.count == 1)
    }

    @Test("nothing is due before anything happened")
    func idle() {
        let (derivation, _) = stopping([hit.during(0..<0.9)])
        #expect(SwingDerivation().due(settings: settings) == nil)
        #expect(derivation.due(settings: settings) == nil)
    }
}
