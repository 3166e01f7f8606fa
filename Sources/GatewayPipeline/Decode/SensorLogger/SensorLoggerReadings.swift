import TelemetryModel

/// The readings of a message, each with its stream.
struct SensorLoggerReadings {
    private static let longestName = 64

    /// The motion streams in it.
    private(set) var streams: [SensorLoggerStream] = []
    /// The latest time of any reading; nil where none has one.
    private(set) var latest: SensorLoggerTime?
    /// What is not used.
    private(set) var passedOver = PassedOver()

    /// Sorts the readings of a message.
    init(_ envelope: JSONNode, limits: DecodeLimits) throws(Rejection) {
        var headphones = SensorLoggerStream(.headphones)
        var wrist = SensorLoggerStream(.wrist)
        let payload = try envelope.required("payload")
        _ = try payload.map { reading throws(Rejection) -> Void in
            let name = try reading.required("name").line(maximumBytes: Self.longestName)
            switch Self.key(name) {
            case "headphone": note(try headphones.append(reading))
            case "wristmotion": note(try wrist.append(reading))
            case let other:
                passedOver.ignored[other, default: 0] += 1
                if let time = try reading.member("time"), let time = try? SensorLoggerTime(time) { note(time) }
            }
        }
        streams = [headphones, wrist].filter { !$0.isEmpty }
        for stream in streams where stream.count > limits.maximumSamples {
            throw payload.rejection(
                .columnLength, "\(stream.count) readings of one sensor, at most \(limits.maximumSamples) are read")
        }
    }

    private mutating func note(_ time: SensorLoggerTime) { latest = max(latest ?? time, time) }

    /// The name without the differences between versions of the app.
    private static func key(_ name: String) -> String {
        String(name.lowercased().unicodeScalars.filter { ("a"..."z").contains($0) }.map(Character.init))
    }
}
