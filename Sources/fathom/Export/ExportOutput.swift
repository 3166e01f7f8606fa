import GatewayRuntime
import Glibc
import TelemetryExport

/// Where exported rows go.
protocol ExportOutput {
    /// Writes one row.
    mutating func write(_ row: ExportRow) throws(GatewayError)

    /// Writes what is buffered; nothing may be written afterwards.
    func close() throws(GatewayError)
}

extension ExportOutput {
    func close() throws(GatewayError) {}
}

/// Line protocol on standard output.
struct LineProtocolOutput: ExportOutput {
    func write(_ row: ExportRow) throws(GatewayError) {
        if let line = LineProtocolWriter.line(row) { try Terminal.write(line) }
    }
}

/// UDDF on standard output: of all rows the dives, and the temperatures of the water in them.
struct UDDFOutput: ExportOutput {
    private var writer = UDDFWriter()

    /// Writes the beginning of the document.
    init() throws(GatewayError) { try Terminal.write(UDDFWriter.header(version: GatewayVersion.current)) }

    mutating func write(_ row: ExportRow) throws(GatewayError) {
        if let text = writer.text(row) { try Terminal.write(text) }
    }

    func close() throws(GatewayError) { try Terminal.write(UDDFWriter.footer) }
}

/// CSV of one table on standard output.
struct CSVOutput: ExportOutput {
    private let writer: CSVWriter
    private var hasHeader = false

    init(_ writer: CSVWriter) { self.writer = writer }

    mutating func write(_ row: ExportRow) throws(GatewayError) {
        if !hasHeader { try Terminal.write(CSVWriter.header(of: row.table)) }
        hasHeader = true
        try Terminal.write(writer.line(row))
    }
}

extension Terminal {
    fileprivate static func write(_ text: String) throws(GatewayError) {
        guard write(Array(text.utf8)) else { throw GatewayError("standard output is closed") }
    }
}

/// CSV as a file per table in a folder.
struct CSVFolder: ExportOutput {
    private let path: String
    private let writer: CSVWriter
    private let appends: Bool
    private var files: [String: UnsafeMutablePointer<FILE>] = [:]

    /// Uses the folder at `path`, and makes it if need be; unless `appends`, its files must not be there yet.
    init(path: String, _ writer: CSVWriter, appends: Bool) throws(GatewayError) {
        self.path = path
        self.writer = writer
        self.appends = appends
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw Self.failure(path) }
    }

    mutating func write(_ row: ExportRow) throws(GatewayError) {
        let file = try file(of: row.table)
        guard fputs(writer.line(row), file) >= 0 else { throw Self.failure(path) }
    }

    func close() throws(GatewayError) {
        for (name, file) in files where fclose(file) != 0 { throw Self.failure("\(path)/\(name).csv") }
    }

    private mutating func file(of table: ExportTable) throws(GatewayError) -> UnsafeMutablePointer<FILE> {
        if let file = files[table.name] { return file }
        let name = "\(path)/\(table.name).csv"
        guard let file = fopen(name, appends ? "a" : "wx") else { throw Self.failure(name) }
        // A reader sees whole lines.
        setvbuf(file, nil, _IOLBF, 1 << 16)
        files[table.name] = file
        fseek(file, 0, SEEK_END)
        if ftell(file) == 0, fputs(CSVWriter.header(of: table), file) < 0 { throw Self.failure(name) }
        return file
    }

    private static func failure(_ path: String) -> GatewayError { GatewayError("\(path): \(String(cString: strerror(errno)))") }
}
