/// The files of a Sensor Logger export that become frames.
enum SensorLoggerFile: String, CaseIterable {
    case headphone = "Headphone"
    case wristMotion = "WristMotion"
    case barometer = "Barometer"
    case watchBarometer = "WatchBarometer"
    case pedometer = "Pedometer"
    case totalAcceleration = "TotalAcceleration"
    case accelerometerUncalibrated = "AccelerometerUncalibrated"
    /// Without gravity.
    case accelerometer = "Accelerometer"
    case gravity = "Gravity"
    case gyroscope = "Gyroscope"
    case gyroscopeUncalibrated = "GyroscopeUncalibrated"
    case magnetometer = "Magnetometer"

    /// Which of the phone's motion sensors wrote a file.
    enum Sensor: CaseIterable {
        case acceleration, gravity, rotation, magneticField

        /// The files, the one that is preferred first. The uncalibrated magnetometer measures mostly the phone's own field.
        var files: [SensorLoggerFile] {
            switch self {
            case .acceleration: [.totalAcceleration, .accelerometerUncalibrated, .accelerometer]
            case .gravity: [.gravity]
            case .rotation: [.gyroscope, .gyroscopeUncalibrated]
            case .magneticField: [.magnetometer]
            }
        }
    }

    /// The file of that name, whatever its case and punctuation: versions of the app differ.
    init?(name: String) {
        var name = name.lowercased()[...]
        if name.hasSuffix(".gz") { name = name.dropLast(3) }
        guard name.hasSuffix(".csv") else { return nil }
        let key = name.dropLast(4).filter(\.isLetter)
        guard let file = Self.allCases.first(where: { $0.keys.contains(key) }) else { return nil }
        self = file
    }

    /// The file with such columns, where no other has them; throws for others.
    init(_ header: Header) throws(ImportProblem) {
        let isLocated = header.columns.contains { $0.title.lowercased() == SensorLoggerReader.location }
        for file in [isLocated ? .headphone : .wristMotion, .barometer, .pedometer] as [Self]
        where (try? SensorLoggerReader(header, file: file)) != nil {
            self = file
            return
        }
        let isVector = (try? header.require(["x", "y", "z"])) != nil
        throw ImportProblem(
            isVector
                ? "holds x, y and z of a sensor that its name does not tell; name it as the app does, such as Gyroscope.csv"
                : "is no file of Sensor Logger that is read; give the folder or the zip of the export", file: header.file)
    }

    private var keys: [String] {
        self == .headphone ? ["headphone", "headphonemotion"] : [rawValue.lowercased()]
    }

    /// Where its samples go.
    var stream: ImportStream {
        switch self {
        case .headphone: .headphoneMotion
        case .wristMotion, .totalAcceleration, .accelerometerUncalibrated, .accelerometer, .gravity, .gyroscope,
            .gyroscopeUncalibrated, .magnetometer:
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

extension Collection<SensorLoggerFile> {
    /// The file of the phone's acceleration, of which one without gravity counts beside one of gravity only; nil without one.
    var acceleration: SensorLoggerFile? {
        let files = SensorLoggerFile.Sensor.acceleration.files.filter(contains)
        return files.first { $0 != .accelerometer || contains(.gravity) }
    }

    /// Whether acceleration and rotation rate are there, without which none of the phone's motion sensors is read.
    var canBeJoined: Bool { acceleration != nil && contains { $0.sensor == .rotation } }

    /// Whether a file is used beside these: of those of one sensor the first.
    func uses(_ file: SensorLoggerFile) -> Bool {
        guard let sensor = file.sensor else { return true }
        guard canBeJoined else { return false }
        switch sensor {
        case .acceleration: return file == acceleration
        case .gravity: return acceleration == .accelerometer
        case .rotation, .magneticField: return file == sensor.files.first(where: contains)
        }
    }

    /// What is to be recorded beside these so that the phone's motion can be read.
    var lackForJoin: String {
        "the phone's motion needs Gyroscope.csv and TotalAcceleration.csv, AccelerometerUncalibrated.csv, or Accelerometer.csv with "
            + "Gravity.csv; here are only \(filter { $0.sensor != nil }.map { $0.rawValue + ".csv" }.joined(separator: ", "))"
    }
}
