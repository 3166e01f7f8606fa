import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Pace at the end of a workout")
struct PaceWorkoutEndTests {
    private func near(_ left: Double?, _ right: Double) -> Bool { left.map { abs($0 - right) <= 1e-6 } ?? false }

    private func change(_ state: WorkoutState, _ time: Double) -> PedometerDerivation.Input {
        .workout(WorkoutChange(state: state, time: DeviceTime(time)))
    }

    @Test("Steps that were counted over the end of a workout begin no count before it")
    func stepsOverEnd() {
        var settings = PedometerSettings()
        settings.tracksEvents = false
        let walk = Walk(stretches: [.init(start: 0, end: 110)])
        var derivation = PedometerDerivation()
        var events = derivation.take(change(.running, 0), settings)
        for input in walk.counts(from: 2, to: 100, every: 2).inputs { events += derivation.take(input, settings) }
        events += derivation.take(change(.ended, 101), settings)
        for input in walk.counts(from: 102, to: 130, every: 2).inputs { events += derivation.take(input, settings) }
        #expect(events.segments.map(\.start.seconds) == [0, 102])
        #expect(events.segments.map(\.end.seconds) == [101, 110])
        #expect(near(events.segments.first?.distance, 306))
    }

    @Test(
        "A resumption that is reported after the end or a pause of its workout belongs to it",
        arguments: [WorkoutState.ended, .paused])
    func lateResumption(before state: WorkoutState) {
        let settings = PedometerSettings()
        let walk = Walk(stretches: [.init(start: 0, end: 60), .init(start: 98, end: 100)])
        var derivation = PedometerDerivation()
        var events = derivation.take(change(.running, 0), settings)
        for input in (walk.counts(to: 100) + [Walk.event(.pause, 60)]).inputs { events += derivation.take(input, settings) }
        events += derivation.take(change(state, 100), settings)
        for input in ([Walk.event(.resume, 98)] + walk.counts(from: 101, to: 120)).inputs {
            events += derivation.take(input, settings)
        }
        #expect(events.segments.map(\.start.seconds) == [0, 98])
        #expect(events.segments.map(\.end.seconds) == [60, 100])
        #expect(near(events.lastPace?.totals.distance, 186))
        #expect(near(events.lastPace?.totals.movingTime, 62))
    }
}
