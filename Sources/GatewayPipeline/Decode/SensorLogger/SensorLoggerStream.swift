import TelemetryModel

/// The readings of one motion sensor in a message.
struct SensorLoggerStream {
    /// The sensors there are.
    enum Sensor {
        case headphones, wrist

        var stream: StreamName { self == .headphones ? .headphoneMotion : .deviceMotion }

        /// Whether acceleration is in gravity's unit: the headphones' gravity is in m/s2 and their acceleration in G, unless the app
        /// standardises both.
        var accelerationIsInUnitOfGravity: Bool { self == .wrist }
    }

    private let sensor: Sensor
    private var readings: [SensorLoggerReading] = []

    /// No readings yet.
    init(_ sensor: Sensor) { self.sensor = sensor }

    var isEmpty: Bool { readings.isEmpty }
    var count: Int { readings.count }

    /// Adds a reading; returns its time.
    mutating func append(_ node: JSONNode) throws(Rejection) -> SensorLoggerTime {
        let reading = try SensorLoggerReading(node)
        readings.append(reading)
        return reading.time
    }

    /// The readings in the order of their times; one at the time of another is counted and left out.
    func motion(passedOver: inout PassedOver) -> DecodedMotion {
        var samples = MotionSamples(sensorLocation: [])
        for reading in readings.sorted(by: { $0.time < $1.time }) {
            if let last = samples.timestamp.last, reading.time.seconds <= last {
                passedOver.repeated += 1
            } else {
                reading.append(to: &samples)
            }
        }
        return DecodedMotion(
            stream: sensor.stream, samples: samples,
            convention: .measured(accelerationIsInUnitOfGravity: sensor.accelerationIsInUnitOfGravity))
    }
}
