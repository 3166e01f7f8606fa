import TelemetryModel

/// Takes what an export of Apple Health holds, and keeps what is read of it by source.
struct HealthCollector {
    private static let mostSources = 256
    private static let mostActivities = 1024

    let spool = Spool<HealthSample>(runLength: 1 << 17)
    private(set) var devices: [HealthDevice] = []
    /// The sources in the order of the devices.
    private(set) var sources: [String] = []
    private(set) var activities: [String] = []
    /// Records of sources beyond those that are kept.
    private(set) var beyond = 0

    private let file: String
    private let request: ImportRequest
    private let onFault: (ImportProblem) -> Void
    private var places: [String: Int] = [:]
    private var latest = Double.infinity
    private var workout: (device: Int, activity: Int)?

    /// A collector for the export in `file`; `onFault` is called with each record that is dropped.
    init(file: String, request: ImportRequest, onFault: @escaping (ImportProblem) -> Void) {
        (self.file, self.request, self.onFault) = (file, request, onFault)
    }

    /// Takes the next beginning or end of an element.
    mutating func take(_ event: XMLScanner.Event) throws(ImportProblem) {
        switch event {
        case .start(let element):
            switch element.name {
            case "Record":
                guard let device = device(of: element) else { return }
                try add(element, to: device) { record throws(RowFault) in try record.samples() }
            case "Workout":
                guard let device = device(of: element) else { return }
                let activity = activity(element.attributes["workoutActivityType"] ?? "")
                workout = (device, activity)
                try add(element, to: device) { record throws(RowFault) in try record.workout(activity: Double(activity)) }
            case "WorkoutEvent":
                guard let (device, activity) = workout else { return }
                try add(element, to: device) { record throws(RowFault) in try record.change(activity: Double(activity)) }
            case "ExportDate":
                // A day later, as an export names no zone in some versions.
                if let date = element.attributes["value"].flatMap({ try? CalendarTime.read($0) }) {
                    latest = date.seconds + 86_400
                }
            default: break
            }
        case .end("Workout", _, _): workout = nil
        case .end: break
        }
    }

    private mutating func add(
        _ element: XMLElement, to device: Int, _ read: (HealthRecord) throws(RowFault) -> [HealthRecord.Sample]
    ) throws(ImportProblem) {
        let record = HealthRecord(element: element, latest: latest)
        let stream = record.stream
        guard request.streams?.contains(HealthDevice.streams[stream]) ?? true else { return }
        devices[device].reports[stream].rows += 1
        var samples: [HealthRecord.Sample] = []
        do throws(RowFault) {
            samples = try read(record)
        } catch {
            devices[device].reports[stream].dropped[error.kind, default: 0] += 1
            onFault(ImportProblem(error.detail, file: file, line: element.line))
        }
        for sample in samples {
            let sample = HealthSample(
                series: UInt32(device * HealthDevice.streams.count + stream), micros: Int64((sample.at * 1e6).rounded()),
                value: sample.value, kind: sample.kind)
            try spool.add(sample)
            devices[device].note(sample, stream: stream)
        }
    }

    private mutating func device(of element: XMLElement) -> Int? {
        let source = element.attributes["sourceName"] ?? ""
        if let place = places[source] { return place }
        guard devices.count < Self.mostSources else {
            beyond += 1
            return nil
        }
        let id = HealthDevice.id(of: source, request: request.device, taken: devices.map(\.id))
        places[source] = devices.count
        sources.append(source)
        devices.append(HealthDevice(id: id, file: file))
        return devices.count - 1
    }

    /// The place of an activity by HealthKit's name, without the prefix of its type.
    private mutating func activity(_ type: String) -> Int {
        let prefix = "HKWorkoutActivityType"
        let name = String((type.hasPrefix(prefix) ? type.dropFirst(prefix.count) : type[...]).prefix(64))
        let activity = name.prefix(1).lowercased() + name.dropFirst()
        if let place = activities.firstIndex(of: activity) { return place }
        guard activities.count < Self.mostActivities else { return activities.count }
        activities.append(activity)
        return activities.count - 1
    }
}
