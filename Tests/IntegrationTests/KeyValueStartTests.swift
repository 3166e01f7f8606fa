import BrokerTestSupport
import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Logging
import ServiceLifecycle
import TelemetryModel
import Testing

@Suite("A start with states in a key-value store, on a real broker", .timeLimit(.minutes(5)))
struct KeyValueStartTests {
    private let server: ScriptedNats
    private let directory: TemporaryDirectory
    private let broker: BrokerProcess

    init() async throws {
        (server, directory, broker) = (try ScriptedNats(), try TemporaryDirectory(), try await BrokerProcess())
    }

    private func gateway(_ logger: Logger? = nil) throws -> Gateway {
        try GatewayFixture.gateway(on: broker, logger: logger) {
            $0.gateway.stateDirectory = directory.path("state")
            $0.keyValue.servers = "127.0.0.1:\(server.port)"
            $0.keyValue.timeoutSeconds = 0.5
        }
    }

    /// Runs a gateway until the states of two lanes are in the store.
    private func fill() async throws {
        var (diver, pods) = (TestDevice("d1", offset: now - 100), TestDevice("d2", offset: now - 100))
        try await GatewayFixture.run(gateway(), beside: broker) { fixture in
            try await fixture.publish([diver.depth(3, uptime: 100), pods.stillHead(uptime: 100)])
            try await eventually("the states of two lanes are in the store") {
                ["safety.d1", "motion.d2"].allSatisfy { server.messages["$KV.fathom-test.\($0)"] != nil }
            }
        }
    }

    @Test("a lane whose states cannot be written ends the start, which the others wait for")
    func refused() async throws {
        try await fill()
        server.remove("$KV.fathom-test.motion.d2")
        server.fault = .refuses("motion.d2")
        await #expect(throws: (any Error).self) { try await GatewayFixture.run(gateway()) {} }
    }

    @Test("a start that waits for the store ends in order when the gateway is stopped", arguments: ["", "motion.d2"])
    func stopped(missing: String) async throws {
        try await fill()
        server.remove("$KV.fathom-test.motion.d2")
        server.fault = missing.isEmpty ? .isSilent : .isSilentAbout(missing)
        let log = CollectedLog()
        let group = try gateway(log.logger).group(signals: [])
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await #expect(throws: Never.self) { try await group.run() } }
            tasks.addTask {
                try? await eventually("the start tries again") { log.lines.contains { $0.contains("trying again") } }
                await group.triggerGracefulShutdown()
            }
        }
    }
}
