import Foundation
import GatewayTestSupport
import Testing

/// The files of the contract.
enum Contract {
    /// Whether files that are generated are to be written rather than compared.
    static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_REFERENCE"] == "1"

    /// The schemas.
    static func schemas() throws -> ContractSchemas { try ContractSchemas.shared.get() }

    /// The text of a file below `docs/contract`.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: ContractSchemas.folder.appending(path: path), encoding: .utf8)
    }

    /// The paths of the JSON files below a folder of `docs/contract`, sorted.
    static func files(_ folder: String) throws -> [String] {
        let path = ContractSchemas.folder.appending(path: folder).path
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(".json") }.sorted().map { "\(folder)/\($0)" }
    }

    /// Writes a file below `docs/contract`.
    static func write(_ text: String, to path: String) throws {
        let file = ContractSchemas.folder.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    /// Compares a generated file with `expected`, or writes it where files are updated.
    static func expect(_ path: String, is expected: String, _ location: SourceLocation = #_sourceLocation) throws {
        if isUpdating { return try write(expected, to: path) }
        #expect(try text(path) == expected, "\(path) is not current; `make contract` writes it", sourceLocation: location)
    }
}
