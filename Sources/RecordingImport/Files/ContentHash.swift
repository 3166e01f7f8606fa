/// FNV-1a over the content of files: a name for a recording, no protection.
struct ContentHash {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: [UInt8]) {
        var value = value
        bytes.withUnsafeBufferPointer { for byte in $0 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 } }
        self.value = value
    }

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
    var boot: String {
        let digits = String(value, radix: 16)
        return "import-" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}
