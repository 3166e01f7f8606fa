import SignalProcessing
/// Plans the import of a folder that Sensor Logger exported, or of single files out of one.
struct SensorLoggerImport {
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

    /// The boot of one clock.
    private func plan(_ files: [Surveyed], device: String) throws(ImportProblem) -> ImportPlan {
        guard let start = files.map(\.survey.start).min() else { return ImportPlan() }
        var hash = ContentHash()
        for file in files { try hash.add(file: file.path) }
        // A whole second, so that uptime and wall clock have the same decimals.
        let epoch = (start / 1_000_000 - 1) * 1_000_000
        let boot = RecordedBoot(device: device, boot: hash.boot, epoch: epoch, start: start - epoch)
        return ImportPlan(
            statuses: [boot.online(wrist: device == request.watch ? request.wrist : nil)],
            sources: files.map { file in
                FrameSource.Plan(
                    file: file.path, stream: file.file.stream, boot: boot, start: file.survey.start - epoch,
                    open: { () throws(ImportProblem) in
                        let table = try output.countedTable(file.path)
                        let reader = try table.readHeader { header throws(ImportProblem) in
                            try SensorLoggerReader(header, file: file.file)
                        }
                        return (
                            table,
                            SensorLoggerReader(
                                reader, epoch: epoch, convention: file.survey.convention,
                                kilopascals: file.survey.kilopascals)
                        )
                    })
            })
    }

    private func chosenFiles(_ path: String) throws(ImportProblem) -> [(path: String, file: SensorLoggerFile)] {
        guard Folder.isFolder(path) else {
            _ = try FileChunks.size(of: path)
            let name = path.split(separator: "/").last.map(String.init) ?? path
            guard let file = SensorLoggerFile(name: name) else {
                throw ImportProblem("is no file of Sensor Logger that is read; give the folder of the export", file: path)
            }
            return [(path, file)]
        }
        var chosen: [(path: String, file: SensorLoggerFile)] = []
        var passedOver: [String] = []
        for name in try Folder.names(path) {
            if let file = SensorLoggerFile(name: name), request.streams?.contains(file.stream) ?? true,
                !chosen.contains(where: { $0.file == file })
            {
                chosen.append((Self.join(path, name), file))
            } else if name.lowercased() != "metadata.csv" {
                passedOver.append(name)
            }
        }
        if !passedOver.isEmpty { output.note("\(path): passed over \(passedOver.joined(separator: ", "))") }
        if chosen.isEmpty { throw ImportProblem("holds no file of Sensor Logger that is read", file: path) }
        return chosen
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
