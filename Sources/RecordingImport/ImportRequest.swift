import TelemetryModel

/// What is to be imported, and how.
package struct ImportRequest: Sendable {
    /// What wrote the files; nil finds it by their content.
    package var format: ImportFormat?
    /// Files and folders.
    package var paths: [String]
    /// The device id in the topics; a Sensor Logger watch gets `-watch` after it.
    package internal(set) var device: String
    /// Whether the device id was given, and not to be taken from the files.
    let isDeviceGiven: Bool
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
    /// The unix time in seconds of second 0 (times since the beginning) or of the first row of a log.
    package var start: Double?
    /// How times are read where the log leaves it open.
    package var times = TimeRules()
    /// The pressure at the surface for a dive log without one.
    package var surfacePressure: SurfacePressure?
    /// Whether a dive log that ends just under the surface is left as it is.
    package var isOpenEnd = false

    /// A request; throws when the device id cannot stand in a topic.
    package init(format: ImportFormat? = nil, paths: [String], device: String? = nil) throws(ImportProblem) {
        isDeviceGiven = device != nil
        let device = device ?? format?.rawValue ?? "import"
        let longest = Self.longestDevice(format)
        guard Identifier(device) != nil, device.utf8.count <= longest else {
            throw ImportProblem(
                "the device id \(ImportProblem.quoted(device)) is not 1 to \(longest) of A-Z, a-z, 0-9, _ and -")
        }
        self.format = format
        self.paths = paths
        self.device = device
    }

    /// The device id that is nearest to `name`; nil where nothing of it can stand in one.
    static func device(named name: String) -> String? {
        let parts = name.unicodeScalars.split { !isAllowed($0) }.map { String(String.UnicodeScalarView($0)) }
        let id = String(parts.joined(separator: "-").prefix(longestDevice(.sensorLogger)))
        return Identifier(id) == nil ? nil : id
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", "_", "-": true
        default: false
        }
    }

    private static func longestDevice(_ format: ImportFormat?) -> Int {
        64 - (format == nil || format == .sensorLogger ? watchSuffix.utf8.count : 0)
    }

    private static let watchSuffix = "-watch"

    /// Whether a column of times is named.
    package var namesTime: Bool {
        diveColumns.contains { $0.field == .time || $0.field == .date }
            || sensorColumns.contains { $0.field == .time || $0.field == .date }
    }

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
    /// The export of Apple Health, `export.xml`.
    case appleHealth = "apple-health"
    /// CSV of raw motion, with columns that the request names.
    case columns = "csv"
    /// A FIT file of a dive computer or a sports watch.
    case fit

    /// What it is, for a sentence.
    package var reads: String {
        switch self {
        case .sensorLogger: "a file of Sensor Logger"
        case .sensorLog: "a file of SensorLog"
        case .dive: "a dive log"
        case .appleHealth: "the export of Apple Health"
        case .columns: "CSV of motion"
        case .fit: "a FIT file"
        }
    }

    /// What reads its files.
    var reader: any FileImport.Type {
        switch self {
        case .sensorLogger: SensorLoggerImport.self
        case .sensorLog: SensorLogImport.self
        case .dive: DiveImport.self
        case .appleHealth: HealthImport.self
        case .columns: ColumnsImport.self
        case .fit: FITImport.self
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
    /// Workouts and their pauses.
    case workout
}

/// A wrist; the raw values are those of `wristLocation` in `status`.
package enum Wrist: String, Sendable, CaseIterable {
    /// The left wrist.
    case left
    /// The right wrist.
    case right
}
