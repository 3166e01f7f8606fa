import GatewayPipeline
import TelemetryModel
import Testing

@Suite("A stroke by the talk's thresholds")
struct TennisStrokeTests {
    private func stream(hertz: Double = 50, _ write: (inout WristStream) -> Void) -> [DerivedEvent] {
        var stream = WristStream(hertz: hertz)
        write(&stream)
        return strokes([stream.samples], .tennis)
    }

    @Test(
        "clockwise from above is a forehand on the left wrist and a backhand on the right, and the reverse",
        arguments: [
            (7.0, Side.left, Stroke.Name.forehand), (7, .right, .backhand), (-7, .left, .backhand), (-7, .right, .forehand),
        ])
    func naming(peak: Double, wrist: Side, name: Stroke.Name) {
        var stream = WristStream()
        stream.steady(1)
        stream.turn(0.6, peak: peak)
        stream.steady(1)
        let found = strokes([stream.samples], .tennis, wrist: wrist).strokes
        #expect(found.map(\.stroke) == [name])
        #expect(found.allSatisfy { ($0.accumulatedRotation > 0) == (peak > 0) && ($0.peakRotationRate > 0) == (peak > 0) })
        #expect(found.map { [$0.forehandCount, $0.backhandCount] } == [name == .forehand ? [1, 0] : [0, 1]])
    }

    @Test("needs more than 1.95 rad and more than 5.5 rad/s", arguments: [25.0, 50, 100, 200])
    func thresholds(hertz: Double) {
        for (rate, seconds, count) in [(5.5, 0.8, 0), (5.51, 0.8, 1), (8.1, 0.24, 0), (8.15, 0.24, 1), (-8.15, 0.24, 1)] {
            let found = stream(hertz: hertz) {
                $0.steady(1)
                $0.steady(seconds, rate: rate)
                $0.steady(1)
            }
            #expect(found.count == count, "\(rate) rad/s for \(seconds) s")
        }
    }

    @Test("needs its peak on the side it turned to")
    func opposingPeak() {
        let found = stream {
            $0.steady(1)
            $0.steady(0.8, rate: 3)
            $0.steady(0.02, rate: -20)
            $0.steady(1)
        }
        #expect(found.isEmpty)
    }

    @Test("is not published before a second of samples was received", arguments: [25.0, 50, 100])
    func fullWindow(hertz: Double) throws {
        let found = stream(hertz: hertz) { $0.steady(1.5, rate: 7) }
        #expect(found.count == 1)
        let span = try #require(found.first?.span)
        #expect(abs(span.upperBound.seconds - 101 + 1 / hertz) < 1e-9)
        #expect(stream(hertz: hertz) { $0.steady(1 - 1 / hertz, rate: 7) }.isEmpty)
    }

    @Test("is where the rotation is fastest, at a sample of its window")
    func instant() throws {
        let found = stream {
            $0.steady(1)
            $0.steady(0.1, rate: 4)
            $0.steady(0.02, rate: 9)
            $0.steady(0.5, rate: 6)
        }
        #expect(found.count == 1)
        let event = try #require(found.first)
        #expect(abs(event.time.seconds - 101.1) < 1e-9)
        #expect(event.span?.contains(event.time) == true)
        #expect(event.quality == .valid)
    }

    @Test("counts again only after half a second of stillness and another second of samples")
    func rearming() {
        for (still, count) in [(0.3, 1), (0.6, 1), (0.9, 1), (1.7, 2)] {
            let found = stream {
                $0.steady(1)
                $0.turn(0.6, peak: 7)
                $0.steady(still)
                $0.turn(0.4, peak: -9)
                $0.steady(0.05, rate: -3)
            }
            #expect(found.count == count, "after \(still) s")
        }
        #expect(stream { $0.steady(60, rate: 7) }.count == 1)
    }
}
