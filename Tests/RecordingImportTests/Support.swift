import Foundation
import RecordingImport
import Testing

/// A folder of exports that goes away with the test.
final class Exports {
    let path: String

    init(_ files: [String: String] = [:]) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "fathom-import-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, text) in files { _ = try write(Data(text.utf8), to: name) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ data: Data, to name: String) throws -> String {
        try data.write(to: URL(filePath: path).appending(path: name))
        return "\(path)/\(name)"
    }
}

/// What an import gave.
struct Imported {
    var text: [UInt8] = []
    var notes: [String] = []
    var report = ImportReport()

    /// The lines as JSON objects.
    var lines: [[String: Any]] {
        text.split(separator: 0x0A).compactMap { (try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any] }
    }

    /// The payloads on a stream.
    func payloads(_ stream: String, device: String? = nil) -> [[String: Any]] {
        lines.filter { line in
            let topic = line["topic"] as? String ?? ""
            return topic.hasSuffix("/in/\(stream)") && (device.map { topic == "wearables/\($0)/in/\(stream)" } ?? true)
        }.compactMap { $0["payload"] as? [String: Any] }
    }

    /// The measurements of depth.
    var measurements: [[String: Any]] {
        payloads("submersion").flatMap { $0["measurements"] as? [[String: Any]] ?? [] }
    }

    /// A column of the samples of all frames on a stream, by its path.
    func column(_ stream: String, _ path: String..., device: String? = nil) -> [Double] {
        payloads(stream, device: device).flatMap { payload -> [Double] in
            var value: Any? = payload["samples"]
            for key in path { value = (value as? [String: Any])?[key] }
            return value as? [Double] ?? []
        }
    }

    func has(_ part: String) -> Bool { notes.contains { $0.contains(part) } }
}

extension Imported: CustomTestStringConvertible {
    var testDescription: String { "\(report.lines) lines; " + notes.joined(separator: "; ") }
}

/// Imports files, or the text of one; without a format it is found by the content.
func imported(
    _ format: ImportFormat?, _ paths: [String], device: String? = "d1", answer: String? = nil,
    _ change: (inout ImportRequest) throws -> Void = { _ in }
) throws -> Imported {
    var request = try ImportRequest(format: format, paths: paths, device: device)
    try change(&request)
    var result = Imported()
    var notes: [String] = []
    result.report = Importer(request, note: { notes.append($0) }, askDevice: { _ in answer }).run {
        result.text += $0
        return true
    }
    result.notes = notes
    return result
}

func imported(_ paths: [String]) throws -> Imported { try imported(nil, paths) }

func imported(
    _ format: ImportFormat, text: String, _ change: (inout ImportRequest) throws -> Void = { _ in }
) throws -> Imported {
    let exports = try Exports(["log.csv": text])
    return try imported(format, ["\(exports.path)/log.csv"], change)
}
