import Foundation
import LocalBroker
import Testing

@Suite("Files that a command has not ended")
struct UnfinishedFileTests {
    @Test("A signal that ends a command leaves nothing of what it was writing, and the file that is there as it is")
    func signal() async throws {
        let directory = try TemporaryDirectory()
        let kept = try directory.write("kept", to: "kept.ndjson")
        let folder = directory.path("")
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }
        let simulation = try FathomProcess(["simulate", "--duration", "1e9", "--record", kept])
        try await eventually("it writes") {
            var status = stat()
            return try names().contains { $0 != "kept.ndjson" && stat("\(folder)/\($0)", &status) == 0 && status.st_size > 0 }
        }
        #expect(try await simulation.terminate().status == SIGTERM)
        #expect(try names() == ["kept.ndjson"])
        #expect(try String(contentsOfFile: kept, encoding: .utf8) == "kept")
    }
}
