import GatewayPipeline
import TelemetryModel
import Testing

@Suite("A stroke at table tennis")
struct TableTennisStrokeTests {
    private let settings = StrokeSettings.tableTennis

    @Test("is named by the stroke itself, not by the backswing before it", arguments: [20.0, 25, 50, 100, 200], [1.0, -1])
    func backswing(hertz: Double, side: Double) {
        var stream = WristStream(hertz: hertz)
        var instants: [Double] = []
        for peak in [20.0, 24, 15, 19] { instants.append(stream.ball(peak: side * peak)) }
        let found = strokes([stream.samples], settings)
        #expect(zip(found, instants).allSatisfy { abs($0.time.seconds - $1) < 0.006 })
        #expect(found.names == Array(repeating: side > 0 ? .forehand : .backhand, count: 4))
        #expect(found.strokes.allSatisfy { abs($0.peakRotationRate) > 13 && abs($0.accumulatedRotation) > 1 })
        #expect(found.strokes.map { $0.forehandCount + $0.backhandCount } == [1, 2, 3, 4])
    }

    @Test("has the whole turn of its window")
    func yaw() throws {
        var stream = WristStream()
        stream.steady(1)
        stream.turn(0.2, peak: 20)
        stream.steady(1)
        let stroke = try #require(strokes([stream.samples], settings).strokes.first)
        #expect(abs(stroke.accumulatedRotation - 2 / Double.pi * 20 * 0.2) < 0.03)
        #expect(stroke.peakRotationRate > 19.5 && stroke.peakRotationRate <= 20)
    }

    @Test("is decided by samples half a second after its backswing, or 2.5 s after the last sample by a timer")
    func decision() throws {
        var stream = WristStream()
        stream.ball()
        stream.steady(1)
        let all = stream.samples
        let whole = strokes([all], settings)
        #expect(whole.count == 1)

        let cut = try #require(all.timestamp.firstIndex { $0 > 100.75 })
        var derivation = StrokeDerivation()
        #expect(derivation.due(settings: settings) == nil)
        #expect(derivation.take(.samples(all.slice(0..<cut), wrist: .left), settings).isEmpty)
        let due = try #require(derivation.due(settings: settings))
        #expect(due == DeviceTime(all.timestamp[cut - 1]) + 2.5)
        var waiting = derivation
        #expect(waiting.wait(until: due.seconds.nextDown, settings).isEmpty)
        #expect(waiting.wait(until: due.seconds, settings) == whole)
        #expect(waiting.due(settings: settings) == nil)
        #expect(waiting.take(.samples(all.slice(cut..<all.count), wrist: .left), settings).isEmpty)
        #expect(derivation.take(.samples(all.slice(cut..<all.count), wrist: .left), settings) == whole)
        #expect(derivation.due(settings: settings) == nil)
    }

    @Test("counts once, and again from 0.6 s on", arguments: [(0.6, 2), (0.4, 1)])
    func apart(seconds: Double, count: Int) {
        var stream = WristStream()
        stream.steady(1)
        stream.turn(0.2, peak: 20)
        stream.steady(seconds - 0.2)
        stream.turn(0.2, peak: 20)
        stream.steady(1)
        #expect(strokes([stream.samples], settings).count == count)
    }

    @Test("may be followed by one of the other kind")
    func alternating() {
        var stream = WristStream()
        for peak in [20.0, -20, -18, 22] { stream.ball(peak: peak) }
        let found = strokes([stream.samples], settings)
        #expect(found.names == [.forehand, .backhand, .backhand, .forehand])
        #expect(found.strokes.map(\.forehandCount) == [1, 1, 1, 2])
        #expect(found.strokes.map(\.backhandCount) == [0, 1, 2, 2])
    }

    @Test("of a slow player counts once three turns have shown the speed", arguments: [7.0, 8, 8.9])
    func slow(peak: Double) {
        var stream = WristStream()
        for _ in 0..<8 { stream.ball(peak: peak) }
        let found = strokes([stream.samples], settings)
        #expect(found.count == 5 && found.names.allSatisfy { $0 == .forehand })
        #expect(found.strokes.allSatisfy { (0.1..<0.9).contains($0.confidence) })
    }

    @Test("of a fast player is no turn of less than half of the speed of the last ones")
    func fast() {
        var stream = WristStream()
        for _ in 0..<6 {
            stream.ball(peak: 30)
            stream.steady(0.3)
            stream.turn(0.25, peak: -12)
            stream.steady(0.5)
        }
        let found = strokes([stream.samples], settings)
        #expect(found.names.count { $0 == .forehand } == 6 && found.names.count <= 8)
        #expect(found.strokes.last.map { $0.confidence > 0.9 } == true)
    }

    @Test("is not walking, a slow turn, or a knock")
    func others() {
        var stream = WristStream()
        for _ in 0..<20 {
            stream.turn(0.5, peak: 4)
            stream.turn(0.5, peak: -4)
        }
        stream.turn(1.5, peak: 8)
        stream.steady(0.5)
        stream.steady(0.02, rate: 40)
        stream.steady(1)
        #expect(strokes([stream.samples], settings).isEmpty)
    }
}
