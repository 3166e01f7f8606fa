/// The files of a Sensor Logger export that become frames.
enum SensorLoggerFile: CaseIterable {
    case headphone, wristMotion, barometer, watchBarometer, pedometer
    case totalAcceleration, accelerometerUncalibrated, gyroscope, gyroscopeUncalibrated, magnetometer

    /// Which of the phone's motion sensors wrote a file.
    enum Sensor: CaseIterable {
        case acceleration, rotation, magneticField

        /// The files, the one that is preferred first. The uncalibrated magnetometer measures mostly the phone's own field.
        var files: [SensorLoggerFile] {
            switch self {
            case .acceleration: [.totalAcceleration, .accelerometerUncalibrated]
            case .rotation: [.gyroscope, .gyroscopeUncalibrated]
            case .magneticField: [.magnetometer]
            }
        }
    }

    /// The file of that name, whatever its case and punctuation: versions of the app differ.
    init?(name: String) {
        guard name.lowercased().hasSuffix(".csv") else { return nil }
        let key = name.dropLast(4).lowercased().filter(\.isLetter)
        guard let file = Self.allCases.first(where: { $0.keys.contains(key) }) else { return nil }
        self = file
    }

    private var keys: [String] {
        switch self {
        case .headphone: ["headphone", "headphonemotion"]
        case .wristMotion: ["wristmotion"]
        case .barometer: ["barometer"]
        case .watchBarometer: ["watchbarometer"]
        case .pedometer: ["pedometer"]
        case .totalAcceleration: ["totalacceleration"]
        case .accelerometerUncalibrated: ["accelerometeruncalibrated"]
        case .gyroscope: ["gyroscope"]
        case .gyroscopeUncalibrated: ["gyroscopeuncalibrated"]
        case .magnetometer: ["magnetometer"]
        }
    }

    /// Where its samples go.
    var stream: ImportStream {
        switch self {
        case .headphone: .headphoneMotion
        case .wristMotion, .totalAcceleration, .accelerometerUncalibrated, .gyroscope, .gyroscopeUncalibrated, .magnetometer:
            .deviceMotion
        case .barometer, .watchBarometer: .altimeter
        case .pedometer: .pedometer
        }
    }

    /// Which of the phone's motion sensors it is of; nil for none.
    var sensor: Sensor? { Sensor.allCases.first { $0.files.contains(self) } }

    /// Whether the watch's clock and not the phone's gave its times.
    var isWatch: Bool { self == .wristMotion || self == .watchBarometer }
}
