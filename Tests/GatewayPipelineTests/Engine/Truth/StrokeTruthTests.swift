import FleetSimulator
import GatewayPipeline
import GatewayTestSupport
import SignalProcessing
import TelemetryModel
import Testing

/// Strokes of recorded players, also slower and weaker than they were, and false ones. `make truth` prints the figures.
@Suite("Truth: strokes", .slow)
struct StrokeTruthTests {
    /// How many balls of a recording have a stroke of their side, and how many strokes have the other.
    private func counts(_ recording: TableTennis, _ change: (MotionSamples) -> MotionSamples) throws -> (right: Int, wrong: Int) {
        let names = strokes([change(try recording.samples())], .tableTennis).names
        let side: Stroke.Name = recording == .forehand ? .forehand : .backhand
        return (names.count { $0 == side }, names.count { $0 != side })
    }

    @Test("table tennis, at the speeds of slow and fast players", .recorded)
    func tableTennis() throws {
        // As many as an independent script finds at the recorded speed.
        let inPlay = [TableTennis.forehand: 83.0, .backhand: 98]
        for (recording, balls) in inPlay.sorted(by: { $0.key.rawValue > $1.key.rawValue }) {
            let seconds = try recording.samples().balls * 1.166
            for (name, factor, speed, least) in [
                ("as recorded", 1, 1, 0.98), ("at half the rotation", 0.5, 1, 0.9), ("at 0.4 of the rotation", 0.4, 1, 0.9),
                ("at 1.5 of the rotation", 1.5, 1, 0.95), ("at half the speed", 0.5, 0.5, 0.9),
                ("at 0.7 of the speed", 0.7, 0.7, 0.9), ("at 1.5 of the speed", 1.5, 1.5, 0.95),
            ] as [(String, Double, Double, Double)] {
                let found = try counts(recording) { $0.scaled(factor).played(speed) }
                let share = Double(found.right) / balls
                Truth.row(
                    "stroke", data: "\(recording.rawValue), \(name)", people: 1, hours: seconds / 3_600 / speed,
                    "share of the balls in play with the right name", Truth.number(share), goal: ">= \(least)")
                #expect(share >= least - 0.02 && found.wrong <= 2, "\(name): \(found)")
            }
        }
        let rest = try TableTennis.rest.samples()
        let found = strokes([rest], .tableTennis).count + strokes([rest.scaled(1.5)], .tableTennis).count
        Truth.row(
            "stroke", data: TableTennis.rest.rawValue, people: 1, hours: rest.balls * 1.166 / 3_600, "strokes at rest",
            "\(found)",
            goal: "0")
        #expect(found == 0)
    }

    @Test("outside of a racket sport there is none", .recorded)
    func others() throws {
        for preset in StrokeSettings.Preset.allCases {
            var (hours, always, byDefault) = (0.0, 0, 0)
            for subject in 1...5 {
                for piece in try RawRecording.exercises(subject: subject).pieces {
                    let samples = MotionSamples.fused(piece)
                    hours += ((samples.timestamp.last ?? 0) - (samples.timestamp.first ?? 0)) / 3_600
                    always += strokes([samples], .counting(preset), wrist: .right).count
                    byDefault += strokes([samples], StrokeSettings(preset), wrist: .right).count
                }
            }
            Truth.row(
                "stroke", data: "SPAR, shoulder exercises, \(preset)", people: 5, hours: hours, "false strokes an hour",
                Truth.number(Double(byDefault) / hours, 0), goal: "0")
            Truth.row(
                "stroke", data: "SPAR, shoulder exercises, \(preset)", people: 5, hours: hours,
                "false strokes an hour, with always",
                Truth.number(Double(always) / hours, 0))
            #expect(byDefault == 0)
        }
        for data in ["hmp", "recorded walks"] {
            Truth.row("stroke", data: data, "false strokes an hour, with always", "no rotation in the data")
        }
        Truth.row("stroke", data: "people who jog", "false strokes an hour", "no data here", goal: "0")
    }
}

extension MotionSamples {
    /// The same movement `speed` times as fast, at 50 Hz; the rotation is not scaled.
    func played(_ speed: Double) -> Self {
        guard speed != 1, let first = timestamp.first else { return self }
        var other = self
        other.timestamp = timestamp.map { first + ($0 - first) / speed }
        return other.resampled(50, offset: 0)
    }
}
