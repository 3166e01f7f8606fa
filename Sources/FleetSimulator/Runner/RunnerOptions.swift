/// How a simulated runner runs.
package struct RunnerOptions: Sendable, Hashable {
    /// The stretches of running, in order of time; between them the runner stands.
    package var stretches: [RunStretch]

    /// Seconds after which the stretches start over; nil runs them once.
    package var cycle: Double?

    /// Whether a workout is reported from the start to the end.
    package var hasWorkout: Bool = true

    /// How late pauses and resumptions are reported, in s.
    package var lateness: Double = 0.3

    /// The altitude of the start over the sea in m.
    package var altitude: Double = 420

    /// A run through a city with a red light every 40 s.
    package static let city = RunnerOptions(
        stretches: [
            RunStretch(from: 2, to: 16, speed: 3.2, climb: 1.5), RunStretch(from: 23, to: 37, speed: 3, climb: -1.5),
        ], cycle: 40)

    /// One hill of 24 m up and down in 6 minutes, again and again, with a stop at each end.
    package static let hill = RunnerOptions(
        stretches: [
            RunStretch(from: 5, to: 165, speed: 2.8, climb: 24), RunStretch(from: 185, to: 325, speed: 3.2, climb: -24),
        ], cycle: 360)
}

/// One stretch of steady running.
package struct RunStretch: Sendable, Hashable {
    /// When it begins and ends, in s after the device's start or the start of a cycle.
    package var from, to: Double

    /// In m/s.
    package var speed: Double

    /// In m from its start to its end.
    package var climb = 0.0

    /// In steps/s.
    package var cadence = 2.7
}

/// What is true of a run from its start to an instant.
package struct RunTruth: Sendable, Hashable {
    /// Stretches that have ended.
    package var segments = 0
    /// Seconds of running.
    package var movingTime = 0.0
    /// In m.
    package var distance = 0.0
    /// Steps, not whole.
    package var steps = 0.0
    /// Metres up from the start; negative below it.
    package var height = 0.0

    fileprivate mutating func add(_ stretch: RunStretch, until time: Double) {
        let seconds = min(time, stretch.to) - stretch.from
        guard seconds > 0 else { return }
        if time >= stretch.to { segments += 1 }
        movingTime += seconds
        distance += seconds * stretch.speed
        steps += seconds * stretch.cadence
        height += stretch.climb * seconds / (stretch.to - stretch.from)
    }
}

extension RunnerOptions {
    /// What is true `elapsed` seconds after the device's start.
    package func truth(after elapsed: Double) -> RunTruth {
        var truth = RunTruth()
        let cycles = cycle.map { (elapsed / $0).rounded(.down) } ?? 0
        if cycles > 0, let cycle {
            for stretch in stretches { truth.add(stretch, until: cycle) }
            truth.segments *= Int(cycles)
            truth.movingTime *= cycles
            truth.distance *= cycles
            truth.steps *= cycles
            truth.height *= cycles
        }
        let rest = elapsed - cycles * (cycle ?? 0)
        for stretch in stretches { truth.add(stretch, until: rest) }
        return truth
    }

    /// The pauses and resumptions after `start` up to `end`, in s after the device's start.
    func events(after start: Double, until end: Double) -> [(time: Double, isPause: Bool)] {
        let length = cycle ?? .infinity
        let first = length.isFinite ? (start / length).rounded(.down) * length : 0
        return [first, first + length].filter(\.isFinite).flatMap { offset in
            stretches.flatMap { [(time: offset + $0.from, isPause: false), (time: offset + $0.to, isPause: true)] }
        }.filter { start < $0.time && $0.time <= end }
    }
}
