import TelemetryModel

/// The readings of a message, each with its stream.
struct SensorLoggerReadings {
    private static let longestName = 64

    /// The motion streams in it.
    private(set) var streams: [SensorLoggerStream] = []
    /// The motion of the phone itself, in messages without motion of a watch.
    private(set) var phone: DecodedMotion?
    /// What the phone's barometer and pedometer measured.
    private(set) var activity = SensorLoggerActivity()
    /// The latest time of any reading; nil where none has one.
    private(set) var latest: SensorLoggerTime?
    /// What is not used.
    private(set) var passedOver = PassedOver()

    /// Sorts the readings of a message.
    init(_ envelope: JSONNode, limits: DecodeLimits) throws(Rejection) {
        var headphones = SensorLoggerStream(.headphones)
        var wrist = SensorLoggerStream(.wrist)
        var phone = SensorLoggerPhone()
        let payload = try envelope.required("payload")
        _ = try payload.map { reading throws(Rejection) -> Void in
            let name = try reading.required("name").line(maximumBytes: Self.longestName)
            switch Self.key(name) {
            case "headphone": note(try headphones.append(reading))
            case "wristmotion": note(try wrist.append(reading))
            case let name where phone.append(reading, of: name): break
            case let name:
                let isRead =
                    switch name {
                    case "barometer": try activity.appendPressure(reading)
                    case "pedometer": try activity.appendSteps(reading)
                    default: false
                    }
                if isRead, let time = activity.latest {
                    note(time)
                } else {
                    passedOver.ignored[name, default: 0] += 1
                    if let time = try reading.member("time"), let time = try? SensorLoggerTime(time) { note(time) }
                }
            }
        }
        streams = [headphones, wrist].filter { !$0.isEmpty }
        let counts = streams.map { ($0.count, limits.maximumSamples) } + activity.counts(limits)
        for (count, most) in counts { try Self.check(count, most: most) }
        self.phone = try phone.motion(isUsed: wrist.isEmpty, limits: limits, passedOver: &passedOver)
        for time in phone.times { note(time) }
    }

    /// Throws `columnLength` for more readings of a sensor than are read.
    static func check(_ count: Int, most: Int) throws(Rejection) {
        guard count <= most else {
            throw Rejection(.columnLength, at: "/payload", "\(count) readings of one sensor, at most \(most) are read")
        }
    }

    private mutating func note(_ time: SensorLoggerTime) { latest = max(latest ?? time, time) }

    /// The name without the differences between versions of the app.
    private static func key(_ name: String) -> String {
        String(name.lowercased().unicodeScalars.filter { ("a"..."z").contains($0) }.map(Character.init))
    }
}
