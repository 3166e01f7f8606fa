import Foundation
import GatewayConfiguration
import GatewayPipeline
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

    @Test("a device whose removal the broker has not accepted is not announced by a later start, which clears its topic again")
    func removal() throws {
        let other = DiscoveryStore.Row(
            topic: "homeassistant/device/fathom_d2/config", device: DeviceID("d2"), announced: .init(kinds: ["dive"]))
        let directory = try StateDirectory(in: folder)
        try directory.discoveryStore().save([row, other, gateway])
        var configuration = GatewayConfiguration()
        configuration.gateway.name = "test"
        configuration.homeAssistant.discovery = true
        func start() throws -> Discovery {
            try #require(
                try Discovery(
                    configuration, PipelineSettings(configuration), policy: AccessPolicy(unknown: .everything),
                    directory: directory))
        }
        /// The devices that a start announces.
        func announced(_ discovery: Discovery) -> [String] {
            discovery.announceAll()
            return discovery.takeChanges().0.map(\.device.rawValue)
        }
        do {
            let before = try start()
            #expect(announced(before) == ["d1", "d2"])
            #expect(try before.unwantedTopics().isEmpty)
            try before.store.noteRemoval(of: [row.topic])
        }
        let after = try start()
        #expect(announced(after) == ["d2"])
        #expect(try after.unwantedTopics() == [row.topic])
        // A device that comes back is announced as before.
        try after.store.save([row])
        #expect(try after.unwantedTopics().isEmpty)
    }

    @Test("entities that are removed are removed by a later start too: the broker may not have accepted that before a kill")
    func removedKinds() throws {
        let directory = try StateDirectory(in: folder)
        var changed = row
        changed.announced = .init(kinds: ["connection/device"], removedKinds: ["depth-state", "dive"], model: "Watch6,18")
        try directory.discoveryStore().save([changed])
        #expect(try directory.discoveryStore().rows() == [changed])
        var configuration = GatewayConfiguration()
        configuration.gateway.name = "test"
        configuration.homeAssistant.discovery = true
        let start = try #require(
            try Discovery(
                configuration, PipelineSettings(configuration), policy: AccessPolicy(unknown: .everything),
                directory: directory))
        start.announceAll()
        #expect(start.takeChanges().0.map(\.announced) == [changed.announced])
        // A device of which nothing but removed kinds is known is not announced.
        changed.announced?.kinds = []
        try start.store.save([changed])
        #expect(try start.store.rows().map(\.announced) == [nil])
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
