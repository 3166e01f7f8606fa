/// Turns exports into a recording.
package struct Importer {
    /// The times that frames and recordings take, in unix seconds: 2001 to 2100.
    static let dates = 978_307_200.0...4_102_444_800

    private let request: ImportRequest
    private let note: (String) -> Void
    private let progress: (Double) -> Void
    private let askDevice: (String) -> String?

    /// An importer; `note` is called with each decision, each bad row and each file that cannot be read, `progress` with the
    /// fraction of the bytes that is done, from 0 to 1, and `askDevice` with a path whose device neither the request nor the file names.
    package init(
        _ request: ImportRequest, note: @escaping (String) -> Void, progress: @escaping (Double) -> Void = { _ in },
        askDevice: @escaping (String) -> String? = { _ in nil }
    ) {
        self.request = request
        self.note = note
        self.progress = progress
        self.askDevice = askDevice
    }

    /// Reads every path of the request and passes the recording to `output`, line by line with line feeds; false ends it.
    ///
    /// What cannot be read is reported and skipped. The same files give the same bytes.
    package func run(output: ([UInt8]) -> Bool) -> ImportReport {
        var report = ImportReport()
        let tally = Tally(note: note, progress: progress)
        // Each file is read to decide about it, and again to write it.
        tally.expected = request.paths.reduce(0) { $0 + 2 * Folder.size(of: $1) }
        let planned = plan(tally)
        let sources = planned.sources.map { FrameSource(ended($0), onFault: tally.fault) }
        var merge = FrameMerge(statuses: planned.statuses, sources: sources, onProblem: tally.problem)
        while let line = merge.next() {
            guard line.at <= Int64(Self.dates.upperBound * 1e6) else {
                tally.problem(ImportProblem("times after 2100 are no part of a recording, and are left out"))
                break
            }
            report.lines += 1
            guard output(line.bytes) else { break }
        }
        report.files = FileReport.joined(sources.map(\.report))
        report.problems = tally.problems
        return report
    }

    private func plan(_ tally: Tally) -> ImportPlan {
        let output = ImportPlan.Output(note: note, problem: tally.problem, fault: tally.fault, onRead: tally.read)
        var plan = ImportPlan()
        for path in request.paths {
            do throws(ImportProblem) {
                let search = try FormatChoice(format: request.format, isMapped: isMapped).exports(at: path)
                if !search.found.isEmpty, !search.passedOver.isEmpty {
                    note("\(path): passed over \(FormatChoice.listed(search.passedOver))")
                }
                search.problems.forEach(tally.problem)
                for export in search.found { add(export, to: &plan, output) }
            } catch {
                tally.problem(error)
            }
        }
        return plan
    }

    /// Whether columns were named, so that the content may be of no known export.
    private var isMapped: Bool { !request.diveColumns.isEmpty || !request.sensorColumns.isEmpty }

    private func add(_ export: FormatChoice.Export, to plan: inout ImportPlan, _ output: ImportPlan.Output) {
        var request = request
        request.format = export.format
        if !request.isDeviceGiven {
            let own = export.format.reader.init(request: request, output: output).ownDevice(export.path)
            if let device = own.flatMap(ImportRequest.device) ?? askDevice(export.path).flatMap(ImportRequest.device) {
                request.device = device
            } else {
                request.device = export.format.rawValue
                note("\(export.path): names no device, so it is \(request.device); say --device for another")
            }
        }
        do throws(ImportProblem) {
            let other = try export.format.reader.init(request: request, output: output).plan(export.path)
            for part in other.parts {
                if let problem = plan.overlap(with: part) { output.problem(problem) } else { plan.add(part) }
            }
        } catch {
            output.problem(error)
        }
    }

    /// The source with the end of the submersion after a log that ends just under the surface.
    private func ended(_ plan: FrameSource.Plan) -> FrameSource.Plan {
        guard plan.stream == .submersion, !request.isOpenEnd else { return plan }
        var ended = plan
        ended.open = { [note] report, onFault throws(ImportProblem) in
            SurfaceEnd(try plan.open(report, onFault), isOneDive: !plan.mayHoldDives, note: note)
        }
        return ended
    }
}

/// What is counted while an import runs.
private final class Tally {
    /// How many bad rows of a file are reported one by one; the summary counts the rest.
    private static let mostFaults = 5

    /// Bytes that are to be read.
    var expected = 0
    private(set) var problems = 0

    private let note: (String) -> Void
    private let progress: (Double) -> Void
    private var bytes = 0
    private var faults: [String: Int] = [:]
    private var reported: Set<String> = []

    init(note: @escaping (String) -> Void, progress: @escaping (Double) -> Void) {
        self.note = note
        self.progress = progress
    }

    /// Takes a problem; the same one again, as of a damaged file that is read twice, is none.
    func problem(_ problem: ImportProblem) {
        guard reported.insert("\(problem)").inserted else { return }
        problems += 1
        note("\(problem)")
    }

    func fault(_ fault: ImportProblem) {
        let reported = faults[fault.file ?? "", default: 0]
        faults[fault.file ?? ""] = reported + 1
        if reported < Self.mostFaults { note("\(fault)") }
        if reported == Self.mostFaults { note("\(fault.file ?? ""): more rows are dropped; the summary counts them") }
    }

    func read(_ count: Int) {
        bytes += count
        if expected > 0 { progress(min(1, Double(bytes) / Double(expected))) }
    }
}
