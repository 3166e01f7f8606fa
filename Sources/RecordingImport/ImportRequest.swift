import TelemetryModel

/// What is to be imported, and how.
package struct ImportRequest: Sendable {
    /// What wrote the files.
    package var format: ImportFormat
    /// Files or, for Sensor Logger, folders.
    package var paths: [String]
    /// The device id in the topics; a Sensor Logger watch gets `-watch` after it.
    package var device: String
    /// The streams to be written; nil for all that are there.
    package var streams: Set<ImportStream>?
    /// The wrist that the watch was on, for its `status`.
    package var wrist: Wrist?
    /// Whether Sensor Logger's "Standardise Units & Frames" was on; nil measures it.
    package var isStandardised: Bool?
    /// The columns of a dive log; empty finds them by their names.
    package var diveColumns: [DiveColumn] = []
    /// The columns of a log of raw motion.
    package var sensorColumns: [NamedColumn<SensorField>] = []
    /// Seconds from row to row of a log without times.
    package var interval: Double?
    /// Rows after the header of a log that are no samples.
    package var skippedRows = 0
    /// The unix time in seconds of the first row (no times) or of second 0 (times in seconds) of a log.
    package var start: Double?

    /// A request; throws when the device id cannot stand in a topic.
    package init(format: ImportFormat, paths: [String], device: String? = nil) throws(ImportProblem) {
        let device = device ?? format.rawValue
        let longest = 64 - (format == .sensorLogger ? Self.watchSuffix.utf8.count : 0)
        guard Identifier(device) != nil, device.utf8.count <= longest else {
            throw ImportProblem(
                "the device id \(ImportProblem.quoted(device)) is not 1 to \(longest) of A-Z, a-z, 0-9, _ and -")
        }
        self.format = format
        self.paths = paths
        self.device = device
    }

    private static let watchSuffix = "-watch"

    /// The id of the watch beside the phone: it has its own clock, and one device id has one clock.
    var watch: String { device + Self.watchSuffix }
}

/// The exports that are read; the raw values are those of `--format`.
package enum ImportFormat: String, Sendable, CaseIterable {
    /// A folder that the app Sensor Logger exported.
    case sensorLogger = "sensor-logger"
    /// A CSV file of the app SensorLog.
    case sensorLog = "sensorlog"
    /// A dive log as CSV.
    case dive
    /// CSV of raw motion, with columns that the request names.
    case columns = "csv"

    /// What reads its files.
    var reader: any FileImport.Type {
        switch self {
        case .sensorLogger: SensorLoggerImport.self
        case .sensorLog: SensorLogImport.self
        case .dive: DiveImport.self
        case .columns: ColumnsImport.self
        }
    }
}

/// The streams that an import can write; the raw values are the topics' last level.
package enum ImportStream: String, Sendable, CaseIterable {
    /// Motion of a pair of headphones.
    case headphoneMotion = "headphone-motion"
    /// Motion of a watch, a phone or a sensor.
    case deviceMotion = "device-motion"
    /// Depths and water temperatures.
    case submersion
    /// Relative altitude and air pressure.
    case altimeter
    /// Steps.
    case pedometer
}

/// A wrist; the raw values are those of `wristLocation` in `status`.
package enum Wrist: String, Sendable, CaseIterable {
    /// The left wrist.
    case left
    /// The right wrist.
    case right
}
