import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Stroke counts and wrists")
struct StrokeCountTests {
    private let settings = StrokeSettings.tableTennis

    private func ball(_ peak: Double, at start: Double) -> MotionSamples {
        var stream = WristStream(start: start)
        stream.ball(peak: peak)
        stream.steady(0.8)
        return stream.samples
    }

    @Test("start from zero after resetCounts")
    func reset() throws {
        let events = try StrokeDerivation.run(
            [
                .samples(ball(20, at: 10), wrist: .left), .samples(ball(-20, at: 12), wrist: .left), .resetCounts,
                .samples(ball(20, at: 14), wrist: .left),
            ], settings, saving: true)
        #expect(events.strokes.map(\.forehandCount) == [1, 1, 1])
        #expect(events.strokes.map(\.backhandCount) == [0, 1, 0])
    }

    @Test("a reset does not touch a stroke that is under way")
    func resetWithinAStroke() {
        let frame = ball(20, at: 10)
        for cut in stride(from: 1, to: frame.count, by: 3) {
            var derivation = StrokeDerivation()
            var events = derivation.take(.samples(frame.slice(0..<cut), wrist: .left), settings)
            events += derivation.take(.resetCounts, settings)
            events += derivation.take(.samples(frame.slice(cut..<frame.count), wrist: .left), settings)
            #expect(events.strokes.map(\.forehandCount) == [1])
        }
    }

    @Test("a mirrored stroke on the other wrist is the same stroke")
    func mirror() {
        for preset in [StrokeSettings.tennis, .tableTennis] {
            var (left, right) = (WristStream(), WristStream())
            for peak in [12.0, -15, 10] {
                left.steady(2)
                left.turn(0.4, peak: peak)
                right.steady(2)
                right.turn(0.4, peak: -peak)
            }
            let onLeft = strokes([left.samples], preset, wrist: .left)
            let onRight = strokes([right.samples], preset, wrist: .right)
            #expect(onLeft.count == 3)
            #expect(onLeft.map(\.time) == onRight.map(\.time))
            #expect(onLeft.names == onRight.names)
            #expect(onLeft.strokes.map(\.accumulatedRotation) == onRight.strokes.map { -$0.accumulatedRotation })
        }
    }

    @Test("an unknown wrist has no strokes, and counts go on once it is known")
    func unknownWrist() throws {
        let events = try StrokeDerivation.run(
            [
                .samples(ball(20, at: 10), wrist: .right), .samples(ball(20, at: 12), wrist: nil),
                .samples(ball(20, at: 14), wrist: .left), .samples(ball(20, at: 16), wrist: .right),
            ], settings)
        #expect(events.names == [.backhand, .forehand, .backhand])
        #expect(events.strokes.map(\.backhandCount) == [1, 1, 2])
    }
}
