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

    /// Whether there is a file of the app in the folder at `path`; where it is said to be an export, a name shows one, too.
    static func isExport(_ path: String, isSaid: Bool) -> Bool {
        ((try? Folder.names(path)) ?? []).contains { name in
            if isSaid, SensorLoggerFile(name: Self.name(name)) != nil { return true }
            guard [".csv", ".csv.gz"].contains(where: name.lowercased().hasSuffix),
                let beginning = try? FileChunks.beginning(of: Folder.join(path, name))
            else { return false }
            return recognizes(beginning, name: name)
        }
    }

    /// Whether the file at `path` is one of the app's, and read or passed over with the export that it stands in.
    static func isOwn(_ path: String) throws(ImportProblem) -> Bool {
        if try FilePlace(path).isSensor || SensorLoggerFile(name: name(path)) != nil || isMetadata(path) { return true }
        return recognizes(try FileChunks.beginning(of: path), name: path)
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
        let metadata = try Self.metadataName(in: path).map { name throws(ImportProblem) in
            SensorLoggerMetadata(try output.table(Folder.join(path, name)))
        }
        var surveyed: [Surveyed] = []
        for (path, file) in files {
            do throws(ImportProblem) {
                let survey = try SensorLoggerSurvey(
                    try output.countedTable(path), file: file, isStandardised: request.isStandardised,
                    metadata: metadata ?? SensorLoggerMetadata())
                if let note = survey.note { output.note("\(path): \(note)") }
                surveyed.append(Surveyed(path: path, file: file, survey: survey))
            } catch {
                output.problem(error)
            }
        }
        if let gravity = surveyed.first(where: { $0.file == .gravity }),
            let place = surveyed.firstIndex(where: { $0.file == .accelerometer })
        {
            surveyed[place].survey.convention = gravity.survey.convention
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
        let files = sensors.map(\.file).canBeJoined ? files : files.filter { $0.file.sensor == nil }
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
        return JoinedReadings(
            rotation: rotation, acceleration: [acceleration, track(.gravity)].compactMap(\.self),
            magneticField: track(.magneticField))
    }

    private func readings(
        of file: Surveyed, _ report: FileReport, _ onFault: @escaping (ImportProblem) -> Void, epoch: Int64,
        open: @escaping (String) throws(ImportProblem) -> Table
    ) -> ReadingSequence {
        ReadingSequence(order: file.survey.order, report: report, onFault: onFault) { () throws(ImportProblem) in
            let table = try open(file.path)
            var reader = try table.readHeader { header throws(ImportProblem) in
                try SensorLoggerReader(header, file: file.file)
            }
            reader.epoch = epoch
            reader.convention = file.survey.convention
            reader.kilopascals = file.survey.kilopascals
            return (table, reader)
        }
    }

    private func chosenFiles(_ path: String) throws(ImportProblem) -> [(path: String, file: SensorLoggerFile)] {
        guard try Folder.isFolder(path) else {
            let file = try file(at: path)
            guard file.sensor == nil else { throw ImportProblem("\([file].lackForJoin); give the folder", file: path) }
            return [(path, file)]
        }
        var chosen: [(path: String, name: String, file: SensorLoggerFile)] = []
        var passedOver: [String] = []
        let names = try Folder.names(path)
        // A file that has the app's name is preferred to one that has its columns.
        let isNamed = { (name: String) in SensorLoggerFile(name: Self.name(name)) != nil }
        for name in names.filter(isNamed) + names.filter({ !isNamed($0) }) {
            let inner = Folder.join(path, name)
            guard (try? Self.isOwn(inner)) ?? false, !Self.isMetadata(name) else { continue }
            guard let file = try? file(at: inner), request.streams?.contains(file.stream) ?? true else {
                passedOver.append(name)
                continue
            }
            if let other = chosen.first(where: { $0.file == file }) {
                output.problem(
                    ImportProblem("is a second \(file.rawValue).csv beside \(other.name): left out; import it alone", file: inner)
                )
            } else {
                chosen.append((inner, name, file))
            }
        }
        let files = chosen.map(\.file)
        let unused = chosen.filter { !files.uses($0.file) }
        chosen.removeAll { file in unused.contains { $0.file == file.file } }
        passedOver = (passedOver + unused.map(\.name)).sorted()
        if !passedOver.isEmpty { output.note("\(path): passed over \(passedOver.joined(separator: ", "))") }
        let lack = !files.canBeJoined && files.contains { $0.sensor != nil } ? files.lackForJoin : nil
        if chosen.isEmpty {
            throw ImportProblem("holds no file of Sensor Logger that is read\(lack.map { ": " + $0 } ?? "")", file: path)
        }
        if let lack { output.note("\(path): \(lack)") }
        return chosen.map { ($0.path, $0.file) }
    }

    /// Which file one is: by its name or, where it was renamed, by its columns.
    private func file(at path: String) throws(ImportProblem) -> SensorLoggerFile {
        if let file = SensorLoggerFile(name: Self.name(path)) { return file }
        let file = try output.table(path).readHeader { header throws(ImportProblem) in try SensorLoggerFile(header) }
        output.note("\(path): has the columns of \(file.rawValue).csv, and is read as that; another file needs the app's name")
        return file
    }

    private static func isMetadata(_ path: String) -> Bool { name(path).lowercased() == "metadata.csv" }

    private static func metadataName(in path: String) throws(ImportProblem) -> String? {
        guard try Folder.isFolder(path) else { return nil }
        return try Folder.names(path).first(where: isMetadata)
    }

    /// The last part of a path.
    private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
