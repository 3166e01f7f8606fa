@testable import GatewayPipeline
import GatewayTestSupport
import StateCoding
import TelemetryModel
import Testing

@Suite("Accelerometer and device motion")
struct SwingPairingTests {
    static let swings = [
        SyntheticSwing(onset: 1.1, impact: 1.4), SyntheticSwing(onset: 2.8, peakRate: -10, impact: 3.1),
        SyntheticSwing(onset: 4.4), SyntheticSwing(onset: 5.6, duration: 0.7, impact: 6.0),
    ]
    static let whole = BatchedIMU.recording(swings, to: 9)
    static let seconds = whole.cut(at: (1...8).map(Double.init))

    @Test("may come in separate frames, either one first and up to 2 s before the other", arguments: 0...2)
    func lag(frames: Int) {
        let expected = derive([Self.whole])
        #expect(expected.swings.map(\.contact) == [true, true, false, true])
        let rest = (0..<frames).map { (-1, Self.seconds.count - frames + $0) }
        let pairs = Self.seconds.indices.map { ($0, $0 - frames) } + rest
        for accelerometerFirst in [true, false] {
            var arrivals: [BatchedIMU] = []
            for (early, late) in pairs {
                let first = Self.seconds.indices.contains(early) ? Self.seconds[early] : BatchedIMU()
                let second = Self.seconds.indices.contains(late) ? Self.seconds[late] : BatchedIMU()
                arrivals.append(accelerometerFirst ? first.accelerometerOnly : first.motionOnly)
                arrivals.append(accelerometerFirst ? second.motionOnly : second.accelerometerOnly)
            }
            #expect(derive(arrivals) == expected)
            #expect(deriveLive(arrivals) == expected)
        }
    }

    @Test("give the same events however they are cut into frames", .slow)
    func randomCuts() throws {
        let expected = derive([Self.whole])
        #expect(derive(Self.seconds) == expected)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<40 {
            let edges = (0..<Int.random(in: 1...40, using: &generator)).map { _ in Double.random(in: 0...9, using: &generator) }
            let frames = Self.whole.cut(at: edges)
            #expect(derive(frames) == expected)
            #expect(derive(frames.flatMap { [$0.motionOnly, $0.accelerometerOnly] }) == expected)
        }
    }

    @Test("decide a swing that waits by the impact that the same timer makes final", arguments: [true, false])
    func flushedBeforeDecision(isHit: Bool) throws {
        // A knock before the swing is pending when the swing is decided, or the swing's own impact is.
        let swing = SyntheticSwing(onset: isHit ? 1 : 1.05, duration: isHit ? 0.5 : 0.2, impact: isHit ? 1.3 : nil)
        let knock = SyntheticSwing(onset: 1, peakRate: 1e-9, impact: 0.95)
        let whole = BatchedIMU.recording(isHit ? [swing] : [knock, swing], to: 3)
        let frames = [
            whole.during(0..<2).motionOnly, whole.during(2..<3).motionOnly,
            whole.during(0..<(isHit ? 1.4 : 1.249)).accelerometerOnly,
        ]
        #expect(derive(frames, firingUntil: 9).swings.map(\.contact) == [isHit])
    }

    @Test("have the same greatest acceleration however far the rotation is ahead")
    func stretches() {
        let swing = SyntheticSwing(onset: 1.52, duration: 0.3)
        for knock in stride(from: 1.40, to: 1.53, by: 0.004) {
            let whole = BatchedIMU.recording([SyntheticSwing(onset: 1.4, peakRate: 1e-9, impact: knock), swing], to: 4)
            let seconds = whole.cut(at: [1, 2, 3])
            #expect(derive(seconds.flatMap { [$0.motionOnly, $0.accelerometerOnly] }) == derive([whole]))
        }
    }

    @Test("give the same events sample by sample")
    func singly() {
        let second = Self.whole.during(1..<2.5)
        #expect(derive(second.singly) == derive([second]))
        #expect(derive([second]).swings.count == 1)
    }

    @Test("taken again change nothing")
    func repeats() {
        #expect(derive(Self.seconds.flatMap { [$0, $0] } + Self.seconds) == derive(Self.seconds))
    }

    @Test("go on from a state that was written and read in the middle of a swing")
    func savedState() throws {
        let expected = derive([Self.whole])
        for edge in stride(from: 0.9, to: 7, by: 0.21) {
            var events: [DerivedEvent] = []
            var before = SwingDerivation()
            before.consume(Self.whole.during(0..<edge), settings: SwingSettings(), into: &events)
            let written = try StateCoder.encode(before)
            var after = try StateCoder.decode(SwingDerivation.self, from: written)
            #expect(after == before)
            after.consume(Self.whole.during(edge..<10), settings: SwingSettings(), into: &events)
            #expect(events.byTime == expected)
        }
    }

    @Test("may be of any finite size")
    func hugeValues() throws {
        var generator = SeededGenerator(seed: 3)
        let sizes = [0, 1, -1, 1e3, 1e155, -1e200, Double.greatestFiniteMagnitude, -Double.greatestFiniteMagnitude]
        for times in [1e-3, 1, 1e300] {
            var frame = Self.whole
            for index in stride(from: 0, to: 1700, by: 3) {
                frame.deviceMotion?.rotationRate.x[index] = sizes.randomElement(using: &generator) ?? 0
                frame.deviceMotion?.gravity.y[index] = sizes.randomElement(using: &generator) ?? 0
                frame.accelerometer?.acceleration.z[index * 4] = sizes.randomElement(using: &generator) ?? 0
            }
            frame.accelerometer?.timestamp = (Self.whole.accelerometer?.timestamp ?? []).map { $0 * times }
            frame.deviceMotion?.timestamp = (Self.whole.deviceMotion?.timestamp ?? []).map { $0 * times }
            var derivation = SwingDerivation()
            var events: [DerivedEvent] = []
            derivation.consume(frame, settings: SwingSettings(), into: &events)
            derivation.fire(until: DeviceTime(1e308), settings: SwingSettings(), into: &events)
            // What is not a number equals nothing.
            #expect(try StateCoder.decode(SwingDerivation.self, from: StateCoder.encode(derivation)) == derivation)
            #expect(events.allSatisfy { $0.isFinite })
        }
    }
}

/// A frame's timers run before it, and its device time is that of its newest sample.
func deriveLive(_ frames: [BatchedIMU]) -> [DerivedEvent] {
    var derivation = SwingDerivation()
    var events: [DerivedEvent] = []
    var now = 0.0
    for frame in frames {
        now = max(now, frame.accelerometer?.timestamp.last ?? now, frame.deviceMotion?.timestamp.last ?? now)
        derivation.fire(until: DeviceTime(now), settings: SwingSettings(), into: &events)
        derivation.consume(frame, settings: SwingSettings(), into: &events)
    }
    return events.byTime
}
