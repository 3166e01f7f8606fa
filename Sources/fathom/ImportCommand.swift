import ArgumentParser
import GatewayPipeline
import GatewayRuntime
import Glibc
import RecordingImport
public import TelemetryModel

/// `fathom import`: exports of other apps into a recording.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract:
            "Turn exports of Sensor Logger, SensorLog, Apple Health, dive computers, sports watches or any IMU into a recording.",
        discussion: """
            The recording goes to standard output; what was decided about units and signs, and a summary, to standard error. \
            A row that cannot be read is reported and dropped; the exit status is then 1. The same files give the same recording.
            """)

    @Option(
        help: ArgumentHelp(
            "What wrote the files: sensor-logger (folders), sensorlog, dive, apple-health (export.xml), fit or csv (motion); found by the content if not given.",
            valueName: "format"))
    var format: ImportFormat?

    @Option(
        help: ArgumentHelp(
            "The device id, with -watch after it for a Sensor Logger watch; that of the files if not given.", valueName: "id"))
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Dive: what is in which column, as in 'time=unix_s,depth=Depth:ft'; the others are found by their names. "
                + "Csv: t, ax to az, gx to gz, mx to mz, as in 't=Time:ms,ax=-AccX:m/s2,gx=GyrX:deg/s'; a minus inverts. Fused "
                + "motion: qx to qw, ux to uz, gravx to gravz in place of ax to az.",
            valueName: "list"))
    var columns: String?

    @Option(help: ArgumentHelp("Dive, csv: the time from row to row, for a log without times.", valueName: "seconds"))
    var interval: Double?

    @Option(
        help: ArgumentHelp(
            "When the log began: second 0 of times since then, or the first row of dates, which are replaced.",
            valueName: "unix seconds"))
    var start: Double?

    // A value such as -05:00 is none of the options.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The zone of times that name none, such as Europe/Berlin or +02:00; UTC if not given.", valueName: "zone"))
    var zone: String?

    @Option(help: ArgumentHelp("Dates such as 3/4/2026: dmy (day first) or mdy (month first).", valueName: "order"))
    var dateOrder: DateOrder?

    @Option(
        help: ArgumentHelp(
            "Dive: the air pressure of a log with absolute pressure alone, such as 1013hPa, or lowest for that of the log.",
            valueName: "pressure"))
    var surfacePressure: String?

    @Flag(help: "Dive: add no end of the submersion to a log that ends just under the surface.")
    var openEnd = false

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

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The recording, which replaces one that is there once it is whole; standard output if not given.", valueName: "file"))
    var output = "-"

    @Flag(help: "Write no recording; say what is in the files, and what a gateway with --config would derive of it.")
    var check = false

    @OptionGroup var gateway: ConfigurationOptions

    @Argument(help: "Files and folders.")
    var paths: [String]

    func validate() throws {
        let request = try request()
        if interval != nil, request.namesTime {
            throw ValidationError("--interval is for a log without times, and --columns names a column of times")
        }
        if let interval, !(0.001...86400).contains(interval) {
            throw ValidationError("--interval must be a number of seconds from 0.001 to 86400")
        }
        if let start, !(1...RecordedMessage.recordable.upperBound).contains(start) {
            throw ValidationError("--start must be a unix time in seconds, between 1970 and 2100")
        }
        guard (0...1_000_000).contains(skip) else { throw ValidationError("--skip must be 0 or more") }
        if let format, format != .dive, format != .columns, columns != nil || interval != nil || skip != 0 {
            throw ValidationError("--columns, --interval and --skip are for --format dive and csv")
        }
        if format == .columns, columns == nil { throw ValidationError("--format csv needs --columns") }
        if readsOutput { throw ValidationError("--output is one of the files to be read, or in a folder that is") }
        if let format, format != .sensorLogger, standardised != nil {
            throw ValidationError("--standardised is for --format sensor-logger")
        }
        if !check, gateway.config != nil || !gateway.overrides.isEmpty {
            throw ValidationError("--config and --set are for --check")
        }
    }

    func run() throws {
        let request = try request()
        if check { return try ImportCheck(request, gateway).run() }
        let report: ImportReport
        do throws(GatewayError) {
            let file = try OutputFile(path: output, existing: .isReplaced)
            var (failure, isEmpty) = (GatewayError?.none, true)
            report = ImportScreen().run(request) { bytes in
                do throws(GatewayError) { try file.write(bytes) } catch { failure = error }
                isEmpty = false
                return failure == nil
            }
            if let failure { throw failure }
            // One that is there is whole: what could be read of some files does not take its place.
            if report.problems > 0, file.replaces {
                Terminal.error("\(output): not replaced, as not everything was read; another --output takes what was")
            } else if report.isClean || !isEmpty {
                try file.close()
            }
        } catch {
            throw Terminal.failure("\(error)")
        }
        if !report.isClean { throw ExitCode.failure }
    }

    /// Whether a file that the recording would replace is one of those to be read, or lies in one of the folders.
    private var readsOutput: Bool {
        guard output != "-", let file = OutputFile.resolved(output) else { return false }
        return paths.compactMap(OutputFile.resolved).contains { file == $0 || file.hasPrefix($0 == "/" ? $0 : "\($0)/") }
    }

    private func request() throws -> ImportRequest {
        do throws(ImportProblem) {
            var request = try ImportRequest(format: format, paths: paths, device: device)
            try request.name(columns: columns)
            request.streams = try streams.map(Self.streams)
            (request.interval, request.start, request.wrist) = (interval, start, wrist)
            (request.skippedRows, request.isStandardised, request.isOpenEnd) = (skip, standardised, openEnd)
            request.surfacePressure = try surfacePressure.map { text throws(ImportProblem) in try SurfacePressure(text) }
            request.times.dateOrder = dateOrder
            if let zone {
                request.times.zone = LocalZone(zone)
                guard request.times.zone != nil else {
                    throw ImportProblem("--zone must be a name of the zone database such as Europe/Berlin, UTC, or +02:00")
                }
            }
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

extension ImportRequest {
    /// Names the columns of a log; without a format they show it.
    fileprivate mutating func name(columns: String?) throws(ImportProblem) {
        guard let columns else { return }
        if format == nil { format = NamedColumn<SensorField>.names(any: columns) ? .columns : .dive }
        switch format {
        case .columns: sensorColumns = try NamedColumn.list(columns)
        case .dive: diveColumns = try DiveColumn.list(columns)
        default: break
        }
    }
}

extension ImportFormat: ExpressibleByArgument {}
extension Wrist: ExpressibleByArgument {}
extension DateOrder: ExpressibleByArgument {}

/// What an import shows on standard error, and asks.
struct ImportScreen {
    /// Imports; `output` takes each line of the recording, and ends it with false. `summary` has more to say of the result.
    func run(
        _ request: ImportRequest, summary: (ImportReport) -> [String] = { _ in [] }, output: ([UInt8]) -> Bool
    ) -> ImportReport {
        var line = ProgressLine()
        var asked: String?
        let importer = Importer(request, note: { line.note($0) }, progress: { line.show($0) }) { path in
            asked = asked ?? line.ask("\(path): the device id: ")
            return asked
        }
        let report = importer.run(output: output)
        for file in report.files { line.note(file.summary) }
        for text in summary(report) { line.note(text) }
        line.note(report.summary)
        return report
    }
}

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
        clear()
        Terminal.error(text)
    }

    /// The answer to a question; nil where nobody can be asked, or says nothing.
    func ask(_ question: String) -> String? {
        guard isShown, isatty(STDIN_FILENO) == 1 else { return nil }
        clear()
        write(question.escaped)
        return readLine().flatMap { $0.isEmpty ? nil : $0 }
    }

    private func clear() { if isShown { write("\r\u{1B}[K") } }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
