import ArgumentParser
import GatewayPipeline
import GatewayRuntime
import Glibc
import TelemetryExport

/// `fathom export`: derived messages as CSV or line protocol, dives as UDDF.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write derived messages as CSV or as InfluxDB's line protocol, and dives as UDDF.",
        discussion: """
            Reads NDJSON as 'replay' prints it, or as a subscriber does:

            mosquitto_sub -t 'wearables/+/out/#' -F '{"at":%U,"topic":"%t","payload":%p}' | fathom export --format lineProtocol

            Line protocol and UDDF go to standard output. CSV needs --directory, for a file per kind, or one --kind, which goes to standard \
            output. An invalid line is reported on standard error and skipped; the exit status is then 1.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case csv, lineProtocol, uddf
        /// Refused, with the command that writes it.
        case parquet

        static var allValueStrings: [String] { allCases.filter { $0 != .parquet }.map(\.rawValue) }
    }

    @Option(help: ArgumentHelp("csv, lineProtocol or uddf.", valueName: "format"))
    var format: Format

    @Option(
        help: ArgumentHelp("Only the kinds with this first level, such as depth-state. May be repeated.", valueName: "kind"))
    var kind: [String] = []

    @Option(help: ArgumentHelp("CSV: the folder of the files, a file per kind; made if need be.", valueName: "folder"))
    var directory: String?

    @Flag(help: "CSV: add to files that are there.")
    var append = false

    @Flag(help: "CSV: an apostrophe in front of each text that a spreadsheet would read as a formula.")
    var spreadsheet = false

    @Argument(help: ArgumentHelp("Files; '-' is standard input, and the default.", valueName: "file"))
    var files: [String] = ["-"]

    func validate() throws {
        try Terminal.requireOneInput(files)
        for name in kind where !ExportTable.all.contains(where: { $0.name == name }) {
            let names = ExportTable.all.map(\.name).joined(separator: ", ")
            throw ValidationError("--kind '\(name)' is none of \(names)")
        }
        switch format {
        case .csv where directory == nil && kind.count != 1:
            throw ValidationError("--format csv needs --directory, or one --kind")
        case .parquet:
            throw ValidationError(
                "parquet is written by the Python package in Examples/python: "
                    + "fathom_frames.to_parquet(fathom_frames.read(\"FILE\"), \"FOLDER\")")
        case .uddf where !kind.isEmpty: throw ValidationError("--kind is not for --format uddf, which has dives")
        case .lineProtocol where directory != nil || append || spreadsheet,
            .uddf where directory != nil || append || spreadsheet:
            throw ValidationError("--directory, --append and --spreadsheet are for --format csv")
        default: break
        }
        if append, directory == nil { throw ValidationError("--append needs --directory") }
    }

    func run() throws {
        // Before anything is written: a name that is misspelled would leave the rows of the files before it.
        for file in files where file != "-" && access(file, R_OK) != 0 { throw Terminal.failure("\(GatewayError.system(file))") }
        let writer = CSVWriter(forSpreadsheets: spreadsheet)
        var output: any ExportOutput
        switch (format, directory) {
        case (.lineProtocol, _): output = LineProtocolOutput()
        case (.uddf, _), (.parquet, _): output = UDDFOutput()
        case (.csv, let directory?):
            let tables = ExportTable.all.filter { kind.isEmpty || kind.contains($0.name) }
            output = try Terminal.orExit { try CSVFolder(path: directory, writer, tables: tables, appends: append) }
        case (.csv, nil): output = CSVOutput(writer)
        }
        var badLines = 0
        func report(_ problem: String) {
            badLines += 1
            Terminal.error(problem)
        }
        do throws(GatewayError) {
            for file in files {
                var frames: (first: String, count: Int)?
                try RecordedMessage.read(file, onProblem: report) { message, place throws(GatewayError) in
                    switch Result(catching: { () throws(ExportRow.Problem) in try ExportRow.rows(message.message.payload) }) {
                    case .failure(let problem) where problem.isOfFrame:
                        badLines += 1
                        frames = (frames?.first ?? "\(place)", (frames?.count ?? 0) + 1)
                    case .failure(let problem): report("\(place): \(problem)")
                    case .success(let rows):
                        for row in rows where kind.isEmpty || kind.contains(row.table.name) {
                            if let problem = output.problem(of: row) {
                                report("\(place): \(problem)")
                            } else {
                                try output.write(row)
                            }
                        }
                    }
                }
                if let frames { Terminal.error(Self.report(frames, of: file)) }
            }
            try output.close()
        } catch {
            throw Terminal.failure("\(error)")
        }
        if badLines > 0 { throw ExitCode.failure }
    }

    /// What is said of the frames in a file, once for all.
    private static func report(_ frames: (first: String, count: Int), of file: String) -> String {
        let others = frames.count == 1 ? "" : " and \(frames.count - 1) more lines"
        let source = file == "-" ? "" : " \(file)"
        return
            "\(frames.first)\(others): frames of devices, not derived messages: 'fathom replay\(source) | fathom export …' derives them first"
    }
}
