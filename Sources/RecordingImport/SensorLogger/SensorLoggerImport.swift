/// Plans the import of a folder that Sensor Logger exported, or of single files out of one.
struct SensorLoggerImport: FileImport {
    private struct Surveyed {
        var path: String
        var file: SensorLoggerFile
        var survey: SensorLoggerSurvey
    }

    let request: ImportRequest
    let output: ImportPlan.Output

    static func recognizes(_ beginning: [UInt8], name: String) -> Bool {
        (try? Table.beginning(beginning).readHeader { header throws(ImportProblem) in
            try header.require(["time", "seconds_elapsed"])
        }) != nil
    }

    /// Whether there is a file of the app in the folder at `path`.
    static func isExport(_ path: String) -> Bool {
        ((try? names(path)) ?? []).contains { name in
            guard name.lowercased().hasSuffix(".csv"), let beginning = try? FileChunks.beginning(of: Folder.join(path, name))
            else { return false }
            return recognizes(beginning, name: name)
        }
    }

    /// The id, or else the name, of the device in Metadata.csv.
    func ownDevice(_ path: String) -> String? {
        guard let name = try? Self.metadataName(in: path), let table = try? output.table(Folder.join(path, name)) else {
            return nil
        }
        return SensorLoggerMetadata.device(table)
    }

    /// The plan for the folder or the file at `path`; other files are reported.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan {
        let files = try chosenFiles(path)
        let metadata = try metadata(besides: path)
        var surveyed: [Surveyed] = []
        for (path, file) in files {
            do throws(ImportProblem) {
                let survey = try SensorLoggerSurvey(
                    try output.countedTable(path), file: file, isStandardised: request.isStandardised, metadata: metadata)
                if let note = survey.note { output.note("\(path): \(note)") }
                surveyed.append(Surveyed(path: path, file: file, survey: survey))
            } catch {
                output.problem(error)
            }
        }
        // The clocks of phone and watch are moved by the same.
        let first = surveyed.map(\.survey.start).min() ?? 0
        let shift = request.start.map { Int64(($0 * 1e6).rounded()) - first } ?? 0
        var plan = ImportPlan()
        for (device, isWatch) in [(request.device, false), (request.watch, true)] {
            plan.add(try self.plan(surveyed.filter { $0.file.isWatch == isWatch }, device: device, shift: shift))
        }
        return plan
    }

    /// The boot of one clock. What the phone's motion sensors wrote is one source.
    private func plan(_ files: [Surveyed], device: String, shift: Int64) throws(ImportProblem) -> ImportPlan {
        let sensors = files.filter { $0.file.sensor != nil }
        let isJoined = [SensorLoggerFile.Sensor.acceleration, .rotation].allSatisfy { sensor in
            sensors.contains { $0.file.sensor == sensor }
        }
        let files = isJoined ? files : files.filter { $0.file.sensor == nil }
        guard let start = files.map(\.survey.start).min() else { return ImportPlan() }
        var hash = ContentHash()
        for file in files { try hash.add(file: file.path) }
        // A whole second, so that uptime and wall clock have the same decimals.
        let zero = (start / 1_000_000 - 1) * 1_000_000
        let boot = RecordedBoot(device: device, boot: hash.boot, epoch: zero + shift, start: start - zero)
        return ImportPlan(
            statuses: [boot.online(wrist: device == request.watch ? request.wrist : nil)],
            sources: files.filter { $0.file.sensor == nil || $0.file.sensor == .rotation }.map { file in
                var source = FrameSource.Plan(
                    file: file.path, stream: file.file.stream, boot: boot, start: file.survey.start - zero
                ) { report, onFault throws(ImportProblem) in
                    let readings = readings(of: file, report, onFault, epoch: zero, open: output.countedTable)
                    return file.file.sensor == .rotation ? joined(readings, sensors, device: device, epoch: zero) : readings
                }
                source.end = file.survey.end - zero
                return source
            })
    }

    /// The readings of the gyroscope with those of the phone's other sensors; alone where there is no accelerometer.
    private func joined(
        _ rotation: ReadingSequence, _ sensors: [Surveyed], device: String, epoch: Int64
    ) -> any Readings {
        let track = { (sensor: SensorLoggerFile.Sensor) in
            sensors.first { $0.file.sensor == sensor }.map { file in
                let report = FileReport(file: file.path, device: device, stream: file.file.stream)
                return SensorTrack(
                    readings(of: file, report, output.fault, epoch: epoch, open: output.table), onProblem: output.problem)
            }
        }
        guard let acceleration = track(.acceleration) else { return rotation }
        return JoinedReadings(rotation: rotation, acceleration: acceleration, magneticField: track(.magneticField))
    }

    private func readings(
        of file: Surveyed, _ report: FileReport, _ onFault: @escaping (ImportProblem) -> Void, epoch: Int64,
        open: @escaping (String) throws(ImportProblem) -> Table
    ) -> ReadingSequence {
        ReadingSequence(order: file.survey.order, report: report, onFault: onFault) { () throws(ImportProblem) in
            let table = try open(file.path)
            let reader = try table.readHeader { header throws(ImportProblem) in
                try SensorLoggerReader(header, file: file.file)
            }
            return (
                table,
                SensorLoggerReader(
                    reader, epoch: epoch, convention: file.survey.convention, kilopascals: file.survey.kilopascals)
            )
        }
    }

    private func chosenFiles(_ path: String) throws(ImportProblem) -> [(path: String, file: SensorLoggerFile)] {
        guard try Folder.isFolder(path) else {
            guard let file = SensorLoggerFile(name: Self.name(path)) else {
                throw ImportProblem(
                    "is no file of Sensor Logger that is read; give the folder or the zip of the export", file: path)
            }
            guard file.sensor == nil else {
                throw ImportProblem("holds one of the phone's sensors alone; give the folder of the export", file: path)
            }
            return [(path, file)]
        }
        var chosen: [(path: String, name: String, file: SensorLoggerFile)] = []
        var passedOver: [String] = []
        for name in try Self.names(path) {
            if let file = SensorLoggerFile(name: Self.name(name)), request.streams?.contains(file.stream) ?? true,
                !chosen.contains(where: { $0.file == file })
            {
                chosen.append((Folder.join(path, name), name, file))
            } else if Self.name(name).lowercased() != "metadata.csv" {
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
        guard let name = try Self.metadataName(in: path) else { return nil }
        return SensorLoggerMetadata.isStandardised(try output.table(Folder.join(path, name)))
    }

    private static func metadataName(in path: String) throws(ImportProblem) -> String? {
        guard try Folder.isFolder(path) else { return nil }
        return try names(path).first { name($0).lowercased() == "metadata.csv" }
    }

    /// The names in a folder, with those in files of JSON in it.
    private static func names(_ path: String) throws(ImportProblem) -> [String] {
        var names: [String] = []
        for name in try Folder.names(path) {
            let inner = name.lowercased().hasSuffix(".json") ? try FilePlace.names(in: Folder.join(path, name)) : nil
            names += inner.map { $0.map { Folder.join(name, $0) } } ?? [name]
        }
        return names
    }

    /// The last part of a path.
    private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
