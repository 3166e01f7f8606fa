import GatewayRuntime
import Glibc
import TelemetryExport

/// Where exported rows go.
protocol ExportOutput {
    /// Writes one row.
    mutating func write(_ row: ExportRow) throws(GatewayError)

    /// Why a row cannot be written; nil for one that can.
    func problem(of row: ExportRow) -> ExportRow.Problem?

    /// Writes what is buffered; nothing may be written afterwards.
    func close() throws(GatewayError)
}

extension ExportOutput {
    func problem(of row: ExportRow) -> ExportRow.Problem? { nil }
    func close() throws(GatewayError) {}
}

/// Line protocol on standard output.
struct LineProtocolOutput: ExportOutput {
    func write(_ row: ExportRow) throws(GatewayError) {
        if let line = LineProtocolWriter.line(row) { Terminal.output(line) }
    }
}

/// UDDF on standard output: of all rows the dives, and the temperatures of the water in them.
struct UDDFOutput: ExportOutput {
    private var writer = UDDFWriter()

    /// Writes the beginning of the document.
    init() { Terminal.output(UDDFWriter.header(version: GatewayVersion.current)) }

    mutating func write(_ row: ExportRow) throws(GatewayError) {
        if let text = writer.text(row) { Terminal.output(text) }
    }

    func problem(of row: ExportRow) -> ExportRow.Problem? { UDDFWriter.problem(of: row) }

    func close() { Terminal.output(UDDFWriter.footer) }
}

/// CSV of one table on standard output.
struct CSVOutput: ExportOutput {
    private let writer: CSVWriter
    private var hasHeader = false

    init(_ writer: CSVWriter) { self.writer = writer }

    mutating func write(_ row: ExportRow) throws(GatewayError) {
        if !hasHeader { Terminal.output(CSVWriter.header(of: row.table)) }
        hasHeader = true
        Terminal.output(writer.line(row))
    }
}

/// CSV as a file per table in a folder.
struct CSVFolder: ExportOutput {
    private let path: String
    private let writer: CSVWriter
    private let appends: Bool
    private var files: [String: UnsafeMutablePointer<FILE>] = [:]

    /// Uses the folder at `path`, and makes it if need be; unless `appends`, no file of `tables` may be there yet. What cannot be
    /// written is refused before the first row: files of other tables would have a part of the rows.
    init(path: String, _ writer: CSVWriter, tables: [ExportTable], appends: Bool) throws(GatewayError) {
        self.path = path
        self.writer = writer
        self.appends = appends
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .system(path) }
        for table in tables where access(name(of: table), F_OK) == 0 {
            guard appends else {
                throw GatewayError("\(name(of: table)): File exists: name another folder, or say --append to add to its files")
            }
            _ = try file(of: table)
        }
    }

    mutating func write(_ row: ExportRow) throws(GatewayError) {
        let file = try file(of: row.table)
        guard fputs(writer.line(row), file) >= 0 else { throw .system(path) }
    }

    func close() throws(GatewayError) {
        for (name, file) in files where fclose(file) != 0 { throw .system("\(path)/\(name).csv") }
    }

    private mutating func file(of table: ExportTable) throws(GatewayError) -> UnsafeMutablePointer<FILE> {
        if let file = files[table.name] { return file }
        let name = name(of: table)
        guard let file = fopen(name, appends ? "a+" : "wx") else { throw .system(name) }
        // A reader sees whole lines.
        setvbuf(file, nil, _IOLBF, 1 << 16)
        files[table.name] = file
        fseek(file, 0, SEEK_END)
        if ftell(file) == 0 {
            guard fputs(CSVWriter.header(of: table), file) >= 0 else { throw .system(name) }
        } else {
            try Self.requireSame(CSVWriter.header(of: table), in: file, name)
        }
        return file
    }

    private func name(of table: ExportTable) -> String { "\(path)/\(table.name).csv" }

    /// Throws unless rows can be added to a file: under other columns they would be read as what they are not.
    private static func requireSame(_ header: String, in file: UnsafeMutablePointer<FILE>, _ name: String) throws(GatewayError) {
        var first = [CChar](repeating: 0, count: header.utf8.count + 1)
        fseek(file, 0, SEEK_SET)
        guard fgets(&first, Int32(first.count), file) != nil, strcmp(first, header) == 0 else {
            throw GatewayError("\(name): has other columns, as of another version: name another folder, or move the file away")
        }
        fseek(file, -1, SEEK_END)
        guard getc(file) == 0x0A else {
            throw GatewayError("\(name): its last line is cut off: remove what is behind the last line feed")
        }
        fseek(file, 0, SEEK_END)
    }
}
