import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("What a start would leave out")
struct StoredPartsTests {
    @Test("parts of another version are named with the number of devices, whatever row they are in")
    func unreadable() throws {
        let directory = try TemporaryDirectory()
        let store = try CheckpointStore(path: directory.path("safety.sqlite"), machine: "m", at: .at(1_000)) { _ in }
        _ = try DiscoveryStore(path: directory.path("homeassistant.sqlite"))
        #expect(try StoredParts.unreadable(inDirectory: directory.path("")) == [])
        let changes = try ["d1", "d2"].map { name in
            var change = StateChange(device: try #require(DeviceID(name)))
            change.parts = [
                StatePart(name: "derive/depth", version: 99, bytes: []), StatePart(name: "retained/dive", version: 98, bytes: []),
            ]
            return change
        }
        try store.write(changes, at: .at(1_001))
        #expect(
            try StoredParts.unreadable(inDirectory: directory.path("")) == [
                "safety.sqlite: derive/depth of version 99 would be left out for 2 devices; it begins anew for them",
                "safety.sqlite: retained/dive of version 98 would be left out for 2 devices; it begins anew for them",
            ])
    }
}
