import Foundation
import GRDB
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@Suite("Parts of a stored state that cannot be read, on a real broker", .timeLimit(.minutes(5)))
struct DroppedPartTests {
    @Test("the status counts and names them, and frames go on")
    func status() async throws {
        let broker = try await BrokerProcess()
        let directory = try TemporaryDirectory()
        let configure: (inout GatewayConfiguration) -> Void = { $0.gateway.stateDirectory = directory.path("state") }
        var device = TestDevice("d1", offset: now - 400)
        try await GatewayFixture.beside(broker) { fixture in
            try await GatewayFixture.run(GatewayFixture.gateway(on: broker, configure: configure)) {
                try await fixture.publish([device.depth(3, uptime: 100)])
                try await fixture.sees("a depth state is published") { $0.kind == "depth-state" && $0.number("depth") == 3 }
            }
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let database = try DatabaseQueue(path: directory.path("state/safety.sqlite"), configuration: configuration)
            try await database.write { try $0.execute(sql: "UPDATE state SET parts = substr(parts, 1, length(parts) - 3)") }
            try database.close()
            try await GatewayFixture.run(GatewayFixture.gateway(on: broker, configure: configure)) {
                try await fixture.sees("the status names the part") { message in
                    guard message.topic == "fathom/test/status" else { return false }
                    let parts = message.fields["droppedParts"] as? [String] ?? []
                    return message.number("droppedPartCount") == 1 && parts.count == 1 && parts[0].hasPrefix("state of d1:")
                }
                try await fixture.publish([device.depth(4, uptime: 101)])
                try await fixture.sees("the next depth state is published") {
                    $0.kind == "depth-state" && $0.number("depth") == 4
                }
            }
        }
    }
}
