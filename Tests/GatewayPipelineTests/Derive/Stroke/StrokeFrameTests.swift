import GatewayPipeline
import GatewayTestSupport
import StateCoding
import TelemetryModel
import Testing

@Suite("Strokes and how their samples arrive")
struct StrokeFrameTests {
    /// Eight turns without a backswing, which either preset finds, and four balls.
    private static func play(hertz: Double = 50) -> MotionSamples {
        var stream = WristStream(hertz: hertz)
        for peak in [10.0, -12, 11, 14, -10, 12, -13, 15] {
            stream.steady(1.2)
            stream.turn(0.4, peak: peak)
            stream.steady(0.8)
        }
        for peak in [20.0, -20, 18, -16] { stream.ball(peak: peak) }
        return stream.samples
    }

    private static let presets = [StrokeSettings.tennis, .tableTennis]

    @Test("they do not depend on where frames begin and end", .slow, arguments: presets)
    func cuts(settings: StrokeSettings) throws {
        let play = Self.play()
        let whole = strokes([play], settings)
        #expect(whole.count >= 8)
        #expect(strokes(play.filter { _ in true }, settings) == whole)
        var generator = SeededGenerator(seed: 5)
        for longest in [2, 7, 50, 90] {
            for _ in 0..<10 {
                let frames = play.frames(longest: longest, using: &generator)
                #expect(strokes(frames, settings) == whole)
                let saved = try StrokeDerivation.run(frames.map { .samples($0, wrist: .left) }, settings, saving: longest > 40)
                #expect(saved == whole)
            }
        }
    }

    @Test("repeated and late frames change nothing", arguments: presets)
    func repeats(settings: StrokeSettings) {
        let play = Self.play()
        var generator = SeededGenerator(seed: 6)
        let frames = play.frames(longest: 40, using: &generator)
        let repeated = frames.indices.flatMap { [frames[$0], frames[$0], frames[max(0, $0 - 3)]] }
        #expect(strokes(repeated + frames, settings) == strokes([play], settings))
    }

    @Test("samples that are not finite count as missing", arguments: presets)
    func notFinite(settings: StrokeSettings) {
        let play = Self.play()
        var marred = play
        var isMarred: Set<Double> = []
        for index in stride(from: 7, to: play.count, by: 9) {
            isMarred.insert(play.timestamp[index])
            switch index % 4 {
            case 0: marred.rotationRate.y[index] = .nan
            case 1: marred.gravity.z[index] = .infinity
            case 2: (marred.rotationRate.y[index], marred.gravity.y[index]) = (1e200, 1e200)
            default: marred.timestamp[index] = .nan
            }
        }
        let found = strokes([marred], settings)
        #expect(found == strokes(play.filter { !isMarred.contains($0) }, settings))
        #expect(found.names == strokes([play], settings).names)
    }

    @Test("the state is small at any rate, and finite whatever is sent", arguments: presets, [50.0, 200, 800])
    func size(settings: StrokeSettings, hertz: Double) throws {
        var play = Self.play(hertz: hertz)
        var derivation = StrokeDerivation()
        let offset = 86_400.123_456_789
        play.timestamp = play.timestamp.map { $0 + offset }
        #expect(derivation.take(.samples(play, wrist: .left), settings).count >= 8)
        #expect(try StateCoder.encode(derivation).count < 2000)

        for index in play.timestamp.indices {
            play.rotationRate.y[index] = index.isMultiple(of: 2) ? 1e150 : -1e150
            play.timestamp[index] = Double(index) * 1e300 + 1e6
        }
        let events = derivation.take(.samples(play, wrist: .left), settings)
        // What is not a number equals nothing.
        #expect(try StateCoder.decode(StrokeDerivation.self, from: StateCoder.encode(derivation)) == derivation)
        #expect(events.allSatisfy { $0.isFinite })
    }

    @Test("the strokes are those of 50 Hz at any rate from 20 to 200 Hz", arguments: [20.0, 25, 33, 60, 100, 128, 200])
    func rates(hertz: Double) {
        let names = strokes([Self.play()], .tableTennis).names
        #expect(names.count == 12)
        #expect(strokes([Self.play(hertz: hertz)], .tableTennis).names == names)
    }
}
