import JSONText

/// The readings of one frame as its body.
struct FrameText {
    /// Degrees Celsius: dive computers do not record the uncertainty, and most record whole degrees.
    private static let temperatureUncertainty = WaterReading.Measured(value: 0.5, unit: "C")

    let readings: [TimedReading]
    /// Unix microseconds at which the device's clock showed 0; nil where that is not known.
    let epoch: Int64?
    /// The device time at which the recording began, in microseconds.
    let start: Int64

    /// Writes the members that the stream adds to the header.
    func write(into json: inout JSONWriter) {
        guard let first = readings.first else { return }
        switch first.reading {
        case .motion: motion(into: &json)
        case .raw: raw(into: &json)
        case .vector: break
        case .altitude: altitude(into: &json)
        case .pedometer: counts(into: &json)
        case .water, .surfaced: water(into: &json)
        case .workout(let workout):
            json.field("state", workout.state.rawValue)
            if let activity = workout.activity { json.field("activity", activity) }
            json.microseconds("timestamp", first.micros)
        }
    }

    private func timestamps(into json: inout JSONWriter) {
        json.array("timestamp") { for reading in readings { $0.microseconds(reading.micros) } }
    }

    private func motion(into json: inout JSONWriter) {
        let samples = readings.compactMap { if case .motion(let sample) = $0.reading { sample } else { nil } }
        json.object("samples") {
            timestamps(into: &$0)
            $0.object("attitude") {
                $0.column("x", samples) { $0.attitude.x }
                $0.column("y", samples) { $0.attitude.y }
                $0.column("z", samples) { $0.attitude.z }
                $0.column("w", samples) { $0.attitude.w }
            }
            Self.vector("rotationRate", samples, into: &$0) { $0.rotationRate }
            Self.vector("userAcceleration", samples, into: &$0) { $0.userAcceleration }
            Self.vector("gravity", samples, into: &$0) { $0.gravity }
            if let location = samples.first?.sensorLocation, samples.allSatisfy({ $0.sensorLocation == location }) {
                $0.field("sensorLocation", location.rawValue)
            } else {
                $0.array("sensorLocation") { for sample in samples { $0.element(sample.sensorLocation.rawValue) } }
            }
            if let frame = samples.first?.referenceFrame { $0.field("referenceFrame", frame) }
        }
    }

    private func raw(into json: inout JSONWriter) {
        let samples = readings.compactMap { if case .raw(let sample) = $0.reading { sample } else { nil } }
        json.object("samples") {
            timestamps(into: &$0)
            Self.vector("rotationRate", samples, into: &$0) { $0.rotationRate }
            Self.vector("acceleration", samples, into: &$0) { $0.acceleration }
            // A frame that lacks the field at one instant has none: columns are as long as each other.
            let fields = samples.compactMap(\.magneticField)
            if fields.count == samples.count { Self.vector("magneticField", fields, into: &$0) { $0 } }
        }
    }

    private static func vector<Sample>(
        _ key: StaticString, _ samples: [Sample], into json: inout JSONWriter, _ value: (Sample) -> SIMD3<Double>
    ) {
        json.object(key) {
            $0.column("x", samples) { value($0).x }
            $0.column("y", samples) { value($0).y }
            $0.column("z", samples) { value($0).z }
        }
    }

    private func altitude(into json: inout JSONWriter) {
        let samples = readings.compactMap { if case .altitude(let sample) = $0.reading { sample } else { nil } }
        json.object("samples") {
            timestamps(into: &$0)
            let altitudes = samples.compactMap(\.relativeAltitude)
            if altitudes.count == samples.count { $0.column("relativeAltitude", altitudes) { $0 } }
            let pressures = samples.compactMap(\.pressure)
            if pressures.count == samples.count { $0.column("pressure", pressures) { $0 } }
        }
    }

    private func counts(into json: inout JSONWriter) {
        json.array("data") {
            for reading in readings {
                guard case .pedometer(let count) = reading.reading else { continue }
                $0.object {
                    $0.microseconds("startDate", (count.since ?? start) + (epoch ?? 0))
                    $0.microseconds("endDate", reading.micros + (epoch ?? 0))
                    $0.field("numberOfSteps", count.steps)
                    $0.quantity("distance", count.distance)
                    $0.quantity("currentPace", count.pace)
                    $0.quantity("currentCadence", count.cadence)
                }
            }
        }
    }

    private func water(into json: inout JSONWriter) {
        let ends = self.readings.filter { if case .surfaced = $0.reading { true } else { false } }
        if !ends.isEmpty {
            json.array("events") {
                for end in ends {
                    $0.object {
                        $0.microseconds("timestamp", end.micros)
                        $0.field("state", "notSubmerged")
                    }
                }
            }
        }
        let readings = readings.compactMap { timed in
            if case .water(let reading) = timed.reading { (micros: timed.micros, water: reading) } else { nil }
        }
        let measured = readings.filter { $0.water.depth != nil || $0.water.pressure != nil }
        if !measured.isEmpty {
            json.array("measurements") {
                for (micros, water) in measured {
                    $0.object {
                        $0.microseconds("timestamp", micros)
                        $0.quantity("depth", water.depth)
                        $0.quantity("pressure", water.pressure)
                        $0.quantity("surfacePressure", water.surfacePressure)
                    }
                }
            }
        }
        let temperatures = readings.filter { $0.water.temperature != nil }
        guard !temperatures.isEmpty else { return }
        json.array("temperatures") {
            for (micros, water) in temperatures {
                $0.object {
                    $0.microseconds("timestamp", micros)
                    $0.quantity("temperature", water.temperature)
                    $0.quantity("temperatureUncertainty", Self.temperatureUncertainty)
                }
            }
        }
    }
}
