@testable import FleetSimulator
import Foundation
@testable import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Simulated devices through the pipeline")
struct SimulatedDeviceTests {
    private static let start = 1_763_749_000.0

    private func origin(_ device: String, seconds: Double) -> DeviceOrigin {
        DeviceOrigin(device: device, unix: Self.start, uptime: 5321.25, seed: 1, duration: seconds)
    }

    /// A swing starts where its rotation passes 1 rad/s; the simulated rotation rises as a sine from nothing.
    private func fromThreshold(_ swing: FleetSimulator.Swing) -> Double {
        swing.timeToContact * (1 - 2 / .pi * asin(1 / swing.peakRotationRate))
    }

    @Test(
        "hits and misses are distinguished, with time to contact within 10 ms, wherever batches end", .slow,
        arguments: [BatterOptions.Layout.together, .separate(motionLag: 1.3)], stride(from: 0.1, through: 1, by: 0.18).map { $0 })
    func swings(layout: BatterOptions.Layout, firstEdge: Double) throws {
        let swings = [
            Swing(start: 3, timeToContact: 0.24, peakRotationRate: 17, impactAcceleration: 28),
            Swing(start: 7, timeToContact: 0.2, peakRotationRate: 18),
            Swing(start: 11.37, timeToContact: 0.31, peakRotationRate: 12, impactAcceleration: 20, direction: .clockwise),
            Swing(start: 15.5, timeToContact: 0.16, peakRotationRate: 19, impactAcceleration: 35),
        ]
        let batter = Batter(
            origin("batter", seconds: 22),
            options: BatterOptions(
                swings: .listed(swings), waves: [ArmWave(start: 18)], firstBatchEdge: firstEdge, layout: layout))
        let truth = batter.truth(through: 22)
        let found = PipelineHarness.run(batter).filter { $0.kind == "swing" }
            .sorted { ($0.number("startAt") ?? 0) < ($1.number("startAt") ?? 0) }
        try #require(found.count == truth.count)
        for (swing, expected) in zip(found, truth) {
            #expect(swing.flag("contact") == (expected.impact != nil))
            if let impact = expected.impact {
                #expect(abs((swing.number("impactAt") ?? 0) - impact) < 0.010)
                #expect(abs((swing.number("timeToContact") ?? 0) - fromThreshold(expected.swing)) < 0.010)
            } else {
                #expect(swing.isNull("impactAt"))
                #expect(swing.isNull("timeToContact"))
            }
        }
    }

    @Test("the talk's picture: rotation from 0.3 s, impact between 0.5 and 0.6 s")
    func talk() throws {
        let picture = Swing(start: 5.3, timeToContact: 0.25, peakRotationRate: 17, impactAcceleration: 28)
        let batter = Batter(
            origin("batter", seconds: 10), options: BatterOptions(swings: .listed([picture]), firstBatchEdge: 1))
        let swing = try #require(PipelineHarness.run(batter).first { $0.kind == "swing" })
        let impact = try #require(swing.number("impactAt")) - Self.start - 5
        let start = try #require(swing.number("startAt")) - Self.start - 5
        #expect((0.5...0.6).contains(impact))
        #expect(abs(start - (0.55 - fromThreshold(picture))) < 0.010)
        #expect(abs(try #require(swing.number("timeToContact")) - fromThreshold(picture)) < 0.010)
    }

    @Test(
        "a runner's segments, totals and hills are those of the run", .slow,
        arguments: [(RunnerOptions.city, 120.0), (.hill, 1_085)])
    func runner(options: RunnerOptions, seconds: Double) throws {
        let runner = Runner(origin("runner", seconds: seconds), options: options)
        let truth = runner.truth(after: seconds)
        let messages = PipelineHarness.run(runner, waiting: 1_000)
        let segments = messages.filter { $0.kind == "segment" }
        #expect(segments.count == truth.segments)
        let session = try #require(messages.last { $0.kind == "session/distance" && $0.text("state") == "ended" })
        // A second of the run is not in the last count; a count over a pause is shared by time.
        #expect(abs((session.number("distance") ?? 0) - truth.distance) <= 0.005 * truth.distance + 4)
        #expect(abs((session.number("movingTime") ?? 0) - truth.movingTime) < 2)
        #expect(abs((session.number("steps") ?? 0) - truth.steps) <= 6)
        let altitude = try #require(messages.last { $0.kind == "altitude" })
        #expect(abs((altitude.number("relativeAltitude") ?? 0) - truth.height) < 1)
        let hills = messages.filter { $0.kind == "hill" }
        let climbs = options == .hill ? truth.segments : 0
        #expect(hills.count == climbs)
        #expect(Set(hills.compactMap { $0.number("hill") }).count == min(climbs, 2))
        #expect(hills.allSatisfy { abs(abs($0.number("netClimb") ?? 0) - 24) < 1.5 })
    }

    @Test("headphones taken out, put back and handed over are published, and the pose starts after a calm time")
    func headphones() throws {
        let pods = Headphones(origin("pods", seconds: 40), options: .demo)
        let messages = PipelineHarness.run(pods)
        let transitions = messages.filter { $0.kind == "connection/headphone" }
            .map { "\($0.text("state") ?? "") \($0.text("cause") ?? "")" }
        #expect(transitions.contains("disconnected reported"))
        #expect(transitions.filter { $0 == "connected handover" }.count == 2)
        let poses = messages.filter { $0.kind == "head-pose" }
        #expect(poses.count > 20)
        #expect(poses.allSatisfy { abs($0.number("pitch") ?? 9) < 1.2 })
    }

    @Test("a dive to 7 m with the shallow entitlement passes every state, and depth is withheld at the bottom")
    func diver() throws {
        let policy = PipelineHarness.policy("ultra", DevicePolicy(entitlement: .shallow))
        let messages = PipelineHarness.run(Diver(origin("ultra", seconds: 60), options: .shallow), policy: policy)
        let states = messages.filter { $0.kind == "depth-state" }.compactMap { $0.text("state") }
        for state in [
            "submergedShallow", "submergedDeep", "approachingMaxDepth", "pastMaxDepth", "sensorDepthError", "notSubmerged",
        ] {
            #expect(states.contains(state))
        }
        let dive = try #require(messages.first { $0.kind == "dive" })
        #expect(dive.isNull("deepest"))
        #expect(messages.contains { $0.kind == "water-temperature" && $0.flag("converged") == true })
    }

    @Test("a sleeper's night has its onset, its end and its awakenings", .slow)
    func sleeper() throws {
        let policy = DevicePolicy.with { $0.consents = [.sleep] }
        let device = Sleeper(origin("sleeper", seconds: 60))
        let truth = device.truth
        let messages = PipelineHarness.run(device, policy: PipelineHarness.policy("sleeper", policy), waiting: 200)
        let sleep = try #require(messages.last { $0.kind == "sleep" })
        #expect(abs((sleep.number("start") ?? 0) - truth.onset) < 600)
        #expect(abs((sleep.number("end") ?? 0) - truth.end) < 600)
        #expect(sleep.number("awakenings") == Double(truth.awakenings))
        #expect(messages.filter { $0.kind == "wear" }.map { $0.text("state") } == ["worn"])
        #expect(!messages.contains { $0.kind == "gap" })
    }

    @Test("for a watch without the entitlement only the refusal and its alarm are published")
    func watch() {
        let policy = PipelineHarness.policy("watch", DevicePolicy())
        let messages = PipelineHarness.run(Diver(origin("watch", seconds: 30), options: .unentitled), policy: policy)
        #expect(messages.filter { $0.kind == "access/submersion" }.map { $0.number("code") } == [110])
        #expect(Set(messages.map(\.kind)) == ["access/submersion", "alarm/refused/submersion", "connection/device"])
    }
}
