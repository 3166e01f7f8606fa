import TelemetryModel

extension DecodedBody {
    /// The units of the payload, where it names them, as the rest of a sentence.
    var unitsText: String {
        switch self {
        case .model, .pedometer: ""
        case .motion(let motion):
            if case .fixed = motion.convention { ", in units that are known" } else { ", in units that are to be measured" }
        case .submersion(let samples):
            samples.units.isEmpty ? "" : ", in \(samples.units.sorted().joined(separator: ", "))"
        }
    }
}

extension DecodedSubmersion {
    fileprivate var units: Set<String> {
        let depths = measurements.compactMap(\.depth?.unit.rawValue)
        let pressures = measurements.flatMap { [$0.pressure, $0.surfacePressure] }.compactMap { $0?.unit.rawValue }
        return Set(depths + pressures + temperatures.flatMap { [$0.temperature.unit.rawValue, $0.uncertainty.unit.rawValue] })
    }
}

extension FrameBody {
    /// The content in the model's units, as lines.
    var explained: [String] {
        switch self {
        case .headphoneMotion(let samples), .deviceMotion(let samples): samples.explained
        case .batchedIMU(let batch):
            (batch.accelerometer.map { ["accelerometer: \($0.count) samples"] } ?? []) + (batch.deviceMotion?.explained ?? [])
        case .submersion(let samples): samples.explained
        case .pedometer(let samples): samples.explained
        case .altimeter(let samples): samples.explained
        case .status(let status): ["the device is \(status.state.rawValue)"]
        case .workout(let change): ["the workout is \("\(change.state)")"]
        case .headphoneConnection(let event): [event.event.rawValue]
        case .command(let command): [command.word.rawValue]
        case .movementDisorder(let results):
            ["movement disorder: \(results.tremor.count) minutes of tremor, \(results.dyskinesia.count) of dyskinesia"]
        case .recordedAcceleration(let samples):
            ["history: \(samples.count) samples from unix \(Explanation.number(samples.startDate.first?.seconds ?? 0))"]
        }
    }
}

extension MotionSamples {
    fileprivate var explained: [String] {
        guard count > 0 else { return ["no samples"] }
        let vector = { (name: String, vector: SIMD3<Double>, unit: String) in
            "first \(name): \(Explanation.number(vector.x)), \(Explanation.number(vector.y)), \(Explanation.number(vector.z)) \(unit)"
        }
        let head = [
            "motion: \(count) sample\(count == 1 ? "" : "s"), sensor location \(location(at: 0).name)"
                + (raw == nil ? "" : ", raw: the gateway fuses it"),
            vector("rotation rate", rotationRate[0], "rad/s"),
        ]
        if let raw {
            return head + [vector("acceleration", raw.acceleration[0], "G")]
                + (raw.magneticField.map { [vector("magnetic field", $0[0], "uT")] } ?? [])
        }
        let attitude = attitude[0]
        return head + [
            "first attitude: x \(Explanation.number(attitude.x)), y \(Explanation.number(attitude.y)), "
                + "z \(Explanation.number(attitude.z)), w \(Explanation.number(attitude.w))",
            vector("user acceleration", userAcceleration[0], "G"), vector("gravity", gravity[0], "G"),
        ]
    }
}

extension PedometerSamples {
    fileprivate var explained: [String] {
        let counts = data.last.map { last in
            let distance = last.distance.map { ", \(Explanation.number($0)) m" } ?? ""
            return ["pedometer: \(data.count) count\(data.count == 1 ? "" : "s"), the last of \(last.steps) steps\(distance)"]
        }
        return (counts ?? []) + events.prefix(3).map { "event: \($0.kind.name)" }
            + (events.count > 3 ? ["\(events.count) events in all, the first 3 shown"] : [])
    }
}

extension AltimeterSamples {
    fileprivate var explained: [String] {
        var lines: [String] = []
        if !timestamp.isEmpty {
            let parts = [
                relativeAltitude?.first.map { "relative altitude \(Explanation.number($0)) m" },
                pressure?.first.map { "pressure \(Explanation.number($0)) kPa" },
            ].compactMap(\.self)
            lines.append("altimeter: \(timestamp.count) samples, first \(parts.joined(separator: ", "))")
        }
        if let absolute, let first = absolute.altitude.first, let accuracy = absolute.accuracy.first {
            lines.append(
                "absolute altitude: \(absolute.altitude.count) samples, first \(Explanation.number(first)) m, "
                    + "uncertain by \(Explanation.number(accuracy)) m")
        }
        return lines
    }
}

extension SubmersionSamples {
    private static let shown = 3

    fileprivate var explained: [String] {
        events.prefix(Self.shown).map { "event: \($0.state.name)" }
            + measurements.prefix(Self.shown).map(\.explained)
            + temperatures.prefix(Self.shown).map {
                "temperature: \(Explanation.number($0.temperature)) C, uncertain by \(Explanation.number($0.uncertainty)) C"
            }
            + errors.prefix(Self.shown).map { "error: code \($0.code)" }
            + [events.count, measurements.count, temperatures.count, errors.count].filter { $0 > Self.shown }.map {
                "\($0) of these in all, the first \(Self.shown) shown"
            }
    }
}

extension SubmersionMeasurement {
    fileprivate var explained: String {
        let parts = [
            depth.map { "depth \(Explanation.number($0)) m" }, pressure.map { "pressure \(Explanation.number($0)) kPa" },
            surfacePressure.map { "surface pressure \(Explanation.number($0)) kPa" },
            submersionState.map { "the device reports \($0.name)" },
        ].compactMap(\.self)
        return "measurement: " + (parts.isEmpty ? "nothing measured" : parts.joined(separator: ", "))
    }
}
