import GatewayPipeline
import HomeAssistant
import TelemetryModel
import Testing

@Suite("Which devices are announced to Home Assistant")
struct AnnouncedDevicesTests {
    private let diver: DeviceID
    private let batter: DeviceID
    private let safety: Set<StreamName> = [.submersion, .status, .workout]
    private let bulk: Set<StreamName> = [.batchedIMU]

    init() throws {
        diver = try #require(DeviceID("ultra-1"))
        batter = try #require(DeviceID("batter-1"))
    }

    private func devices(_ announced: [DeviceID: DiscoveryEncoder.Device] = [:]) throws -> AnnouncedDevices {
        AnnouncedDevices(
            announced, policy: AccessPolicy(devices: [diver: DevicePolicy(), batter: DevicePolicy()]),
            announces: try Announcement.encoder().announces)
    }

    private func derived(_ kind: String, _ device: DeviceID, _ model: String? = nil) -> KindReport {
        .derived(kind: kind, device: device, model: model)
    }

    @Test("a device is published when a kind that an entity shows was first derived, and not again for the same kind")
    func first() throws {
        var devices = try devices()
        devices.note([derived("convention/device-motion", diver), derived("gap", diver)], by: safety)
        #expect(!devices.hasChanges)
        devices.note([derived("connection/device", diver, "Watch6,18"), derived("depth-state", diver, "Watch6,18")], by: safety)
        let expected = DiscoveryEncoder.Device(kinds: ["connection/device", "depth-state"], model: "Watch6,18")
        #expect(devices.takeSorted() == [.init(device: diver, announced: expected)])
        devices.note([derived("depth-state", diver, "Watch6,18")], by: safety)
        #expect(devices.takeSorted().isEmpty)
        devices.note([derived("water-temperature", diver)], by: safety)
        #expect(devices.takeSorted().map(\.announced?.kinds) == [["connection/device", "depth-state", "water-temperature"]])
    }

    @Test("another model is published; a lane that has not received the status yet does not remove it")
    func model() throws {
        var devices = try devices([diver: .init(kinds: ["depth-state"], model: "Watch6,18")])
        devices.note([derived("depth-state", diver, nil)], by: safety)
        #expect(!devices.hasChanges)
        devices.note([derived("depth-state", diver, "Watch7,5")], by: safety)
        #expect(devices.takeSorted().map(\.announced?.model) == ["Watch7,5"])
    }

    @Test("everything is published again when that is asked for")
    func again() throws {
        var devices = try devices([diver: .init(kinds: ["depth-state"]), batter: .init(kinds: ["swing"])])
        #expect(!devices.hasChanges)
        devices.announceAll()
        #expect(devices.takeSorted().map(\.device) == [batter, diver])
        #expect(devices.takeSorted().isEmpty)
    }

    @Test("a revoked device is removed once, and what lanes still report of it is ignored")
    func revoked() throws {
        var devices = try devices([diver: .init(kinds: ["depth-state"]), batter: .init(kinds: ["swing"])])
        devices.replace(policy: AccessPolicy(devices: [batter: DevicePolicy()]))
        devices.note([derived("water-temperature", diver), .forgotten(diver)], by: safety)
        #expect(devices.takeSorted() == [.init(device: diver, announced: nil)])
        devices.announceAll()
        #expect(devices.takeSorted().map(\.device) == [batter])
    }

    @Test(
        "a denied device is removed, and announced again by what is derived once it is allowed",
        arguments: [
            Authorization.denied, .restricted,
        ])
    func denied(authorization: Authorization) throws {
        var devices = try devices([diver: .init(kinds: ["depth-state"])])
        devices.replace(policy: AccessPolicy(devices: [diver: DevicePolicy(authorization: authorization)]))
        #expect(devices.takeSorted() == [.init(device: diver, announced: nil)])
        devices.replace(policy: AccessPolicy(devices: [diver: DevicePolicy()]))
        #expect(!devices.hasChanges)
        devices.note([derived("depth-state", diver)], by: safety)
        #expect(devices.takeSorted() == [.init(device: diver, announced: .init(kinds: ["depth-state"]))])
    }

    @Test("a lane that forgets a device removes the kinds that it derives; without another one the device is removed")
    func forgotten() throws {
        var devices = try devices([batter: .init(kinds: ["connection/device", "swing"])])
        devices.note([.forgotten(batter)], by: bulk)
        #expect(
            devices.takeSorted() == [
                .init(device: batter, announced: .init(kinds: ["connection/device"], removedKinds: ["swing"]))
            ])
        devices.note([derived("swing", batter)], by: bulk)
        #expect(devices.takeSorted().map(\.announced) == [.init(kinds: ["connection/device", "swing"])])
        devices.note([.forgotten(batter)], by: safety)
        devices.note([.forgotten(batter)], by: bulk)
        #expect(devices.takeSorted() == [.init(device: batter, announced: nil)])
        devices.note([.forgotten(batter)], by: bulk)
        #expect(!devices.hasChanges)
    }

    @Test("after a restart, devices that were revoked meanwhile are removed, and kinds of derivations that do not run any more")
    func restart() throws {
        var devices = AnnouncedDevices(
            [diver: .init(kinds: ["depth-state"]), batter: .init(kinds: ["connection/device", "swing"])],
            policy: AccessPolicy(devices: [batter: DevicePolicy()]), announces: try Announcement.encoder().announces,
            isSwitchedOff: { $0 == "swing" })
        #expect(
            devices.takeSorted() == [
                .init(device: batter, announced: .init(kinds: ["connection/device"], removedKinds: ["swing"])),
                .init(device: diver, announced: nil),
            ])
    }

    @Test("a device that is only allowed because unknown devices are is announced")
    func unknown() throws {
        var devices = AnnouncedDevices(
            policy: AccessPolicy(unknown: .everything), announces: try Announcement.encoder().announces)
        devices.note([derived("depth-state", diver)], by: safety)
        #expect(devices.takeSorted().map(\.device) == [diver])
    }
}

extension AnnouncedDevices {
    /// What is to be published, in order of the devices' ids.
    fileprivate mutating func takeSorted() -> [Change] { takeChanges().sorted { $0.device < $1.device } }
}
