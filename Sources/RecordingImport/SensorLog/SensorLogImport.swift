import SignalProcessing

/// Plans the import of a CSV file of SensorLog.
struct SensorLogImport: FileImport {
    private static let mostRows = 4096

    let request: ImportRequest
    let output: ImportPlan.Output

    /// The plan for the file at `path`.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan {
        guard request.streams?.contains(.deviceMotion) ?? true else {
            throw ImportProblem("only device-motion is read from SensorLog", file: path)
        }
        let (start, epoch) = try survey(path)
        var hash = ContentHash()
        try hash.add(file: path)
        let boot = RecordedBoot(device: request.device, boot: hash.boot, epoch: epoch, start: start)
        return ImportPlan(
            statuses: [boot.online(wrist: request.wrist)],
            sources: [
                FrameSource.Plan(
                    file: path, stream: .deviceMotion, boot: boot, start: start,
                    table: { () throws(ImportProblem) in
                        let table = try output.countedTable(path)
                        return (table, try table.readHeader { header throws(ImportProblem) in try SensorLogReader(header) })
                    })
            ])
    }

    /// The device time of the first sample, and when the device's clock showed 0, both in microseconds.
    private func survey(_ path: String) throws(ImportProblem) -> (start: Int64, epoch: Int64?) {
        let table = try output.table(path)
        var reader = try table.readHeader { header throws(ImportProblem) in try SensorLogReader(header) }
        var evidence = MotionEvidence()
        var total = MotionEvidence()
        var start: Int64?
        var epoch: Int64?
        var rows = 0
        while rows < Self.mostRows, let row = try table.next() {
            rows += 1
            guard let reading = try? reader.reading(of: row) else { continue }
            start = start ?? reading.micros
            switch reading.reading {
            case .motion(let sample): evidence.add(sample)
            case .raw(let sample): total.add(acceleration: sample.acceleration)
            default: continue
            }
            // Rows are written late by up to a second, and several at once: the row with the shortest delay gives the best
            // estimate.
            if let logged = reader.loggedAt(row) { epoch = min(epoch ?? .max, logged - reading.micros) }
        }
        guard let start else { throw ImportProblem("no row holds device motion", file: path) }
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
        if epoch == nil {
            output.note("\(path): no time of day in loggingTime: the frames have the device's own clock only")
        }
        return (start, epoch)
    }
}
