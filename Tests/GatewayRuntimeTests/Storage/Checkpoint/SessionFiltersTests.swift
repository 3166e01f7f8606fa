import Foundation
import GatewayPipeline
import LocalBroker
import Mosquitto
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("The record of a session's streams and filters")
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
        try record().store(["a/+/b", "c"], streams: [.headphoneMotion, .command])
        #expect(record().load() == ["a/+/b", "c"])
        #expect(record().record?.streams == [.headphoneMotion, .command])
        #expect(record("other").load() == nil)
        try record().store(["c"], streams: [])
        #expect(record().record == .init(session: "gw", streams: [], filters: ["c"]))
    }

    @Test("counts as missing when any of its bytes is another: what it names could not be unsubscribed")
    func damage() throws {
        try record().store(["wearables/+/in/status"], streams: [.status])
        let bytes = try Data(contentsOf: URL(filePath: path))
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x20
            try damaged.write(to: URL(filePath: path))
            #expect(record().record == nil, "byte \(index)")
        }
    }

    @Test("of another session has streams, and keeps its session when they change")
    func otherSession() throws {
        try record(username: "first").store(["a/b"], streams: [.submersion])
        let second = record(username: "second")
        #expect(second.load() == nil && second.record?.streams == [.submersion])
        try second.store(streams: [.status])
        #expect(record(username: "first").record == .init(session: "gw first", streams: [.status], filters: ["a/b"]))
    }
}
