import GatewayTestSupport
import Testing
import TelemetryModel

@testable import GatewayPipeline

/// Tremor of people who have none. `make truth` prints the figures.
@Suite("Truth: tremor", .slow)
struct TremorTruthTests {
    private let settings = TremorSettings.with { $0.isPermitted = true }

    /// The minutes of rows of a time in s and three axes in G.
    private func minutes(_ rows: [[Double]]) throws -> [Tremor] {
        let samples = MotionSamples.accelerationOnly(rows.map { ($0[0], SIMD3($0[1], $0[2], $0[3])) })
        return try TremorDerivation.run(samples.frames(of: 50), settings, saving: false).compactMap { $0.body as? Tremor }
    }

    private func trembling(_ minute: Tremor) -> Double { minute.slight + minute.mild + minute.moderate + minute.severe }

    /// The windows of 4 s of a trial, one every 2 s, at 50 Hz.
    private func windows(_ trial: [[Double]]) -> [TremorWindow] {
        var (place, even) = (0, [SIMD3<Double>]())
        for cell in 0..<Int((trial.last?[0] ?? 0) * TremorWindow.hertz) {
            let time = Double(cell) / TremorWindow.hertz
            while trial[place + 1][0] < time { place += 1 }
            let (from, to) = (trial[place], trial[place + 1])
            let part = (time - from[0]) / (to[0] - from[0])
            even.append(SIMD3(from[1], from[2], from[3]) * (1 - part) + SIMD3(to[1], to[2], to[3]) * part)
        }
        return stride(from: 0, through: even.count - TremorWindow.cells, by: 100).map {
            TremorWindow(Array(even[$0..<$0 + TremorWindow.cells]), settings)
        }
    }

    @Test("At most a tenth of the windows of brushing teeth is tremor", .recorded)
    func brushing() throws {
        let trials = try HistoryTruth.trials("brush_teeth")
        let windows = trials.flatMap(windows)
        let found = windows.count { if case .tremor = $0 { true } else { false } }
        let share = Double(found) / Double(max(1, windows.count))
        Truth.row(
            "tremor", data: "hmp brush_teeth", people: 16, hours: HistoryTruth.seconds(trials) / 3_600,
            "share of windows with tremor",
            Truth.number(share), goal: "<= 0.10")
        #expect(windows.count > 100)
        #expect(share <= 0.1)
    }

    @Test(
        "Hand work and walks have no minute with tremor", .recorded,
        arguments: ["brush_teeth", "comb_hair", "drink_glass", "pour_water", "walk"])
    func handWork(kind: String) throws {
        let trials = try HistoryTruth.trials(kind)
        let found = try minutes(HistoryTruth.joined(trials, gap: 1)).count { trembling($0) > 0 }
        let hours = HistoryTruth.seconds(trials) / 3_600
        Truth.row(
            "tremor", data: "hmp \(kind)", people: 16, hours: hours, "minutes with tremor an hour",
            Truth.number(Double(found) / hours, 1), goal: "0")
        #expect(found == 0)
    }

    @Test("People with a tremor have not been measured here")
    func labelled() {
        Truth.row("tremor", data: "labelled tremor", "share of labelled windows found", "no data here", goal: ">= 0.35")
    }
}
