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
        #expect(record().record == nil && record().load() == nil)
        try record().store(["a/+/b", "c"])
        #expect(record().load() == ["a/+/b", "c"])
        #expect(record("other").load() == nil && record("gw", username: "other").load() == nil)
        try record().store(["c"])
        #expect(record().record == .init(session: "gw", filters: ["c"]))
    }

    @Test("names the lanes that read the session: those whose heartbeats it holds")
    func lanes() throws {
        try record().store(["fathom/g/heartbeat/safety", "fathom/g/heartbeat/bulk", "wearables/+/in/motion"])
        let lanes = GatewayConfiguration.Lanes.Name.allCases.filter { record().record?.isRead(by: $0) == true }
        #expect(lanes == [.safety, .bulk])
    }

    @Test("counts as missing when any of its bytes is another: what it names could not be unsubscribed")
    func damage() throws {
        try record().store(["wearables/+/in/status"])
        let bytes = try Data(contentsOf: URL(filePath: path))
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x20
            try damaged.write(to: URL(filePath: path))
            #expect(record().record == nil, "byte \(index)")
        }
    }
}
