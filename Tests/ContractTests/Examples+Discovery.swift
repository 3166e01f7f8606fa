@testable import FleetSimulator
@testable import GatewayPipeline
import GatewayConfiguration
import GatewayTestSupport
import GatewayRuntime
import HomeAssistant
import TelemetryModel

extension Examples {
    /// How a diver, a batter, headphones and the gateway are announced to Home Assistant.
    mutating func addDiscovery() throws {
        let encoder = DiscoveryEncoder(
            prefix: "homeassistant", root: "wearables", gateway: settings.gateway, version: "1.0.0",
            lane: { GatewayConfiguration.Lanes.Name(of: $0).rawValue })
        keep("homeassistant/gateway/example", encoder.gatewayPayload)
        let fleet = Fleet([
            Diver(origin("ultra-1")), Batter(origin("batter-1"), options: BatterOptions(activity: "tennis")),
            Headphones(origin("pods-1")),
        ])
        let names = ["ultra-1": "diver", "batter-1": "batter", "pods-1": "headphones"]
        for change in devices(of: fleet, by: encoder) {
            guard let announced = change.announced, let name = names[change.device.rawValue] else { continue }
            keep("homeassistant/device/\(name)", encoder.payload(of: change.device, announced))
        }
        let removed = DiscoveryEncoder.Device(kinds: ["swing"], removedKinds: ["stroke"])
        if let batter = DeviceID("batter-1") { keep("homeassistant/device/removed", encoder.payload(of: batter, removed)) }
    }

    private func origin(_ name: String) -> DeviceOrigin {
        DeviceOrigin(device: name, unix: 1_763_749_000, uptime: 5321.25, seed: 1, duration: 60)
    }

    /// The devices of a fleet as the reports of the pipeline announce them.
    private func devices(of fleet: Fleet, by encoder: DiscoveryEncoder) -> [AnnouncedDevices.Change] {
        var settings = settings
        settings.reportsKinds = true
        let policy = AccessPolicy(unknown: .everything)
        var harness = PipelineHarness(settings: settings, policy: policy)
        var devices = AnnouncedDevices(policy: policy, announces: encoder.announces)
        for frame in fleet {
            let message = InboundMessage(topic: frame.topic(), payload: frame.payload, retain: frame.retain)
            _ = harness.send(RecordedMessage(at: frame.at + 0.05, message: message))
            devices.note(harness.pipeline.takeKindReports(), by: StreamShare.whole.streams)
        }
        return devices.takeChanges()
    }
}
