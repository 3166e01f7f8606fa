import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Strokes and missing samples")
struct StrokeHoleTests {
    private static let presets = [StrokeSettings.tennis, .tableTennis]

    @Test("a hole is not rotation", arguments: presets, [0.1, 0.2, 0.5, 3, 3600])
    func hole(settings: StrokeSettings, seconds: Double) {
        var stream = WristStream()
        stream.steady(1.2)
        stream.steady(0.04, rate: 12)
        let edge = stream.time
        stream.steady(0.04, rate: 12)
        stream.steady(2)
        var samples = stream.samples
        samples.timestamp = samples.timestamp.map { $0 < edge ? $0 : $0 + seconds }
        #expect(strokes([samples], settings).isEmpty)
    }

    @Test("samples missing anywhere never make a stroke that was not there", .slow, arguments: [0.05, 0.1, 0.3])
    func anywhere(seconds: Double) {
        var stream = WristStream()
        let instants = [20.0, 18, 22].map { stream.ball(peak: $0) }
        stream.steady(1)
        let all = stream.samples
        for start in stride(from: 100, to: 103.5, by: 0.02) {
            let found = strokes(all.filter { !(start..<start + seconds).contains($0) }, .tableTennis)
            #expect(found.count <= 3)
            for stroke in found {
                let isBackswing = stroke.names.first == .backhand
                // Where a stroke's own samples are missing, its backswing of 10 rad/s is the fastest that is left.
                let isHidden = instants.contains { abs($0 - start - seconds / 2) < seconds / 2 + 0.12 }
                #expect(!isBackswing || isHidden)
            }
        }
    }

    @Test("a sample or two missing in a row hide no stroke")
    func bridged() {
        var stream = WristStream()
        for peak in [20.0, -18, 22, 17, -24, 19] { stream.ball(peak: peak) }
        let all = stream.samples
        let names = strokes([all], .tableTennis).names
        #expect(names.count == 6)
        for phase in 0..<8 {
            let kept = all.timestamp.indices.filter { ($0 + phase) % 8 > 1 }.map { all.slice($0..<$0 + 1) }
            #expect(strokes(kept, .tableTennis).names == names)
        }
    }

    @Test("counts outlast a hole", arguments: [1.0, 60, 86_400])
    func counts(seconds: Double) {
        var stream = WristStream()
        stream.ball()
        stream.steady(1)
        var later = stream.samples
        later.timestamp = later.timestamp.map { $0 + 2.2 + seconds }
        let found = strokes([stream.samples, later], .tableTennis)
        #expect(found.strokes.map(\.forehandCount) == [1, 2])
    }
}

extension DerivedEvent {
    fileprivate var names: [Stroke.Name] { [self].names }
}
