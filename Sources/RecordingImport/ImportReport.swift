internal import Foundation

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
    /// The first sample, in unix seconds; nil where the export has no date.
    package var first: Double?
    /// The last sample, in unix seconds; nil where the export has no date.
    package var last: Double?
    /// The usual seconds from sample to sample; nil where there are too few, and for steps.
    package var interval: Double?
    /// The greatest holes of more than twice the interval, the greatest first.
    package var holes: [Hole] = []
    /// How many such holes there are.
    package var holeCount = 0
    /// The greatest depth in metres; nil without one.
    package var deepest: Double?
    /// Rows that hold nothing for this stream, as is normal.
    package var blank = 0
    /// Rows that repeat the sample before, as is normal.
    package var repeated = 0
    /// Rows that stand after a later one, and were sorted.
    package var outOfOrder = 0
    /// Whether the last row was cut short, as is normal.
    package var isCutShort = false
    /// Rows that were dropped because something is wrong with them, by what that is.
    package var dropped: [String: Int] = [:]
    /// Cells that were left out of rows that were read, by what is wrong with them.
    package var cells: [String: Int] = [:]

    /// Time without samples.
    package struct Hole: Sendable, Equatable {
        /// The sample before it, in unix seconds; nil where the export has no date.
        package var at: Double?
        /// The same in seconds after the first sample.
        package var after: Double
        /// Its length.
        package var seconds: Double
    }

    /// How many rows were dropped because something is wrong with them.
    package var bad: Int { dropped.values.reduce(0, +) }
    /// How many cells were left out because something is wrong with them.
    package var badCells: Int { cells.values.reduce(0, +) }

    /// One line of text.
    package var summary: String {
        var parts = [
            "\(file): \(rows) rows, \(samples) samples in \(frames) frames of \(device)/\(stream.rawValue), "
                + "\(Self.text(seconds)) s"
        ]
        if let first, let last { parts.append("\(Self.date(first)) to \(Self.date(last))") }
        if let deepest { parts.append("deepest \((deepest * 100).rounded() / 100) m") }
        if blank > 0 { parts.append("\(blank) rows without a sample") }
        if repeated > 0 { parts.append("\(repeated) repeated") }
        if outOfOrder > 0 { parts.append("\(outOfOrder) out of order, sorted") }
        if isCutShort { parts.append("the last row is cut short") }
        if bad > 0 { parts.append("\(bad) dropped: \(Self.listed(dropped))") }
        if badCells > 0 { parts.append("\(badCells) cells left out: \(Self.listed(cells))") }
        if holeCount > 0, let interval {
            let listed = holes.map { hole in
                "\(Self.text(hole.seconds)) s from \(hole.at.map(Self.date) ?? "second \(Self.text(hole.after))")"
            }
            parts.append(
                "\(holeCount) holes of more than twice the interval of \(Self.text(interval)) s: "
                    + listed.joined(separator: ", ") + (holeCount > holes.count ? ", ..." : ""))
        }
        return parts.joined(separator: "; ")
    }

    private static func listed(_ reasons: [String: Int]) -> String {
        reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    /// A point in time in UTC, to the second.
    static func date(_ seconds: Double) -> String { Date(timeIntervalSince1970: seconds.rounded(.down)).ISO8601Format() }

    /// Seconds with one decimal, and less than a second with three.
    static func text(_ seconds: Double) -> String {
        let scale = seconds < 1 ? 1000.0 : 10
        return "\((seconds * scale).rounded() / scale)"
    }

    /// The reports with those of one file, device and stream, such as of the dives in a log, as one.
    static func joined(_ reports: [FileReport]) -> [FileReport] {
        var joined: [FileReport] = []
        var places: [String: Int] = [:]
        for report in reports {
            let key = "\(report.device)/\(report.stream.rawValue) \(report.file)"
            guard let place = places[key] else {
                places[key] = joined.count
                joined.append(report)
                continue
            }
            joined[place].add(report)
        }
        return joined
    }

    private mutating func add(_ other: FileReport) {
        rows += other.rows
        samples += other.samples
        frames += other.frames
        seconds += other.seconds
        blank += other.blank
        repeated += other.repeated
        first = [first, other.first].compactMap(\.self).min()
        last = [last, other.last].compactMap(\.self).max()
        interval = interval ?? other.interval
        holes = Array((holes + other.holes).sorted { $0.seconds > $1.seconds }.prefix(max(holes.count, other.holes.count)))
        holeCount += other.holeCount
        deepest = [deepest, other.deepest].compactMap(\.self).max()
        outOfOrder += other.outOfOrder
        isCutShort = isCutShort || other.isCutShort
        dropped.merge(other.dropped, uniquingKeysWith: +)
        cells.merge(other.cells, uniquingKeysWith: +)
    }
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
    package var isClean: Bool { problems == 0 && files.allSatisfy { $0.bad == 0 && $0.badCells == 0 } }

    /// One line of text.
    package var summary: String {
        let bad = files.map(\.bad).reduce(0, +)
        let seconds = files.map(\.seconds).max() ?? 0
        return "\(lines) messages, \(files.map(\.samples).reduce(0, +)) samples, \(FileReport.text(seconds)) s at the longest; "
            + "\(bad) rows dropped, \(problems) files not read"
    }
}
