import BrokerTestSupport
import Foundation
import GatewayConfiguration
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@Suite("Requests to erase devices, on a real broker", .timeLimit(.minutes(2)))
struct ErasureRequestTests {
    @Test("a device that cannot be erased holds up no other")
    func failure() async throws {
        let (directory, broker) = (try TemporaryDirectory(), try await BrokerProcess())
        let state = directory.path("state")
        let requests = ErasureRequests(stateDirectory: state)
        let log = CollectedLog()
        try await GatewayFixture.run(
            GatewayFixture.gateway(on: broker, logger: log.logger) { $0.gateway.stateDirectory = state }
        ) {
            // The request of the first is a folder, which cannot be removed as a file.
            try FileManager.default.createDirectory(atPath: "\(state)/erasures/a1", withIntermediateDirectories: true)
            let second = try #require(DeviceID("d2"))
            try requests.add(second)
            try await eventually("the second device is erased") { !requests.contains(second) }
            try await eventually("the first is named") {
                log.lines.contains { $0.contains("not erased yet") && $0.contains("erasures/a1") }
            }
        }
    }
}
