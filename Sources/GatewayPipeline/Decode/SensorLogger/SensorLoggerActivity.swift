import TelemetryModel

/// The readings of the phone's barometer and pedometer in a message.
struct SensorLoggerActivity {
    private struct Height {
        var time: SensorLoggerTime
        var relativeAltitude: Double?
        var pressure: Double?
    }

    private var heights: [Height] = []
    private var steps: [(time: SensorLoggerTime, count: Int)] = []
    /// The time of the reading added last.
    private(set) var latest: SensorLoggerTime?

    /// How many readings of each sensor there are, and how many are read.
    func counts(_ limits: DecodeLimits) -> [(Int, Int)] {
        [(heights.count, limits.maximumSamples), (steps.count, limits.maximumEntries)]
    }

    /// Adds a reading of the barometer; false for one without a value. The phone's app writes mbar and the watch's kPa, and
    /// only the number shows which it is; one that can be neither is refused.
    mutating func appendPressure(_ node: JSONNode) throws(Rejection) -> Bool {
        let values = try node.required("values")
        let relative = try values.optional("relativeAltitude")
        let pressure = try values.optional("pressure")
        guard relative != nil || pressure != nil else { return false }
        let time = try SensorLoggerTime(try node.required("time"))
        heights.append(
            Height(
                time: time,
                relativeAltitude: try relative.map { node throws(Rejection) in
                    try node.number(within: AltimeterRange.relative)
                },
                pressure: try pressure.map { node throws(Rejection) in try Self.kilopascals(node) }))
        latest = time
        return true
    }

    /// Adds a reading of the pedometer; false for one without a value.
    mutating func appendSteps(_ node: JSONNode) throws(Rejection) -> Bool {
        guard let value = try node.required("values").optional("steps") else { return false }
        let time = try SensorLoggerTime(try node.required("time"))
        let count = Int(try value.number(within: 0...1e9).rounded())
        steps.append((time, count))
        latest = time
        return true
    }

    private static let millibars = 300.0...1_200

    private static func kilopascals(_ node: JSONNode) throws(Rejection) -> Double {
        let number = try node.number()
        if AltimeterRange.pressure.contains(number) { return number }
        guard millibars.contains(number) else {
            throw node.rejection(.invalidValue, "\(number) is a pressure neither in kPa, 30 to 120, nor in mbar, 300 to 1,200")
        }
        return number / 10
    }

    /// The frames' content, each with its first time; one reading at the time of another is counted and left out.
    func bodies(passedOver: inout PassedOver) -> [(start: Double, body: DecodedBody)] {
        var bodies: [(start: Double, body: DecodedBody)] = []
        var kept: [Height] = []
        for height in heights.sorted(by: { $0.time < $1.time }) {
            if let last = kept.last, height.time.seconds <= last.time.seconds {
                passedOver.repeated += 1
            } else {
                kept.append(height)
            }
        }
        // Columns are as long as each other: a reading without the altitude that others have is left out.
        let whole = kept.contains { $0.relativeAltitude != nil } ? kept.filter { $0.relativeAltitude != nil } : kept
        if whole.count < kept.count { passedOver.ignored["barometer", default: 0] += kept.count - whole.count }
        if let first = whole.first {
            let relative = whole.compactMap(\.relativeAltitude)
            let pressure = whole.compactMap(\.pressure)
            let samples = AltimeterSamples(
                timestamp: whole.map(\.time.seconds), relativeAltitude: relative.isEmpty ? nil : relative,
                pressure: pressure.count == whole.count ? pressure : nil)
            bodies.append((first.time.seconds, .model(.altimeter(samples))))
        }
        // The app says neither when its counter began nor when somebody pauses.
        let counts = steps.sorted { $0.time < $1.time }.map { reading in
            DecodedPedometer.Count(
                startDate: nil, endDate: UnixTime(reading.time.seconds),
                values: PedometerData(start: DeviceTime(0), startDate: nil, end: DeviceTime(0), steps: reading.count))
        }
        if let first = counts.first {
            bodies.append((first.endDate.seconds, .pedometer(DecodedPedometer(data: counts, tracksEvents: false))))
        }
        return bodies
    }
}

extension JSONNode {
    fileprivate func number(within range: ClosedRange<Double>) throws(Rejection) -> Double {
        let number = try number()
        guard range.contains(number) else {
            throw rejection(.invalidValue, "\(number) is not within \(range.lowerBound) to \(range.upperBound)")
        }
        return number + 0
    }
}
