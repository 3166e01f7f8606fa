import GatewayTestSupport
import Testing

/// What the pipeline found of a run.
struct RunFigures {
    var segments: [DerivedJSON]
    var hills: [DerivedJSON]
    var pace: DerivedJSON?
    var altitude: DerivedJSON?

    /// Runs the frames, then as long again as it takes for everything to be decided.
    init(_ run: RecordedRun) {
        var harness = PipelineHarness()
        var messages = harness.send(run.frames())
        let end = (run.rows.last?.time ?? 0) + TestDevice().offset + RecordedRun.uptime
        messages += harness.tick(at: end + 20)
        let paces = messages.filter { $0.kind == "pace" }
        pace = paces.last { $0.text("state") != "unknown" }
        messages += harness.tick(at: end + 3_600)
        segments = messages.filter { $0.kind == "segment" }
        hills = messages.filter { $0.kind == "hill" }
        altitude = messages.last { $0.kind == "altitude" && $0.text("quality") == "valid" }
    }

    /// Moving time in s, by segments.
    var movingTime: Double { segments.compactMap { $0.number("duration") }.reduce(0, +) }
    /// Distance in m, by segments.
    var distance: Double { segments.compactMap { $0.number("distance") }.reduce(0, +) }
}
