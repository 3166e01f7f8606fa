import GatewayPipeline
import TelemetryModel
import Testing

@Suite struct DepthLadderTests {
    @Test(
        "the bare mapping has its boundaries where Core Motion has them",
        arguments: [
            (6, 0, DepthState.submergedShallow), (6, 0.999, .submergedShallow), (6, 1, .submergedDeep),
            (6, 5.25, .submergedDeep), (6, 5.2501, .approachingMaxDepth), (6, 6, .approachingMaxDepth),
            (6, 6.0001, .pastMaxDepth), (6, 6.6, .pastMaxDepth), (6, 6.6001, .sensorDepthError),
            (40, 35, .submergedDeep), (40, 35.001, .approachingMaxDepth), (40, 40, .approachingMaxDepth),
            (40, 40.001, .pastMaxDepth), (40, 44, .pastMaxDepth), (40, 44.001, .sensorDepthError),
        ])
    func bare(maximumDepth: Double, depth: Double, expected: DepthState) {
        var settings = SubmersionSettings(maximumDepth: maximumDepth)
        settings.hysteresisMeters = 0
        let ladder = DepthLadder(maximumDepth: maximumDepth, settings: settings)
        #expect(ladder.state(at: depth) == expected)
        #expect(ladder.state(at: depth, after: .sensorDepthError) == expected)
        #expect(ladder.state(at: depth, after: .unknown) == expected)
    }

    @Test(
        "a state is left for a shallower one only past the hysteresis",
        arguments: [
            (DepthState.submergedDeep, 0.8, DepthState.submergedDeep), (.submergedDeep, 0.799, .submergedShallow),
            (.approachingMaxDepth, 5.06, .approachingMaxDepth), (.approachingMaxDepth, 5.05, .submergedDeep),
            (.pastMaxDepth, 5.81, .pastMaxDepth), (.pastMaxDepth, 5.79, .approachingMaxDepth),
            (.pastMaxDepth, 0.9, .submergedDeep), (.sensorDepthError, 6.5, .sensorDepthError),
            (.submergedShallow, 1, .submergedDeep), (.notSubmerged, 6.7, .sensorDepthError),
            (.unknown, 0.9, .submergedShallow),
        ])
    func hysteresis(held: DepthState, depth: Double, expected: DepthState) {
        let ladder = DepthLadder(maximumDepth: 6, settings: SubmersionSettings(maximumDepth: 6))
        #expect(ladder.state(at: depth, after: held) == expected)
    }

    @Test("NaN is deepest")
    func notANumber() {
        let settings = SubmersionSettings(maximumDepth: 6)
        #expect(DepthLadder(maximumDepth: 6, settings: settings).state(at: .nan) == .sensorDepthError)
        #expect(DepthLadder(maximumDepth: .nan, settings: settings).state(at: 2) == .sensorDepthError)
    }
}
