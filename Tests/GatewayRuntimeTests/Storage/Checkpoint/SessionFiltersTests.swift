import Foundation
import GatewayConfiguration
import LocalBroker
import Mosquitto
import Testing

@testable import GatewayRuntime

@Suite("The record of a session's filters")
struct SessionFiltersTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.path("motion.filters") }

    init() throws { folder = try TemporaryDirectory() }

    private func record(_ clientID: String = "gw", username: String? = nil) -> SessionFilters {
        var connection = MosquittoConfiguration(brokers: BrokerList(host: "127.0.0.1"), clientID: clientID)
        connection.username = username
        return SessionFilters("motion.filters", in: folder.url.path, of: connection)
    }

    @Test("is read back by the session that wrote it, and by no other")
    func roundTrip() throws {
        #expect(record().record == nil && record().present == nil)
        try record().store(["a/+/b", "c"], readBy: [.motion])
        #expect(record().present?.filters == ["a/+/b", "c"])
        #expect(record("other").present == nil && record("gw", username: "other").present == nil)
        try record().store(["c"], readBy: [.safety, .bulk])
        #expect(record("other").record == .init(session: "gw", lanes: [.safety, .bulk], filters: ["c"]))
        try record().store([], readBy: [])
        #expect(record().record == .init(session: "gw", lanes: [], filters: []))
    }

    @Test("counts as missing when any of its bytes is another: what it names could not be unsubscribed")
    func damage() throws {
        try record().store(["wearables/+/in/status"], readBy: [.motion])
        let bytes = try Data(contentsOf: URL(filePath: path))
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x20
            try damaged.write(to: URL(filePath: path))
            #expect(record().record == nil, "byte \(index)")
        }
    }
}
