import Foundation
@testable import GatewayPipeline
import GatewayTestSupport
import SignalProcessing
import TelemetryModel

/// A recording of one set of an exercise, or of what is none.
struct SetRecording {
    /// What it is, such as `spar` or `walk`.
    var kind: String
    /// Who was recorded; of `hmp`, which names nobody, the fifth of the trials.
    var person: String
    /// The true count; 0 where there is no set.
    var repetitions = 0
    var samples: MotionSamples

    /// The people whose recordings the coefficients were not fitted to.
    static let others: Set<String> = ["s4", "s5", "hmp4", "hmp5", "user2", "simulated4", "simulated5"]

    /// Its length in h.
    var hours: Double { ((samples.timestamp.last ?? 0) - (samples.timestamp.first ?? 0)) / 3_600 }

    /// The sets that are found, with what the coefficients are fitted to. Without `gate` steps neither prevent nor end a set.
    func sets(_ settings: RepetitionSettings, gate: Bool = true) -> [(set: RepetitionSet, features: [Double])] {
        var settings = settings
        if !gate { settings.stepHeight = .infinity }
        var track = RepetitionTrack()
        var found: [(set: RepetitionSet, features: [Double])] = []
        func take(_ step: (inout RepetitionTrack, inout [DerivedEvent]) -> Void) {
            var events: [DerivedEvent] = []
            step(&track, &events)
            for case let set as RepetitionSet in events.map(\.body) { found.append((set, track.features)) }
        }
        for index in samples.timestamp.indices {
            take { $0.add(time: samples.timestamp[index], RepetitionSample.values(samples, at: index), settings, into: &$1) }
        }
        take { $0.finish(settings, into: &$1) }
        return found
    }

    /// All of SPAR, each file cut at the first and the last of 20 repetitions.
    static func spar() throws -> [Self] {
        try (1...5).flatMap { subject in
            try RawRecording.exercises(subject: subject).pieces.map {
                Self(kind: "spar", person: "s\(subject)", repetitions: 20, samples: .fused($0))
            }
        }
    }

    /// A part of a set of 20 at another speed, with other forces, rate and noise, cut or between two rests.
    func varied(seed: UInt64) -> Self {
        var random = SeededGenerator(seed: seed)
        func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        let (count, speed, force) = (Int(uniform(4...15)), exp(uniform(-0.5...0.5)), exp(uniform(-0.5...0.3)))
        let (rate, isCut) = ([12.5, 20, 25, 50][Int(uniform(0...3.99))], uniform(0...1) < 0.5)
        let first = samples.timestamp.first ?? 0
        let period = ((samples.timestamp.last ?? first) - first) / 20
        let start = first + Double(Int(uniform(0...Double(20 - count)))) * period
        let part = samples.timestamp.indices.filter {
            samples.timestamp[$0] >= start && samples.timestamp[$0] <= start + Double(count) * period
        }
        var varied = MotionSamples()
        var newest = -Double.infinity
        func add(_ time: Double, _ index: Int, moving: Double) {
            guard time - newest >= 0.999 / rate else { return }
            newest = time
            let noise = SIMD3(uniform(-0.03...0.03), uniform(-0.03...0.03), uniform(-0.03...0.03))
            varied.append(
                time, gravity: samples.gravity[index], rate: samples.rotationRate[index] * (speed * moving),
                user: samples.userAcceleration[index] * (moving * force * min(2, speed * speed)) + noise)
        }
        guard let from = part.first, let to = part.last else { return self }
        let lead = isCut ? 0 : 6.0
        for cell in 0..<Int(lead * 50) { add(100 + Double(cell) / 50, from, moving: 0) }
        for index in part { add(100 + lead + (samples.timestamp[index] - samples.timestamp[from]) / speed, index, moving: 1) }
        let end = newest
        for cell in 1...400 where !isCut { add(end + Double(cell) / 50, to, moving: 0) }
        return Self(kind: "varied", person: person, repetitions: count, samples: varied)
    }

    /// Simulated sets as people do them.
    static func simulated() -> [Self] {
        VariedSet.exercises.flatMap { exercise in
            (0..<15).map { index in
                let set = VariedSet(
                    exercise, repetitions: [5, 8, 10, 12][index % 4], rate: [12.5, 25, 50, 100][index % 4],
                    seed: UInt64(index) + 100)
                return Self(
                    kind: "simulated", person: "simulated\(1 + index % 5)", repetitions: set.repetitions, samples: set.samples)
            }
        }
    }

    /// A kind of `hmp`, a recording for each trial.
    static func hmp(_ kind: String) throws -> [Self] {
        let rows = try SharedData.gzippedRows("people/hmp/\(kind).csv.gz").dropFirst().map { $0.map { $0 ?? .nan } }
        let trials = Dictionary(grouping: rows.filter { $0.count == 5 }, by: { Int($0[0]) }).sorted { $0.key < $1.key }
        return trials.enumerated().map { index, trial in
            let samples = trial.value.map { (time: 100 + $0[1], acceleration: SIMD3($0[2], $0[3], $0[4])) }
            return Self(kind: kind, person: "hmp\(1 + 5 * index / trials.count)", samples: .accelerationOnly(samples))
        }
    }

    /// As a device gives it that smooths: the mean over 0.2 s, at 16 to 25 Hz.
    var smoothed: Self {
        var rows: [(time: Double, acceleration: SIMD3<Double>)] = []
        var first = 0
        for index in samples.timestamp.indices {
            let time = samples.timestamp[index]
            while samples.timestamp[first] < time - 0.2 { first += 1 }
            guard time - (rows.last?.time ?? -.infinity) >= 0.039 else { continue }
            let sum = (first...index).reduce(SIMD3<Double>.zero) { $0 + samples.gravity[$1] + samples.userAcceleration[$1] }
            rows.append((time, sum / Double(index - first + 1)))
        }
        return Self(kind: kind + " smoothed", person: person, samples: .accelerationOnly(rows))
    }

    /// Recorded walks with a phone that is not in a trouser pocket.
    static func phones() throws -> [Self] {
        try SharedData.walks.filter { !$0.contains("pocket") }.map { path in
            Self(
                kind: "phone", person: path.contains("user1") ? "user1" : "user2",
                samples: .accelerationOnly(try SharedData.acceleration(path)))
        }
    }

    /// The recordings of `sensorwatch`, which have no direction: as if the motion were along gravity.
    static func magnitudes(walking: Bool) throws -> [Self] {
        try SharedData.names("people/sensorwatch").filter { $0 != "steps.csv" && $0.contains("walking") == walking }.map { name in
            let rows = try SharedData.gzippedRows("people/sensorwatch/\(name)").dropFirst().map { $0.map { $0 ?? .nan } }
            let samples = rows.filter { $0.count == 2 }.map { (time: 100 + $0[0], acceleration: SIMD3(0, 0, -$0[1])) }
            return Self(kind: "magnitude", person: String(name.prefix(2)), samples: .accelerationOnly(samples))
        }
    }
}
