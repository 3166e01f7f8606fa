import FITDecoding
import RecordingImport

/// Targets whose input is the content of a file of bytes that is imported.
enum ImportTargets {
    /// A FIT file, or several behind each other; the first byte says in what pieces it is decoded.
    static func fit(_ input: [UInt8]) {
        var input = FuzzInput(input)
        let length = 1 + input.index(below: 64)
        let bytes = input.remainder()
        let whole = decoded(bytes, pieces: max(1, bytes.count))
        require(whole == decoded(bytes, pieces: length), "pieces of \(length) bytes are decoded to something else")
        require(whole.messages <= bytes.count, "\(whole.messages) messages in \(bytes.count) bytes")
        imported(.fit, FuzzFiles.temporary("activity.fit", bytes))
    }

    /// A zip, a tar, a gz, or JSON; the first byte says of what format the files in it are.
    static func archive(_ input: [UInt8]) {
        var input = FuzzInput(input)
        let formats: [ImportFormat] = [.dive, .sensorLogger, .fit]
        let format = formats[input.index(below: formats.count)]
        imported(format, FuzzFiles.temporary("export.zip", input.remainder()))
    }

    private static func imported(_ format: ImportFormat, _ path: String) {
        guard let request = try? ImportRequest(format: format, paths: [path]) else { fatalError("the request is valid") }
        var bytes = 0
        let report = Importer(request, note: { require(!$0.isEmpty, "a note has no text") }).run { line in
            bytes += line.count
            return bytes < 1 << 24
        }
        require(bytes < 1 << 24, "\(bytes) bytes are written")
        require(report.lines > 0 || !report.isClean, "nothing is written of a file that is clean")
    }

    private struct Decoded: Equatable {
        var files = 0
        var messages = 0
        var sum = 0.0
        var problems: [FITProblem] = []
    }

    private static func decoded(_ bytes: [UInt8], pieces: Int) -> Decoded {
        var decoder = FITDecoder()
        var result = Decoded()
        var start = 0
        while true {
            let end = min(bytes.count, start + pieces)
            decoder.feed(Array(bytes[start..<end]))
            while let item = decoder.next() {
                switch item {
                case .file: result.files += 1
                case .message(let message):
                    result.messages += 1
                    let record = FITRecord(message)
                    // Whatever the fields are, a time and a sum of them is the same.
                    let values = [record.depth, record.altitude, record.speed, message.timestamp.map(Double.init)]
                    result.sum += values.reduce(0) { $0 + max(-1e12, min(1e12, $1 ?? 0)) }
                case .problem(let problem): result.problems.append(problem)
                }
            }
            if start == end { return result }
            start = end
        }
    }
}
