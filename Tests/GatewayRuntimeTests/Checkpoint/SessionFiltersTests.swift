import Foundation
import GatewayPipeline
import Mosquitto
import Testing

@testable import GatewayRuntime

@Suite("The record of a session's filters")
struct SessionFiltersTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "filters-\(UUID())").path

    private func record(_ clientID: String = "gw") -> SessionFilters {
        SessionFilters(path: path, of: MosquittoConfiguration(host: "127.0.0.1", clientID: clientID))
    }

    @Test("is read back by the session that wrote it, and by no other")
    func roundTrip() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(record().load() == nil)
        try record().store(["a/+/b", "c"])
        #expect(record().load() == ["a/+/b", "c"])
        #expect(record("other").load() == nil)
    }

    @Test("counts as missing when any of its bytes is another: what it names could not be unsubscribed")
    func damage() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try record().store(["wearables/+/in/status"])
        let bytes = try Data(contentsOf: URL(filePath: path))
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x20
            try damaged.write(to: URL(filePath: path))
            #expect(record().load() == nil, "byte \(index)")
        }
    }
}
