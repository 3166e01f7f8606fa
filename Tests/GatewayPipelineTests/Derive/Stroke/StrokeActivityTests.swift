@testable import FleetSimulator
import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Strokes and workouts")
struct StrokeActivityTests {
    private func ball(at start: Double) -> StrokeDerivation.Input {
        var stream = WristStream(start: start)
        stream.ball()
        stream.steady(0.8)
        return .samples(stream.samples, wrist: .left)
    }

    private func workout(_ state: WorkoutState, _ activity: String?, at time: Double) -> StrokeDerivation.Input {
        .workout(WorkoutChange(state: state, activity: activity, time: DeviceTime(time)))
    }

    private func count(_ inputs: [StrokeDerivation.Input], _ settings: StrokeSettings = StrokeSettings(.tableTennis)) throws
        -> Int
    {
        try StrokeDerivation.run(inputs, settings, saving: true).strokes.count
    }

    @Test(
        "count in workouts of racket sports", arguments: StrokeSettings().activities.map(\.description))
    func racket(activity: String) throws {
        let play = [
            workout(.running, activity, at: 5), ball(at: 10), ball(at: 13), workout(.ended, activity, at: 16), ball(at: 20),
        ]
        #expect(try count(play) == 2)
    }

    @Test("do not count in others, in a pause, or without one, unless they always count")
    func others() throws {
        for activity in ["running", "baseball", "tennisball", nil] {
            let inputs = [workout(.running, activity, at: 5), ball(at: 10)]
            #expect(try count(inputs) == 0)
            #expect(try count(inputs, .tableTennis) == 1)
        }
        #expect(try count([ball(at: 10)]) == 0)
        let paused = [workout(.running, "tennis", at: 5), workout(.paused, "tennis", at: 8), ball(at: 10)]
        #expect(try count(paused) == 0)
        let baseball = StrokeSettings.with {
            $0.preset = .tableTennis
            $0.activities = ["baseball"]
        }
        #expect(try count([workout(.running, "baseball", at: 5), ball(at: 10)], baseball) == 1)
    }

    @Test("wait for a workout that arrives late, by up to 2.5 s")
    func late() throws {
        #expect(try count([ball(at: 10), workout(.running, "tennis", at: 9)]) == 1)
        #expect(try count([ball(at: 10), ball(at: 14), workout(.running, "tennis", at: 9)]) == 1)
        #expect(try count([ball(at: 10), workout(.running, "tennis", at: 11.5)]) == 0)
    }

    @Test("of a simulated player are the same when frames are shuffled", .slow)
    func shuffled() {
        let origin = DeviceOrigin(device: "p", unix: 1_763_749_000, uptime: 5_321.25, seed: 3, duration: 60)
        func strokes(_ activity: String, shuffled: UInt64? = nil) -> [DerivedJSON] {
            let player = Batter(origin, options: BatterOptions(activity: activity))
            return PipelineHarness.run(player, settings: PipelineHarness.settings, shuffled: shuffled).filter {
                $0.kind == "stroke"
            }
        }
        let once = strokes("tennis").map(\.lasting)
        #expect(once.count > 5)
        #expect(strokes("tennis", shuffled: 4).map(\.lasting) == once)
        #expect(strokes("baseball").isEmpty)
    }
}
