import Foundation
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Sleep by counts per minute", .slow)
struct SleepMethodTests {
    /// 2025-11-21 20:00 UTC.
    private let evening = 1_763_755_200.0

    private func night(_ samples: [HistoryDevice.Sample], _ method: SleepMethod) -> DerivedJSON? {
        HistoryTruth.derive(samples: samples, from: evening, method).last { $0.kind == "sleep" }
    }

    /// A wrist that breathing moves, too little for a count, and that moves as if walking for `minutes` after 2 h, between two hours of activity.
    private func samples(awake minutes: Double) -> [HistoryDevice.Sample] {
        (0..<7 * 3_600 * 10).map { index in
            let time = Double(index) / 10
            let isActive = time < 3_600 || time >= 6 * 3_600 || (time >= 3 * 3_600 && time < 3 * 3_600 + minutes * 60)
            let size = isActive ? 0.5 : 0.03
            return .init(
                evening + time, 0.2 + size * cos(6.3 * time), 0.6 + (isActive ? 0.6 * cos(time / 5) : 0.03 * cos(time)), 0.7)
        }
    }

    @Test("The period is the same, and what is sleep in it follows from the counts", arguments: [SleepMethod.sadeh, .coleKripke])
    func method(method: SleepMethod) throws {
        let byAngle = try #require(night(samples(awake: 20), .zAngle))
        let byCounts = try #require(night(samples(awake: 20), method))
        #expect(byAngle.text("method") == "zAngle")
        #expect(byCounts.text("method") == method.rawValue)
        for field in ["at", "start", "end", "duration", "coverage", "nonWear"] {
            #expect(byCounts.number(field) == byAngle.number(field), "\(field)")
        }
        #expect(byCounts.number("awakenings") == 1)
        let waking = try #require(byCounts.number("wakeAfterOnset"))
        #expect((1_100...2_400).contains(waking), "\(waking)")
    }

    @Test("Minutes without samples are no sleep", arguments: [SleepMethod.sadeh, .coleKripke])
    func gap(method: SleepMethod) throws {
        let whole = try #require(night(samples(awake: 0), method))
        let from = evening + 2 * 3_600
        let broken = try #require(night(samples(awake: 0).filter { $0.time < from || $0.time >= from + 1_800 }, method))
        let missing = (whole.number("sleepDuration") ?? 0) - (broken.number("sleepDuration") ?? 0)
        #expect(abs(missing - 1_800) <= 60, "\(missing)")
    }
}
