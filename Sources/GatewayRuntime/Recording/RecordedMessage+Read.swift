import GatewayPipeline

extension RecordedMessage {
    /// Passes every message of the file at `path`, `-` is standard input, to `take`, with its place `file:line`.
    ///
    /// Invalid lines are reported to `onProblem` and skipped. Throws when the file cannot be opened, and what `take` throws.
    package static func read(
        _ path: String, onProblem: (String) -> Void, _ take: (RecordedMessage, String) throws(GatewayError) -> Void
    ) throws(GatewayError) {
        var lines = try LineReader(path: path)
        let splitter = JSONSplitter()
        while let line = lines.next() {
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            let place = "\(lines.name):\(lines.number)"
            let message: RecordedMessage
            do throws(GatewayError) {
                message = try RecordedMessage(line: line[...], splitter: splitter)
            } catch {
                onProblem("\(place): \(error)")
                continue
            }
            try take(message, place)
        }
    }
}
