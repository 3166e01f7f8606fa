/// The result of one file.
package struct FileReport: Sendable, Equatable {
    /// The file.
    package var file: String
    /// The device it was written for.
    package var device: String
    /// The stream it was written to.
    package var stream: ImportStream
    /// Rows after the header, without blank lines and comments.
    package var rows = 0
    /// Samples written.
    package var samples = 0
    /// Frames written.
    package var frames = 0
    /// Seconds from the first sample to the last.
    package var seconds = 0.0
    /// Rows that hold nothing for this stream, as is normal.
    package var blank = 0
    /// Rows that repeat the sample before, as is normal.
    package var repeated = 0
    /// Whether the last row was cut short, as is normal.
    package var isCutShort = false
    /// Rows that were dropped because something is wrong with them, by what that is.
    package var dropped: [String: Int] = [:]

    /// How many rows were dropped because something is wrong with them.
    package var bad: Int { dropped.values.reduce(0, +) }

    /// One line of text.
    package var summary: String {
        var parts = [
            "\(file): \(rows) rows, \(samples) samples in \(frames) frames of \(device)/\(stream.rawValue), "
                + "\(Self.text(seconds)) s"
        ]
        if blank > 0 { parts.append("\(blank) rows without a sample") }
        if repeated > 0 { parts.append("\(repeated) repeated") }
        if isCutShort { parts.append("the last row is cut short") }
        if bad > 0 {
            let reasons = dropped.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }
            parts.append("\(bad) dropped: \(reasons.joined(separator: ", "))")
        }
        return parts.joined(separator: "; ")
    }

    static func text(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }
}

/// The result of an import.
package struct ImportReport: Sendable, Equatable {
    /// One for each file that was read, in the order of the request.
    package var files: [FileReport] = []
    /// Lines written, each device's `status` included.
    package var lines = 0
    /// Files and folders that could not be read, or not to the end.
    package var problems = 0

    /// Nothing yet.
    package init() {}

    /// Whether everything was read and no row was bad.
    package var isClean: Bool { problems == 0 && files.allSatisfy { $0.bad == 0 } }

    /// One line of text.
    package var summary: String {
        let bad = files.map(\.bad).reduce(0, +)
        let seconds = files.map(\.seconds).max() ?? 0
        return "\(lines) messages, \(files.map(\.samples).reduce(0, +)) samples, \(FileReport.text(seconds)) s at the longest; "
            + "\(bad) rows dropped, \(problems) files not read"
    }
}
