import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

/// What is derived from recorded acceleration in the truth tests.
enum HistoryTruth {
    /// 2025-11-21 22:00 UTC.
    static let evening = 1_763_762_400.0

    /// What is derived from rows of a time in s after `start` and three axes in G, which a device sends in one burst.
    static func derive(_ rows: [[Double]], from start: Double = evening, _ method: SleepMethod = .zAngle) -> [DerivedJSON] {
        var last = -Double.infinity
        let samples = rows.compactMap { row -> HistoryDevice.Sample? in
            defer { last = max(last, row[0]) }
            return row[0] - last >= 0.005 ? .init(start + row[0], row[1], row[2], row[3]) : nil
        }
        return derive(samples: samples, from: start, method)
    }

    /// What is derived from samples after `start`, which a device sends in one burst.
    static func derive(samples: [HistoryDevice.Sample], from start: Double, _ method: SleepMethod) -> [DerivedJSON] {
        var device = HistoryDevice(start: start - 1_000)
        let sent = (samples.last?.time ?? start) + 10
        let policy = PipelineHarness.policy("watch-1", .with { $0.consents = [.sleep] })
        var harness = PipelineHarness(settings: .with { $0.derive[SleepDerivation.self].method = method }, policy: policy)
        let frames = device.frames(samples, sent: sent)
        return harness.send(frames) + harness.tick(at: sent + Double(frames.count) + 120)
    }

    /// The rows of a compressed CSV file in `shared/data` that have a number in each column, without its header.
    static func rows(_ path: String) throws -> [[Double]] {
        try SharedData.gzippedRows(path).dropFirst().compactMap { row in
            let numbers = row.compactMap { $0 }
            return numbers.count == row.count && numbers.count > 1 ? numbers : nil
        }
    }

    /// The trials of a kind of movement of `people/hmp`: rows of a time in s and three axes in G.
    static func trials(_ kind: String) throws -> [[[Double]]] {
        let rows = try rows("people/hmp/\(kind).csv.gz")
        return Dictionary(grouping: rows) { $0[0] }.sorted { $0.key < $1.key }.map { $0.value.map { Array($0.dropFirst()) } }
    }

    /// Trials one after the other, with `gap` s between them.
    static func joined(_ trials: [[[Double]]], gap: Double) -> [[Double]] {
        var start = 0.0
        return trials.flatMap { trial in
            let first = start
            start += (trial.last?.first ?? 0) + gap
            return trial.map { [first + $0[0]] + $0.dropFirst() }
        }
    }

    /// How long trials are together, in s.
    static func seconds(_ trials: [[[Double]]]) -> Double { trials.reduce(0) { $0 + ($1.last?.first ?? 0) } }
}
