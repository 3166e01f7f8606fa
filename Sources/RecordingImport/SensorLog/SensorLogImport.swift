import SignalProcessing

/// Plans the import of a CSV file of SensorLog.
struct SensorLogImport: FileImport {
    private static let mostRows = 4096

    let request: ImportRequest
    let output: ImportPlan.Output

    static func recognizes(_ beginning: [UInt8], name: String) -> Bool {
        (try? Table.beginning(beginning).readHeader { header throws(ImportProblem) in
            _ = try header.require(["loggingTime"])
            return try SensorLogReader(header, times: TimeRules())
        }) != nil
    }

    /// The device's id in the first row of the file.
    func ownDevice(_ path: String) -> String? {
        guard let table = try? output.table(path),
            let column = try? table.readHeader({ header throws(ImportProblem) in try header.require(["deviceID"])[0] }),
            let row = try? table.next(), !row.isBlank(column.index)
        else { return nil }
        return row.text(column.index)
    }

    /// The plan for the file at `path`.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan {
        guard request.streams?.contains(.deviceMotion) ?? true else {
            throw ImportProblem("only device-motion is read from SensorLog", file: path)
        }
        let (survey, start) = try survey(path)
        var hash = ContentHash()
        try hash.add(file: path)
        let epoch = request.start.map { Int64(($0 * 1e6).rounded()) - start } ?? survey.reader.epoch
        let boot = RecordedBoot(device: request.device, boot: hash.boot, epoch: epoch, start: start)
        var source = FrameSource.Plan(
            file: path, stream: .deviceMotion, boot: boot, start: start, order: survey.order,
            table: { () throws(ImportProblem) in try open(path) })
        source.end = survey.last
        return ImportPlan(statuses: [boot.online(wrist: request.wrist)], sources: [source])
    }

    private func open(_ path: String) throws(ImportProblem) -> (Table, SensorLogReader) {
        let table = try output.countedTable(path)
        return (
            table,
            try table.readHeader { header throws(ImportProblem) in try SensorLogReader(header, times: request.times) }
        )
    }

    /// What the rows show, and the device time of the first sample in microseconds.
    private func survey(_ path: String) throws(ImportProblem) -> (TableSurvey<SensorLogReader>, start: Int64) {
        let (table, reader) = try open(path)
        var evidence = MotionEvidence()
        var total = MotionEvidence()
        let survey = try TableSurvey(table, reader) { placed in
            guard evidence.count + total.count < Self.mostRows else { return }
            switch placed.timed.reading {
            case .motion(let sample): evidence.add(sample)
            case .raw(let sample): total.add(acceleration: sample.acceleration)
            default: break
            }
        }
        guard let start = survey.first else { throw ImportProblem("no row holds device motion", file: path) }
        if total.count > 0 {
            output.note("\(path): no device motion; accelerometer and gyroscope become raw motion")
            guard try total.totalAccelerationUnit(file: path) == .gravities else {
                throw ImportProblem("|acceleration| is about \(total.length) G: the units of the header are wrong", file: path)
            }
        }
        guard total.count > 0 || (0.9...1.1).contains(evidence.length) else {
            throw ImportProblem(
                "|gravity| is \(evidence.length) G by the units of the header, expected 1: the units of the header are wrong",
                file: path, column: "motionGravity")
        }
        if evidence.count > 0, !evidence.frames.contains(.apple) {
            output.note("\(path): gravity and attitude contradict each other: these are not Core Motion's signs")
        }
        noteTimes(of: survey.reader, path)
        return (survey, start)
    }

    private func noteTimes(of reader: SensorLogReader, _ path: String) {
        guard request.start == nil else { return }
        if reader.epoch == nil {
            output.note("\(path): no time of day in loggingTime: the frames have the device's own clock only; or say --start")
        } else if reader.lacksZone {
            let zone = request.times.zone?.name ?? "UTC; say --zone NAME for another"
            output.note("\(path): loggingTime names no zone and is read as \(zone)")
        }
    }
}
