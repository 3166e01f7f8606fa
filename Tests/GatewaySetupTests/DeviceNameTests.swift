import FleetSimulator
import GatewayConfiguration
import GatewaySetup
import Testing

@Suite("Names of simulated devices")
struct DeviceNameTests {
    @Test("The shipped registry lists the devices of the simulated fleet and of the demonstration, and no other")
    func equal() throws {
        let registered = try RegistryText(ShippedFiles.registry, name: "r").registry.devices.keys.sorted()
        let fleet = Fleet(kinds: try DeviceKind.list("headphones,batter,diver,watch,runner"), count: 5, startingAt: 1_763_749_000)
        #expect(fleet.devices.map(\.origin.device).sorted() == registered)
        #expect(Fleet.demo(startingAt: 1_763_749_000).devices.map(\.origin.device).sorted() == registered)
    }
}
