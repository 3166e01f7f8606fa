@testable import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

// The recordings are not the repository's to ship; where the folder is missing the suite says that it was skipped.
@Suite("Impacts of the recorded rally", .recorded)
struct RecordedImpactTests {
    let batches: [BatchedIMU]
    let whole: BatchedIMU
    let origin: Double
    let truth = [
        (3.472, 47.4), (5.310, 26.3), (7.150, 33.5), (9.722, 35.3), (11.607, 19.5), (13.449, 40.0), (16.081, 30.3),
    ]

    init() throws {
        let recorded = try SharedData.tennisRally()
        batches = recorded.map { BatchedIMU(accelerometer: $0) }
        var joined = AccelerometerSamples()
        for samples in recorded {
            joined.timestamp += samples.timestamp
            joined.acceleration.x += samples.acceleration.x
            joined.acceleration.y += samples.acceleration.y
            joined.acceleration.z += samples.acceleration.z
        }
        origin = try #require(joined.timestamp.first)
        whole = BatchedIMU(accelerometer: joined)
        #expect(batches.count == 20 && joined.count == 15_632)
    }

    private func expectTheSeven(_ events: [DerivedEvent], within tolerance: Double = 0.01) throws {
        try #require(events.count == truth.count)
        for (impact, (time, peak)) in zip(events.impacts, truth) {
            #expect(abs(impact.impactAt.seconds - origin - time) < tolerance)
            #expect(abs(impact.peakAcceleration - peak) < 0.06)
        }
    }

    @Test("are found in the batches of the watch, at the sample of the greatest acceleration")
    func asRecorded() throws {
        try expectTheSeven(derive(batches), within: 0.001)
    }

    @Test("are the same in one batch, in single samples, and with an edge on every impact")
    func otherBatches() throws {
        let expected = derive(batches)
        #expect(derive([whole]) == expected)
        #expect(derive(whole.accelerometer?.timestamp.indices.map(sample) ?? []) == expected)
        for offset in [-0.002, -0.001, 0, 0.0001, 0.001, 0.002, 0.01] {
            #expect(derive(whole.cut(at: truth.map { origin + $0.0 + offset })) == expected)
        }
    }

    @Test("are found on the axis of the talk too", arguments: [ImpactAxis.x, .z])
    func axes(axis: ImpactAxis) throws {
        let impacts = derive(batches, settings: .with { $0.impactAxis = axis }).impacts
        try #require(impacts.count == truth.count)
        for (impact, (time, _)) in zip(impacts, truth) {
            #expect(abs(impact.impactAt.seconds - origin - time) < 0.01)
            #expect(impact.axis == axis)
        }
    }

    @Test("stay seven when any batch is lost, less those inside it")
    func lostBatches() throws {
        for lost in batches.indices {
            var rest = batches
            let gone = try #require(rest.remove(at: lost).accelerometer?.timestamp)
            let expected = derive(batches).filter { !gone.contains($0.time.seconds) }
            #expect(derive(rest) == expected)
        }
    }

    @Test("come with no swing, as there is no rotation")
    func noSwing() {
        #expect(derive(batches, firingUntil: .infinity).swings.isEmpty)
    }

    private func sample(_ index: Int) -> BatchedIMU {
        BatchedIMU(accelerometer: whole.accelerometer?.slice(index..<index + 1))
    }
}
