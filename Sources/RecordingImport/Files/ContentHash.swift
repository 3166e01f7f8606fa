import TelemetryModel

/// A hash of the content of files: a name for a recording.
struct ContentHash {
    private var hash = FNV1a64()

    mutating func add(_ bytes: [UInt8]) { hash.add(bytes.span) }

    /// Adds all of a file.
    mutating func add(file path: String) throws(ImportProblem) {
        let chunks = try FileChunks(path: path)
        while true {
            let chunk = try chunks.next()
            guard !chunk.isEmpty else { return }
            add(chunk)
        }
    }

    /// The boot id of a recording with this content: the same export is the same boot, so a second import repeats its frames.
    var boot: String { "import-" + hash.digits }
}
