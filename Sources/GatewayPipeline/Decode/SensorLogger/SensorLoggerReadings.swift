import TelemetryModel

/// The readings of a message, each with its stream.
struct SensorLoggerReadings {
    private static let longestName = 64

    private var headphones = SensorLoggerStream(.headphones)
    private var wrist = SensorLoggerStream(.wrist)
    /// The motion of the phone itself, in messages without motion of a watch.
    private(set) var phone: DecodedMotion?
    /// What the phone's barometer and pedometer measured.
    private(set) var activity = SensorLoggerActivity()
    /// The latest time of any reading; nil where none has one.
    private(set) var latest: SensorLoggerTime?
    /// What is not used.
    private(set) var passedOver = PassedOver()

    /// Sorts the readings of a message; one that cannot be read is left out. Throws where none can.
    init(_ envelope: JSONNode, limits: DecodeLimits) throws(Rejection) {
        var phone = SensorLoggerPhone()
        let readings = try envelope.required("payload").map { node throws(Rejection) in node }
        for reading in readings {
            do throws(Rejection) {
                try take(reading, &phone)
            } catch {
                try passedOver.leaveOut(error)
            }
        }
        let counts = [headphones, wrist].map { ($0.count, limits.maximumSamples) } + activity.counts(limits)
        for (count, most) in counts { try Self.check(count, most: most) }
        self.phone = try phone.motion(isUsed: wrist.isEmpty, limits: limits, passedOver: &passedOver)
        for time in phone.times { note(time) }
        // Where nothing of it can be read, it is another kind of message.
        if let refusal = passedOver.refusal, passedOver.refused == readings.count { throw refusal }
    }

    /// The motion streams in it.
    var streams: [SensorLoggerStream] { [headphones, wrist].filter { !$0.isEmpty } }

    private mutating func take(_ reading: JSONNode, _ phone: inout SensorLoggerPhone) throws(Rejection) {
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
