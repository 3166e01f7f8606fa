/// The files of a Sensor Logger export that become frames.
enum SensorLoggerFile: CaseIterable {
    case headphone, wristMotion, barometer, watchBarometer, pedometer

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
        }
    }

    /// Where its samples go.
    var stream: ImportStream {
        switch self {
        case .headphone: .headphoneMotion
        case .wristMotion: .deviceMotion
        case .barometer, .watchBarometer: .altimeter
        case .pedometer: .pedometer
        }
    }

    /// Whether the watch's clock and not the phone's gave its times.
    var isWatch: Bool { self == .wristMotion || self == .watchBarometer }
}
