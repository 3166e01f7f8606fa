import SignalProcessing
/// Plans the import of a folder that Sensor Logger exported, or of single files out of one.
struct SensorLoggerImport: FileImport {
    private struct Surveyed {
        var path: String
        var file: SensorLoggerFile
        var survey: SensorLoggerSurvey
    }

    let request: ImportRequest
    let output: ImportPlan.Output

    /// The plan for the folder or the file at `path`; other files are reported.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan {
        let files = try chosenFiles(path)
        let metadata = try metadata(besides: path)
        var surveyed: [Surveyed] = []
        for (path, file) in files {
            do throws(ImportProblem) {
                let survey = try SensorLoggerSurvey(
                    try output.table(path), file: file, isStandardised: request.isStandardised, metadata: metadata)
                if let note = survey.note { output.note("\(path): \(note)") }
                surveyed.append(Surveyed(path: path, file: file, survey: survey))
            } catch {
                output.problem(error)
            }
        }
        var plan = ImportPlan()
        for (device, isWatch) in [(request.device, false), (request.watch, true)] {
            plan.add(try self.plan(surveyed.filter { $0.file.isWatch == isWatch }, device: device))
        }
        return plan
    }

    /// The boot of one clock. What the phone's motion sensors wrote is one source.
    private func plan(_ files: [Surveyed], device: String) throws(ImportProblem) -> ImportPlan {
        let sensors = files.filter { $0.file.sensor != nil }
        let isJoined = [SensorLoggerFile.Sensor.acceleration, .rotation].allSatisfy { sensor in
            sensors.contains { $0.file.sensor == sensor }
        }
        let files = isJoined ? files : files.filter { $0.file.sensor == nil }
        guard let start = files.map(\.survey.start).min() else { return ImportPlan() }
        var hash = ContentHash()
        for file in files { try hash.add(file: file.path) }
        // A whole second, so that uptime and wall clock have the same decimals.
        let epoch = (start / 1_000_000 - 1) * 1_000_000
        let boot = RecordedBoot(device: device, boot: hash.boot, epoch: epoch, start: start - epoch)
        return ImportPlan(
            statuses: [boot.online(wrist: device == request.watch ? request.wrist : nil)],
            sources: files.filter { $0.file.sensor == nil || $0.file.sensor == .rotation }.map { file in
                FrameSource.Plan(
                    file: file.path, stream: file.file.stream, boot: boot, start: file.survey.start - epoch,
                    table: { () throws(ImportProblem) in
                        let table = try output.countedTable(file.path)
                        let reader = try reader(of: file, table, epoch: epoch)
                        guard file.file.sensor == .rotation else { return (table, reader) }
                        let track = { (sensor: SensorLoggerFile.Sensor) throws(ImportProblem) in
                            try self.track(sensors.first { $0.file.sensor == sensor }, boot: boot, epoch: epoch)
                        }
                        guard let acceleration = try track(.acceleration) else { return (table, reader) }
                        return (
                            table,
                            JoinedReader(rotation: reader, acceleration: acceleration, magneticField: try track(.magneticField))
                        )
                    })
            })
    }

    private func reader(of file: Surveyed, _ table: Table, epoch: Int64) throws(ImportProblem) -> SensorLoggerReader {
        let reader = try table.readHeader { header throws(ImportProblem) in try SensorLoggerReader(header, file: file.file) }
        return SensorLoggerReader(
            reader, epoch: epoch, convention: file.survey.convention, kilopascals: file.survey.kilopascals)
    }

    private func track(_ file: Surveyed?, boot: RecordedBoot, epoch: Int64) throws(ImportProblem) -> SensorTrack? {
        guard let file else { return nil }
        let table = try output.table(file.path)
        return SensorTrack(
            ReadingSequence(
                table: table, reader: try reader(of: file, table, epoch: epoch),
                report: FileReport(file: file.path, device: boot.device, stream: file.file.stream), onFault: output.fault),
            onProblem: output.problem)
    }

    private func chosenFiles(_ path: String) throws(ImportProblem) -> [(path: String, file: SensorLoggerFile)] {
        guard Folder.isFolder(path) else {
            _ = try FileChunks.size(of: path)
            let name = path.split(separator: "/").last.map(String.init) ?? path
            guard let file = SensorLoggerFile(name: name) else {
                throw ImportProblem("is no file of Sensor Logger that is read; give the folder of the export", file: path)
            }
            guard file.sensor == nil else {
                throw ImportProblem("holds one of the phone's sensors alone; give the folder of the export", file: path)
            }
            return [(path, file)]
        }
        var chosen: [(path: String, name: String, file: SensorLoggerFile)] = []
        var passedOver: [String] = []
        for name in try Folder.names(path) {
            if let file = SensorLoggerFile(name: name), request.streams?.contains(file.stream) ?? true,
                !chosen.contains(where: { $0.file == file })
            {
                chosen.append((Self.join(path, name), name, file))
            } else if name.lowercased() != "metadata.csv" {
                passedOver.append(name)
            }
        }
        let unused = chosen.filter { !isUsed($0.file, of: chosen.map(\.file)) }
        chosen.removeAll { file in unused.contains { $0.file == file.file } }
        passedOver = (passedOver + unused.map(\.name)).sorted()
        if !passedOver.isEmpty { output.note("\(path): passed over \(passedOver.joined(separator: ", "))") }
        if chosen.isEmpty { throw ImportProblem("holds no file of Sensor Logger that is read", file: path) }
        return chosen.map { ($0.path, $0.file) }
    }

    /// Whether a file is used beside others: of those of one sensor the first, and of the phone's sensors none without acceleration and
    /// rotation rate.
    private func isUsed(_ file: SensorLoggerFile, of files: [SensorLoggerFile]) -> Bool {
        guard let sensor = file.sensor else { return true }
        let found = { (sensor: SensorLoggerFile.Sensor) in sensor.files.first(where: files.contains) }
        return found(.acceleration) != nil && found(.rotation) != nil && found(sensor) == file
    }

    private func metadata(besides path: String) throws(ImportProblem) -> Bool? {
        guard Folder.isFolder(path),
            let name = try Folder.names(path).first(where: { $0.lowercased() == "metadata.csv" })
        else { return nil }
        return SensorLoggerMetadata.isStandardised(try output.table(Self.join(path, name)))
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}
