/// The readings of one stream of one device.
final class HealthReadings: Readings {
    let report: FileReport
    private let samples: SpoolReader<HealthSample>
    private let activities: [String]
    private let epoch: Int64
    private let hasDistance: Bool
    private var pending: HealthSample?
    private var isBegun = false
    private var steps = 0
    private var metres = 0.0

    /// The samples of `device` on the stream of that place; the device's clock showed 0 at `epoch`, in unix microseconds.
    init(
        _ device: HealthDevice, stream: Int, samples: SpoolReader<HealthSample>, activities: [String], epoch: Int64
    ) {
        report = device.reports[stream]
        hasDistance = device.hasDistance
        (self.samples, self.activities, self.epoch) = (samples, activities, epoch)
    }

    func next() throws(ImportProblem) -> TimedReading? {
        if !isBegun {
            isBegun = true
            pending = try samples.next()
        }
        guard let sample = pending else { return nil }
        pending = try samples.next()
        let reading: Reading
        switch sample.kind {
        case .depth: reading = .water(WaterReading(depth: .init(value: sample.value, unit: "m")))
        case .celsius: reading = .water(WaterReading(temperature: .init(value: sample.value, unit: "C")))
        case .fahrenheit: reading = .water(WaterReading(temperature: .init(value: sample.value, unit: "F")))
        case .countBegins, .steps, .distance: reading = .pedometer(try count(from: sample))
        case .workoutBegins, .workoutGoesOn: reading = .workout(workout(.running, sample))
        case .workoutPauses: reading = .workout(workout(.paused, sample))
        case .workoutEnds: reading = .workout(workout(.ended, sample))
        }
        return TimedReading(micros: sample.micros - epoch, reading: reading)
    }

    /// The counts at an instant, of all samples that end there.
    private func count(from first: HealthSample) throws(ImportProblem) -> PedometerReading {
        add(first)
        while let sample = pending, sample.micros == first.micros {
            add(sample)
            pending = try samples.next()
        }
        return PedometerReading(steps: steps, distance: hasDistance ? metres : nil)
    }

    private func add(_ sample: HealthSample) {
        if sample.kind == .steps { steps += Int(sample.value) }
        if sample.kind == .distance { metres += sample.value }
    }

    private func workout(_ state: WorkoutReading.State, _ sample: HealthSample) -> WorkoutReading {
        let place = Int(sample.value)
        return WorkoutReading(state: state, activity: activities.indices.contains(place) ? activities[place] : nil)
    }
}
