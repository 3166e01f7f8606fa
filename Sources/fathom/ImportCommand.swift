import ArgumentParser
import Glibc
import RecordingImport

/// `fathom import`: exports of other apps into a recording.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Turn exports of Sensor Logger, SensorLog, a dive computer or any IMU into a recording for 'replay'.",
        discussion: """
            The recording goes to standard output; what was decided about units and signs, and a summary, to standard error. \
            A row that cannot be read is reported and dropped; the exit status is then 1. The same files give the same recording.
            """)

    @Option(
        help: ArgumentHelp(
            "What wrote the files: sensor-logger (folders), sensorlog, dive or csv (raw motion).", valueName: "format"))
    var format: ImportFormat

    @Option(help: ArgumentHelp("The device id, with -watch after it for a Sensor Logger watch.", valueName: "id"))
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Dive: what is in which column, as in 'time=unix_s,depth=Depth:ft'. By their names if not given. "
                + "Csv: t, ax to az, gx to gz, mx to mz, as in 't=Time:ms,ax=-AccX:m/s2,gx=GyrX:deg/s'; a minus inverts.",
            valueName: "list"))
    var columns: String?

    @Option(help: ArgumentHelp("Dive, csv: the time from row to row, for a log without times.", valueName: "seconds"))
    var interval: Double?

    @Option(help: ArgumentHelp("Dive, csv: when a log without dates began.", valueName: "unix seconds"))
    var start: Double?

    @Option(help: ArgumentHelp("Dive, csv: how many rows after the header are no samples.", valueName: "rows"))
    var skip = 0

    @Option(help: ArgumentHelp("The wrist of the watch, for strokes: left or right.", valueName: "side"))
    var wrist: Wrist?

    @Option(
        help: ArgumentHelp(
            "Sensor Logger: whether 'Standardise Units & Frames' was on, true or false; measured if not given.",
            valueName: "bool"))
    var standardised: Bool?

    @Option(
        help: ArgumentHelp(
            "Streams to write, separated by commas; all if not given. Csv: device-motion, or headphone-motion.", valueName: "list"
        ))
    var streams: String?

    @Option(name: .shortAndLong, help: ArgumentHelp("The recording; standard output if not given.", valueName: "file"))
    var output = "-"

    @Argument(help: ArgumentHelp("Files or, for sensor-logger, folders.", valueName: "path"))
    var paths: [String]

    func validate() throws {
        _ = try request()
        if let interval, !(0.001...86400).contains(interval) {
            throw ValidationError("--interval must be a number of seconds from 0.001 to 86400")
        }
        if let start, !(1...1e11).contains(start) { throw ValidationError("--start must be a unix time in seconds") }
        guard (0...1_000_000).contains(skip) else { throw ValidationError("--skip must be 0 or more") }
        if format != .dive, format != .columns, columns != nil || interval != nil || start != nil || skip != 0 {
            throw ValidationError("--columns, --interval, --start and --skip are for --format dive and csv")
        }
        if format == .columns, columns == nil { throw ValidationError("--format csv needs --columns") }
        if paths.contains(output) { throw ValidationError("--output is one of the files to be read") }
        if format != .sensorLogger, standardised != nil {
            throw ValidationError("--standardised is for --format sensor-logger")
        }
    }

    func run() throws {
        guard let file = output == "-" ? fdopen(dup(STDOUT_FILENO), "w") : fopen(output, "w") else { throw failure() }
        var hasFailed = false
        var line = ProgressLine()
        let importer = Importer(try request(), note: { line.note($0) }, progress: { line.show($0) })
        let report = importer.run { bytes in
            hasFailed = fwrite(bytes, 1, bytes.count, file) != bytes.count
            return !hasFailed
        }
        hasFailed = fclose(file) != 0 || hasFailed
        if hasFailed { throw failure() }
        for file in report.files { line.note(file.summary) }
        line.note(report.summary)
        if !report.isClean { throw ExitCode.failure }
    }

    private func failure() -> ExitCode {
        Terminal.error("\(output == "-" ? "standard output" : output): \(String(cString: strerror(errno)))")
        return .failure
    }

    private func request() throws -> ImportRequest {
        do throws(ImportProblem) {
            var request = try ImportRequest(format: format, paths: paths, device: device)
            if let columns, format == .dive { request.diveColumns = try DiveColumn.list(columns) }
            if let columns, format == .columns { request.sensorColumns = try NamedColumn.list(columns) }
            request.streams = try streams.map(Self.streams)
            (request.interval, request.start, request.wrist) = (interval, start, wrist)
            (request.skippedRows, request.isStandardised) = (skip, standardised)
            return request
        } catch {
            throw ValidationError("\(error)")
        }
    }

    private static func streams(_ list: String) throws(ImportProblem) -> Set<ImportStream> {
        var streams: Set<ImportStream> = []
        for name in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let stream = ImportStream(rawValue: String(name)) else {
                let known = ImportStream.allCases.map(\.rawValue).joined(separator: ", ")
                throw ImportProblem("\"\(name)\" is no stream, expected some of \(known)")
            }
            streams.insert(stream)
        }
        return streams
    }
}

extension ImportFormat: ExpressibleByArgument {}
extension Wrist: ExpressibleByArgument {}

/// The line on standard error that shows how far an import is, where that is a terminal.
private struct ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1
    private var percent = 0

    mutating func show(_ done: Double) {
        let now = Int(done * 100)
        guard isShown, now != percent else { return }
        percent = now
        write("\r\(percent) %")
    }

    /// Clears the line for a message of its own.
    func note(_ text: String) {
        if isShown { write("\r\u{1B}[K") }
        Terminal.error(text)
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
