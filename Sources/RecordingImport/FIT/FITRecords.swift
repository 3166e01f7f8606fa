import FITDecoding

/// The records of one FIT file in order of time.
///
/// They are sorted as far as a window reaches, which is longer than any disorder of a device; what comes later still is dropped.
final class FITRecords {
    /// A record and its time, in seconds since 1989-12-31.
    typealias Timed = (time: UInt32, record: FITRecord)

    private static let window = 1 << 16

    /// What was read and dropped.
    private(set) var report: FileReport

    private let content: FITContent
    private let chunks: FileChunks
    private let onFault: (ImportProblem) -> Void
    private var decoder = FITDecoder()
    private var place = -1
    /// Whether the decoder has the last piece, and whether everything of it was taken.
    private var (isFed, isAtEnd) = (false, false)
    private var waiting: [Timed] = []
    private var first = 0
    private var last: UInt32?

    init(_ content: FITContent, chunks: FileChunks, report: FileReport, onFault: @escaping (ImportProblem) -> Void) {
        (self.content, self.chunks, self.report, self.onFault) = (content, chunks, report, onFault)
    }

    /// The next record; nil at the end.
    func next() throws(ImportProblem) -> Timed? {
        while !isAtEnd, waiting.count - first < Self.window { try read() }
        guard first < waiting.count else { return nil }
        defer { first += 1 }
        last = waiting[first].time
        return waiting[first]
    }

    /// Counts a record that holds nothing for the stream.
    func countBlank() { report.blank += 1 }

    /// Counts a record of the instant of the one before.
    func countRepeated() { report.repeated += 1 }

    private func read() throws(ImportProblem) {
        while let item = decoder.next() {
            switch item {
            case .file:
                place += 1
                if place > content.place { return isAtEnd = true }
            case .message(let message):
                if place == content.place, message.number == FITNumber.record { return add(message) }
            // The survey has reported it.
            case .problem: break
            }
        }
        // The decoder has given all of the last piece.
        if isFed { return isAtEnd = true }
        let chunk = try chunks.next()
        isFed = chunk.isEmpty
        decoder.feed(chunk)
    }

    private func add(_ message: FITMessage) {
        report.rows += 1
        guard let time = message.timestamp else { return drop("without a time", at: message) }
        guard content.isPlausible(time) else { return drop("far from the other times", at: message) }
        guard time >= last ?? 0 else { return drop("back in time", at: message) }
        if first > Self.window {
            waiting.removeFirst(first)
            first = 0
        }
        var index = waiting.count
        while index > first, waiting[index - 1].time > time { index -= 1 }
        waiting.insert((time, FITRecord(message)), at: index)
    }

    private func drop(_ reason: String, at message: FITMessage) {
        report.dropped[reason, default: 0] += 1
        onFault(ImportProblem("byte \(message.offset): a record \(reason)", file: report.file))
    }
}
