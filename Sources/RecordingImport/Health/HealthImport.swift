/// Plans the import of `export.xml` of Apple Health. Each source of it is a device.
struct HealthImport: FileImport {
    /// The device time of the first whole second, in microseconds: no device sends at 0.
    private static let lead: Int64 = 1_000_000

    let request: ImportRequest
    let output: ImportPlan.Output

    /// Whether a file with these first bytes is such an export.
    static func recognizes(_ beginning: [UInt8], name: String) -> Bool { XMLRoot.name(of: beginning) == "HealthData" }

    /// The plan for the file at `path`.
    func plan(_ path: String) throws(ImportProblem) -> ImportPlan {
        let known = HealthDevice.streams
        guard request.streams.map({ !$0.isDisjoint(with: known) }) ?? true else {
            throw ImportProblem("only \(known.map(\.rawValue).joined(separator: ", ")) are read from Apple Health", file: path)
        }
        let chunks = try output.chunks(path)
        let scanner = XMLScanner(file: path, filter: HealthRecord.filter) { () throws(ImportProblem) in try chunks.next() }
        var health = HealthCollector(file: path, request: request, onFault: output.fault)
        var problem: ImportProblem?
        do throws(ImportProblem) {
            while let event = try scanner.next() { try health.take(event) }
        } catch {
            problem = error
        }
        health.spool.finish()
        if let note = scanner.note { output.note("\(path): \(note)") }
        guard health.devices.contains(where: { $0.spans.contains { $0 != nil } }) else {
            throw problem ?? ImportProblem("holds no depth, water temperature, step, distance or workout", file: path)
        }
        if let problem { output.problem(problem) }
        if request.start != nil { output.note("\(path): each record has a date of its own: --start is not used") }
        if health.beyond > 0 { output.note("\(path): \(health.beyond) records of more than 256 sources are left out") }
        return plan(health, path)
    }

    private func plan(_ health: HealthCollector, _ path: String) -> ImportPlan {
        var plan = ImportPlan()
        for (place, device) in health.devices.enumerated() {
            output.note("\(path): \(ImportProblem.quoted(health.sources[place])) is the device \(device.id)")
            guard let first = device.spans.compactMap({ $0?.lowerBound }).min() else { continue }
            let epoch = first / 1_000_000 * 1_000_000 - Self.lead
            let boot = RecordedBoot(device: device.id, boot: device.hash.boot, epoch: epoch, start: first - epoch)
            plan.statuses.append(boot.online(wrist: request.wrist))
            for (stream, span) in device.spans.enumerated() {
                guard let span else {
                    if device.reports[stream].rows > 0 {
                        output.problem(
                            ImportProblem(
                                "no record of \(device.reports[stream].stream.rawValue) of \(device.id) can be read", file: path))
                    }
                    continue
                }
                let series = UInt32(place * HealthDevice.streams.count + stream)
                var source = FrameSource.Plan(
                    file: path, stream: HealthDevice.streams[stream], boot: boot, start: span.lowerBound - epoch
                ) { _, _ in
                    let readings = HealthReadings(
                        device, stream: stream, samples: health.spool.samples(of: series), activities: health.activities,
                        epoch: epoch)
                    return HealthDevice.streams[stream] == .submersion ? HealthDives(readings) : readings
                }
                source.end = span.upperBound - epoch
                plan.sources.append(source)
            }
        }
        return plan
    }
}
