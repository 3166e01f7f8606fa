import GatewayPipeline

/// The messages of a recording, in the order of the file; invalid lines are reported and skipped.
struct RecordingReader: ~Copyable {
    private var lines: LineReader
    private let splitter = JSONSplitter()
    private let onProblem: (String) -> Void
    /// The next message; nil at the end.
    private(set) var head: RecordedMessage?

    /// Opens the recording at `path`; `-` is standard input.
    init(path: String, onProblem: @escaping (String) -> Void) throws(GatewayError) {
        lines = try LineReader(path: path)
        self.onProblem = onProblem
        advance()
    }

    /// Returns the next message.
    mutating func next() -> RecordedMessage? {
        let message = head
        advance()
        return message
    }

    private mutating func advance() {
        head = nil
        while let line = lines.next() {
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            do throws(GatewayError) {
                head = try RecordedMessage(line: line[...], splitter: splitter)
                return
            } catch {
                onProblem("\(lines.name):\(lines.number): \(error)")
            }
        }
    }
}
