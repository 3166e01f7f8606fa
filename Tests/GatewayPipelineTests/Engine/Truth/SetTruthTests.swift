import Foundation
@testable import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

/// Sets of people against their counts, and false sets of people who do no exercise.
@Suite("Truth: sets", .slow, .recorded)
struct SetTruthTests {
    private static let hands = ["brush_teeth", "comb_hair", "drink_glass", "pour_water"]

    private let settings = RepetitionSettings()

    private func errors(_ recordings: [SetRecording]) -> [Int] {
        recordings.map { recording in
            recording.sets(settings).reduce(0) { $0 + $1.set.repetitions } - recording.repetitions
        }
    }

    @Test("The counts of sets that are cut at the first and the last repetition")
    func counts() throws {
        let sets = try SetRecording.spar()
        let errors = errors(sets)
        let count = Double(errors.count)
        let (exact, near) = (Double(errors.count { $0 == 0 }) / count, Double(errors.count { abs($0) <= 1 }) / count)
        let mean = errors.reduce(0) { $0 + Double(abs($1)) } / count
        let hours = sets.reduce(0) { $0 + $1.hours }
        func row(_ metric: String, _ value: Double, _ goal: String) {
            Truth.row("set", data: "people/spar", people: 5, hours: hours, metric, Truth.number(value), goal: goal)
        }
        row("exact", exact, ">= 0.70")
        row("within one", near, ">= 0.97")
        row("mean error", mean, "<= 0.35")
        Truth.row(
            "set", data: "barbell and gym sets", "exact, within one, mean error", "no data here", goal: ">= 0.53, >= 0.72, <= 1.2"
        )
        #expect(errors.count == 70 && exact >= 0.6 && near >= 0.93 && mean <= 0.5, "\(errors)")
    }

    /// False sets an hour in `recordings`.
    private func falseSets(
        _ recordings: [SetRecording], _ data: String, people: Int?, goal: Double?, atMost: Double? = nil
    ) {
        let hours = recordings.reduce(0) { $0 + $1.hours }
        let count = recordings.reduce(0) { $0 + $1.sets(settings).count }
        let rate = Double(count) / max(1e-9, hours)
        Truth.row(
            "set", data: data, people: people, hours: hours, "false an hour", Truth.number(rate, 1),
            goal: goal.map { "<= \(Int($0))" } ?? "")
        if let limit = atMost ?? goal { #expect(rate <= limit, "\(data)") }
    }

    @Test("False sets of people who were not used to fit the coefficients, and of all")
    func falseSets() throws {
        func others(_ recordings: [SetRecording]) -> [SetRecording] {
            recordings.filter { SetRecording.others.contains($0.person) }
        }
        let (walks, phones) = (try SetRecording.hmp("walk"), try SetRecording.phones())
        let hands = try Self.hands.map { try SetRecording.hmp($0) }
        falseSets(others(walks), "people/hmp walk, trials not used", people: nil, goal: 25, atMost: 35)
        falseSets(others(hands.flatMap(\.self)), "people/hmp hands, trials not used", people: nil, goal: 15)
        falseSets(others(walks.map(\.smoothed)), "people/hmp walk smoothed, trials not used", people: nil, goal: nil)
        falseSets(walks, "people/hmp walk", people: nil, goal: 25)
        for (name, recordings) in zip(Self.hands, hands) { falseSets(recordings, "people/hmp \(name)", people: nil, goal: nil) }
        falseSets(phones, "second-half walks, no pocket", people: 2, goal: 5)
        falseSets(try SetRecording.magnitudes(walking: true), "people/sensorwatch walks", people: 2, goal: 25)
        falseSets(try SetRecording.magnitudes(walking: false), "people/sensorwatch other", people: 2, goal: 15)
    }

    @Test("Real sets are kept, and a confidence of 0.9 is right in nine of ten, of people who were not used")
    func kept() throws {
        let spar = try SetRecording.spar()
        let all = spar + varied(spar) + SetRecording.simulated()
        let others = all.filter { SetRecording.others.contains($0.person) }
        for kind in ["spar", "varied", "simulated"] {
            let sets = others.filter { $0.kind == kind }
            let kept = Double(sets.count { !$0.sets(settings).isEmpty }) / Double(max(1, sets.count))
            Truth.row(
                "set", data: Self.names[kind] ?? kind, people: kind == "simulated" ? nil : 2,
                hours: sets.reduce(0) { $0 + $1.hours }, "kept, of \(sets.count)", Truth.number(kept), goal: ">= 0.95")
            #expect(kept >= 0.88, "\(kind)")
        }
        let none = (try SetRecording.hmp("walk") + Self.hands.flatMap { try SetRecording.hmp($0) }).filter {
            SetRecording.others.contains($0.person)
        }
        let found = (others + none).flatMap { recording in
            recording.sets(settings).map { found in
                let isRight = recording.repetitions > 0 && abs(found.set.repetitions - recording.repetitions) <= 1
                return (confidence: found.set.confidence ?? 0, isRight: isRight)
            }
        }
        for (from, to) in [(0.0, 0.5), (0.5, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.01)] {
            let some = found.filter { $0.confidence >= from && $0.confidence < to }
            let right = Double(some.count { $0.isRight }) / Double(max(1, some.count))
            Truth.row(
                "set", data: "sets of people not used", "right at confidence \(from) to \(min(1, to)), of \(some.count)",
                Truth.number(right), goal: from == 0.9 ? ">= 0.90" : "")
            if from == 0.9 { #expect(some.count >= 30 && right >= 0.88) }
        }
    }

    private static let names = [
        "spar": "people/spar, people not used", "varied": "people/spar varied, people not used", "simulated": "simulated sets",
    ]

    private func varied(_ sets: [SetRecording]) -> [SetRecording] {
        sets.enumerated().flatMap { index, set in (0..<2).map { set.varied(seed: UInt64(2 * index + $0)) } }
    }

    /// Writes what Benchmarks/truth/fit_sets.py reads.
    @Test(
        "The features of sets, and of what is none, are written to FATHOM_SET_FEATURES",
        .enabled(if: ProcessInfo.processInfo.environment["FATHOM_SET_FEATURES"] != nil))
    func features() throws {
        let path = try #require(ProcessInfo.processInfo.environment["FATHOM_SET_FEATURES"])
        let settings = RepetitionSettings.with { $0.leastProbability = 0 }
        let spar = try SetRecording.spar()
        let walks = try SetRecording.hmp("walk") + SetRecording.phones()
        let hands = try Self.hands.flatMap { try SetRecording.hmp($0) }
        let recordings =
            spar + varied(spar) + SetRecording.simulated() + walks + walks.map(\.smoothed) + hands + hands.map(\.smoothed)
        var lines = ["kind,person,isOther,repetitions,counted,steps,autocorrelation,fast,quality,count,spread"]
        for recording in recordings {
            for (set, features) in recording.sets(settings, gate: recording.repetitions > 0) {
                let cells = features.map { String(format: "%.4f", $0) }
                let isOther = SetRecording.others.contains(recording.person)
                lines.append(
                    ([recording.kind, recording.person, isOther ? "1" : "0", "\(recording.repetitions)", "\(set.repetitions)"]
                        + cells)
                        .joined(separator: ","))
            }
        }
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        #expect(lines.count > 200)
    }
}
