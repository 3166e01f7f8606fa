import Foundation
import GatewayTestSupport
import RecordingImport
import Testing

@Suite("Import of real exports", .recorded)
struct RecordedExportTests {
    private func path(_ name: String) -> String { "\(SharedData.folder?.path ?? "")/\(name)" }

    @Test(
        "of SensorLog loses no sample", .slow,
        arguments: [
            ("tt_fast_forehand_topspin_1", 5314, 0), ("tt_fast_backhand_topspin_1", 5970, 39), ("tt_rest_1", 4682, 79),
        ])
    func tableTennis(name: String, samples: Int, blank: Int) throws {
        let result = try imported(.sensorLog, [path("tabletennis-50hz/\(name).csv")])
        let report = try #require(result.report.files.first)
        #expect(result.report.isClean, "\(result.notes)")
        #expect(report.samples == samples)
        #expect(report.blank == blank)
        let times = result.column("device-motion", "timestamp")
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        let gravity = ["x", "y", "z"].map { result.column("device-motion", "gravity", $0) }
        #expect(times.indices.allSatisfy { index in abs(gravity.reduce(0) { $0 + $1[index] * $1[index] } - 1) < 1e-5 })
    }

    @Test(
        "of dive computers keeps every depth", .slow,
        arguments: [
            ("garmin_apnea_26dives_17m.csv", 2158, 16...18.0), ("garmin_ccr_62m_1hz.csv", 6275, 61...63.0),
            ("suunto_ocean_air_profile.csv", 332, 0...40.0),
        ])
    func dives(name: String, count: Int, deepest: ClosedRange<Double>) throws {
        let result = try imported(.dive, [path("dives/\(name)")])
        #expect(result.report.isClean, "\(result.notes)")
        let depths = result.payloads("submersion").flatMap { $0["measurements"] as? [[String: Any]] ?? [] }
            .compactMap { ($0["depth"] as? [String: Any])?["value"] as? Double }
        #expect(depths.count == count)
        #expect(deepest.contains(try #require(depths.max())))
    }

    @Test(
        "of dive computers, written in another format, are the same dives", .slow,
        arguments: ["garmin_apnea_26dives_17m.csv", "garmin_ccr_62m_1hz.csv"], DiveWriter.allCases)
    func rewritten(name: String, writer: DiveWriter) throws {
        let original = try imported(.dive, [path("dives/\(name)")])
        let samples = original.boots.flatMap(original.readings).filter { $0.metres != nil }
        let start = try #require(samples.first?.at).rounded(.down)
        let dive = WrittenDive(
            start: start, samples: samples.map { (($0.at - start).rounded(.down), $0.metres ?? 0, $0.celsius) })
        let result = try imported(.dive, text: writer.text([dive]))
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.boots.count == 1)
        // Logs have whole seconds: of two samples in one the order is kept.
        let read = result.boots.flatMap(result.readings)
        let seconds = Dictionary(grouping: samples) { $0.at.rounded(.down) }
        #expect(read.map(\.at) == seconds.keys.sorted())
        for sample in read {
            let last = try #require(seconds[sample.at]?.last)
            #expect(abs(try #require(sample.metres) - (last.metres ?? 0)) < 1e-9)
            if let celsius = last.celsius { #expect(abs(try #require(sample.celsius) - celsius) < 1e-9) }
        }
    }

    @Test("of a log without times takes an interval")
    func seabear() throws {
        let result = try imported(.dive, [path("dives/seabear_h3_apnea_70m_1hz.csv")]) {
            $0.diveColumns = try DiveColumn.list("depth=Depth:m,temperature=Temperature:C")
            ($0.interval, $0.skippedRows, $0.start) = (1, 2, 1_349_075_246)
        }
        #expect(result.report.isClean, "\(result.notes)")
        #expect(result.report.files.first?.samples == 984)
    }

    @Test("refuses a file of another kind")
    func events() throws {
        let result = try imported(.dive, [path("dives/suunto_ocean_air_events.csv")])
        #expect(result.has("no column for depth or pressure"))
    }
}
