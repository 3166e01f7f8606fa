import SignalProcessing
import TelemetryModel

/// The readings of the phone's own motion sensors in a message: raw motion, as each sensor measures at instants of its own.
struct SensorLoggerPhone {
    /// Total acceleration: always in m/s2 with Android's signs where Android names it so, else in a unit that shows the signs.
    private static let accelerations = [total, "accelerometeruncalibrated"]
    private static let rotations = ["gyroscope", "gyroscopeuncalibrated"]
    /// What the uncalibrated one measures is mostly the phone's own field.
    private static let magneticField = "magnetometer"
    private static let total = "totalacceleration"
    private static let names = accelerations + rotations + [magneticField]

    private var nodes: [String: [JSONNode]] = [:]

    /// Keeps a reading of one of the sensors, unread; false for any other.
    mutating func append(_ node: JSONNode, of name: String) -> Bool {
        guard Self.names.contains(name) else { return false }
        nodes[name, default: []].append(node)
        return true
    }

    /// The times of all readings, but of those that have none.
    var times: [SensorLoggerTime] {
        nodes.values.joined().compactMap { node in
            (try? node.member("time")).flatMap { try? SensorLoggerTime($0) }
        }
    }

    /// The motion at the instants of the gyroscope. Nil where `isUsed` is false, or where there is no total acceleration or no rotation rate;
    /// what is not used is counted.
    func motion(isUsed: Bool, limits: DecodeLimits, passedOver: inout PassedOver) throws(Rejection) -> DecodedMotion? {
        let accelerations = Self.accelerations.first { nodes[$0] != nil }
        let rotations = Self.rotations.first { nodes[$0] != nil }
        guard isUsed, let accelerations, let rotations else {
            for (name, nodes) in nodes { passedOver.ignored[name, default: 0] += nodes.count }
            return nil
        }
        for (name, nodes) in nodes where ![accelerations, rotations, Self.magneticField].contains(name) {
            passedOver.ignored[name, default: 0] += nodes.count
        }
        var acceleration = try track(accelerations, limits, &passedOver)
        let rotation = try track(rotations, limits, &passedOver)
        var field = try track(Self.magneticField, limits, &passedOver)
        var samples = MotionSamples()
        var measured = RawMotion(acceleration: VectorColumns())
        var fields = VectorColumns()
        for (time, rate) in zip(rotation.times, rotation.values) {
            guard let total = acceleration.value(at: time) else {
                passedOver.ignored[rotations, default: 0] += 1
                continue
            }
            samples.timestamp.append(time)
            samples.rotationRate.append(rate)
            measured.acceleration.append(total)
            if let value = field.value(at: time) { fields.append(value) }
        }
        guard samples.count > 0 else { return nil }
        // Columns are as long as each other: a message that lacks the field at one instant has none.
        if fields.count == samples.count { measured.magneticField = fields }
        samples.source = .sensors(measured)
        var android = MotionConvention()
        android.accelerationScale = -1 / MotionConvention.standardGravity
        return DecodedMotion(
            stream: .deviceMotion, samples: samples,
            convention: accelerations == Self.total ? .fixed(android) : .measured(accelerationIsInUnitOfGravity: true))
    }

    private func track(
        _ name: String, _ limits: DecodeLimits, _ passedOver: inout PassedOver
    ) throws(Rejection) -> SensorLoggerTrack {
        let nodes = nodes[name] ?? []
        try SensorLoggerReadings.check(nodes.count, most: limits.maximumSamples)
        var readings: [(time: SensorLoggerTime, value: SIMD3<Double>)] = []
        for node in nodes {
            do throws(Rejection) {
                let values = try node.required("values")
                readings.append(
                    (
                        try SensorLoggerTime(try node.required("time")),
                        SIMD3(
                            try values.required("x").number(), try values.required("y").number(),
                            try values.required("z").number())
                    ))
            } catch {
                try passedOver.leaveOut(error)
            }
        }
        var track = SensorLoggerTrack()
        for reading in readings.sorted(by: { $0.time < $1.time }) where !track.append(reading.value, at: reading.time.seconds) {
            passedOver.repeated += 1
        }
        return track
    }
}

/// What one sensor measured in a message, in order of time.
private struct SensorLoggerTrack {
    private(set) var times: [Double] = []
    private(set) var values: [SIMD3<Double>] = []
    private var next = 0

    /// Adds a reading; false for one that is not later than the last.
    mutating func append(_ value: SIMD3<Double>, at time: Double) -> Bool {
        guard time > times.last ?? -.infinity else { return false }
        times.append(time)
        values.append(value)
        return true
    }

    /// The value at an instant, which is later than those asked for before; nil where nothing was measured around it.
    mutating func value(at time: Double) -> SIMD3<Double>? {
        while next < times.count, times[next] < time { next += 1 }
        return SensorJoin.value(at: time, before: reading(next - 1), after: reading(next)) { $0 }
    }

    private func reading(_ index: Int) -> SensorJoin.Reading<Double>? {
        times.indices.contains(index) ? (times[index], values[index]) : nil
    }
}
