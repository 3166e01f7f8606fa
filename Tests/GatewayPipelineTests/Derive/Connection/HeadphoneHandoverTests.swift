import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Headphone handover")
struct HeadphoneHandoverTests {
    private var headphones = HeadphoneConnectionDerivation()
    private let settings = HeadphoneConnectionSettings()

    @Test("each change of location in a frame is a handover, from connected to connected")
    mutating func severalInAFrame() {
        let events = take([(10, .headphoneLeft), (10.1, .headphoneRight), (10.2, .headphoneRight), (10.3, .headphoneLeft)])
        #expect(
            events.handovers == [
                Handover(time: 10.1, from: .headphoneLeft, to: .headphoneRight),
                Handover(time: 10.3, from: .headphoneRight, to: .headphoneLeft),
            ])
        #expect(events.transitions.last == Transition(10.3, .connected, .connected, .handover))
    }

    @Test("an unknown location is no handover and does not hide one")
    mutating func defaultLocation() {
        let events = take([
            (10, .default), (10.1, .headphoneLeft), (10.2, .default), (10.3, .headphoneLeft), (10.4, .default),
        ])
        #expect(events.handovers == [])
        #expect(
            take([(10.5, .headphoneRight)]).handovers == [
                Handover(time: 10.5, from: .headphoneLeft, to: .headphoneRight)
            ])
    }

    @Test(
        "the other headphone after a disconnect is no handover, whether or not a connect was reported",
        arguments: [true, false])
    mutating func afterDisconnect(isReported: Bool) {
        _ = take([(10, .headphoneLeft)])
        _ = headphones.take(.event(.init(event: .didDisconnect, time: DeviceTime(10.5))), settings)
        if isReported { _ = headphones.take(.event(.init(event: .didConnect, time: DeviceTime(10.6))), settings) }
        #expect(take([(10.45, .headphoneLeft), (11, .headphoneRight)]).handovers == [])
    }

    @Test("the other headphone after a silence is a handover, after the data resumed")
    mutating func afterSilence() {
        let events = take([(10, .headphoneLeft), (15, .headphoneRight)])
        #expect(
            events.transitions == [
                Transition(10, nil, .connected, .dataResumed), Transition(12, .connected, .silent, .silence),
                Transition(15, .silent, .connected, .dataResumed), Transition(15, .connected, .connected, .handover),
            ])
    }

    @Test("a repeated sample is no handover")
    mutating func repeatedSample() {
        _ = take([(10, .headphoneLeft), (10.1, .headphoneRight)])
        #expect(take([(10, .headphoneLeft), (10.1, .headphoneLeft)]).isEmpty)
    }

    @Test("any cut into frames, saved or not, gives the same events", arguments: 0..<20)
    func anyFrames(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var stream = MotionStream()
        for _ in 0..<30 {
            let location = SensorLocation.allCases.randomElement(using: &generator) ?? .default
            stream.turn(Int.random(in: 1...20, using: &generator), from: location)
            stream.skip(Double.random(in: 0...3, using: &generator))
        }
        let whole = try HeadphoneConnectionDerivation.run([.samples(stream.samples)], settings)
        let frames = stream.samples.frames(longest: 12, using: &generator).map(HeadphoneConnectionDerivation.Input.samples)
        #expect(try HeadphoneConnectionDerivation.run(frames, settings) == whole)
        #expect(try HeadphoneConnectionDerivation.run(frames, settings, saving: true) == whole)
        #expect(try Self.runWithTimers(frames, settings) == whole)
        #expect(whole.transitions.contains { $0.cause == .silence } && !whole.handovers.isEmpty)
    }

    /// As the gateway does it live: the timers due before a frame's first sample run before the frame.
    private static func runWithTimers(
        _ frames: [HeadphoneConnectionDerivation.Input], _ settings: HeadphoneConnectionSettings
    ) throws -> [DerivedEvent] {
        var headphones = HeadphoneConnectionDerivation()
        var events: [DerivedEvent] = []
        for frame in frames {
            guard case .samples(let samples) = frame, let first = samples.timestamp.first else { continue }
            headphones.fire(until: DeviceTime(first.nextDown), settings: settings, into: &events)
            headphones.consume(frame, settings: settings, into: &events)
        }
        return events
    }

    private mutating func take(_ samples: [(Double, SensorLocation)]) -> [DerivedEvent] {
        var motion = MotionSamples(sensorLocation: [])
        for (time, location) in samples { motion.append(time, attitude: SIMD4(0, 0, 0, 1), location: location) }
        return headphones.take(.samples(motion), settings)
    }
}
