/// Turns exports into a recording.
package struct Importer {
    private let request: ImportRequest
    private let note: (String) -> Void
    private let progress: (Double) -> Void

    /// An importer; `note` is called with each decision, each bad row and each file that cannot be read, `progress` with the
    /// fraction of the bytes that is done, from 0 to 1.
    package init(
        _ request: ImportRequest, note: @escaping (String) -> Void, progress: @escaping (Double) -> Void = { _ in }
    ) {
        self.request = request
        self.note = note
        self.progress = progress
    }

    /// Reads every path of the request and passes the recording to `output`, line by line with line feeds; false ends it.
    ///
    /// What cannot be read is reported and skipped. The same files give the same bytes.
    package func run(output: ([UInt8]) -> Bool) -> ImportReport {
        var report = ImportReport()
        let tally = Tally(note: note, progress: progress)
        let planned = plan(tally)
        tally.expected = planned.sources.reduce(0) { $0 + ((try? FileChunks.size(of: $1.file)) ?? 0) }
        let sources = planned.sources.map { FrameSource($0, onFault: tally.fault) }
        var merge = FrameMerge(statuses: planned.statuses, sources: sources, onProblem: tally.problem)
        while let line = merge.next() {
            report.lines += 1
            guard output(line.bytes) else { break }
        }
        report.files = sources.map(\.report)
        report.problems = tally.problems
        return report
    }

    private func plan(_ tally: Tally) -> ImportPlan {
        let output = ImportPlan.Output(note: note, problem: tally.problem, fault: tally.fault, onRead: tally.read)
        var plan = ImportPlan()
        for path in request.paths {
            do throws(ImportProblem) {
                plan.add(try request.format.reader.init(request: request, output: output).plan(path))
            } catch {
                tally.problem(error)
            }
        }
        return plan
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

    init(note: @escaping (String) -> Void, progress: @escaping (Double) -> Void) {
        self.note = note
        self.progress = progress
    }

    func problem(_ problem: ImportProblem) {
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
