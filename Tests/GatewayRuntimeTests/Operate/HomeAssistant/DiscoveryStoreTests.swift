import Foundation
import HomeAssistant
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("What is announced to Home Assistant, on disk")
struct DiscoveryStoreTests {
    private let folder: TemporaryDirectory
    private let row = DiscoveryStore.Row(
        topic: "homeassistant/device/fathom_d1/config", device: DeviceID("d1"),
        announced: .init(kinds: ["depth-state", "connection/device"], model: "Watch6,18"))
    private let gateway = DiscoveryStore.Row(topic: "homeassistant/device/fathom-gateway_test/config")

    init() throws { folder = try TemporaryDirectory() }

    @Test("rows are there after it is opened again, replaced by their topic, and removed by it")
    func rows() throws {
        let path = folder.path("store.sqlite")
        do {
            let store = try DiscoveryStore(path: path)
            try store.save([row, gateway])
            var changed = row
            changed.announced = .init(kinds: ["dive"])
            try store.save([changed])
        }
        let store = try DiscoveryStore(path: path)
        #expect(try store.rows().map(\.topic) == [gateway.topic, row.topic])
        #expect(try store.rows().last?.announced == .init(kinds: ["dive"]))
        #expect(try store.rows().first == gateway)
        try store.remove([row.topic, "no/such/topic"])
        #expect(try store.rows() == [gateway])
    }

    @Test("without a file it keeps rows as long as it lives")
    func inMemory() throws {
        let store = try DiscoveryStore()
        try store.save([row])
        #expect(try store.rows() == [row])
        #expect(try DiscoveryStore().rows().isEmpty)
    }

    @Test("a file that is no database is moved aside, and so is one with another table")
    func damaged() throws {
        let directory = try StateDirectory(in: folder)
        #expect(!directory.hasDiscoveryStore)
        let file = "\(directory.path)/homeassistant.sqlite"
        try Data("nothing of ours".utf8).write(to: URL(filePath: file))
        #expect(directory.hasDiscoveryStore)
        try directory.discoveryStore().save([row])
        #expect(try String(contentsOfFile: file + ".damaged", encoding: .utf8) == "nothing of ours")
        #expect(try directory.discoveryStore().rows() == [row])
    }
}
