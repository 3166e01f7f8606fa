import GatewayPipeline
import TelemetryModel

/// A walk or run as inputs of the derivation: counts every second, pauses and resumptions when they are noticed.
struct Walk {
    /// Movement between two instants.
    struct Stretch {
        var start, end: Double
        /// In m/s.
        var speed = 3.0
        /// In steps/s.
        var cadence = 2.7
    }

    var stretches: [Stretch]
    /// The date that the counter began at.
    var startDate = 1_000.0

    /// What is counted until `time`.
    func data(until time: Double) -> PedometerData {
        var (steps, distance) = (0.0, 0.0)
        for stretch in stretches {
            let seconds = max(0, min(time, stretch.end) - stretch.start)
            steps += seconds * stretch.cadence
            distance += seconds * stretch.speed
        }
        return PedometerData(
            start: DeviceTime(0), startDate: UnixTime(startDate), end: DeviceTime(time), steps: Int(steps), distance: distance)
    }

    /// Frames with a count, from `start` on every `interval` seconds to `end`.
    func counts(from start: Double = 1, to end: Double, every interval: Double = 1) -> [Timed] {
        stride(from: start, through: end, by: interval).map { time in
            Timed(at: time, samples: PedometerSamples(data: [data(until: time)]))
        }
    }

    /// Frames with a pause or a resumption, each `lateness` seconds late.
    func events(lateness: Double = 0.3) -> [Timed] {
        stretches.flatMap { [Walk.event(.resume, $0.start, lateness), Walk.event(.pause, $0.end, lateness)] }
    }

    /// One frame with an event.
    static func event(_ kind: PedometerEvent.Kind, _ time: Double, _ lateness: Double = 0.3) -> Timed {
        Timed(at: time + lateness, samples: PedometerSamples(events: [PedometerEvent(kind: kind, time: DeviceTime(time))]))
    }

    /// A frame that arrives.
    struct Timed {
        var at: Double
        var samples: PedometerSamples
    }
}

extension [Walk.Timed] {
    /// By arrival, as inputs.
    var inputs: [PedometerDerivation.Input] {
        sorted { $0.at < $1.at }.map { .samples($0.samples, sequence: nil) }
    }
}

extension PedometerDerivation {
    /// What follows from frames, each after the timers due before it, and from an hour of silence.
    static func walk(
        _ frames: [Walk.Timed], _ settings: PedometerSettings = .init(), saving: Bool = false, restarting: Bool = false
    ) throws -> [DerivedEvent] {
        var derivation = Self()
        var events: [DerivedEvent] = []
        for frame in frames.sorted(by: { $0.at < $1.at }) {
            if saving { derivation = try derivation.saved() }
            if restarting { derivation.markRestored() }
            events += derivation.wait(until: (frame.samples.timeSpan?.lowerBound.seconds ?? frame.at).nextDown, settings)
            events += derivation.take(.samples(frame.samples, sequence: nil), settings)
        }
        return events + derivation.wait(until: (frames.map(\.at).max() ?? 0) + 3_600, settings)
    }
}

extension [DerivedEvent] {
    var segments: [Segment] { compactMap { $0.body as? Segment } }
    var paces: [Pace] { compactMap { $0.body as? Pace } }
    /// The last pace before data stopped.
    var lastPace: Pace? { paces.last { $0.state != .unknown } }
    /// The states that were published, each once in a row, with the time of the change.
    var changes: [(state: Pace.State, time: Double)] {
        reduce(into: []) { changes, event in
            guard let pace = event.body as? Pace, pace.state != changes.last?.state else { return }
            changes.append((pace.state, event.time.seconds))
        }
    }
}
