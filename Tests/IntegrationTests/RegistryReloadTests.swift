import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import Glibc
import LocalBroker
import TelemetryModel
import Testing

@Suite("The registry is read again", .serialized)
struct RegistryReloadTests {
    private func run(_ body: (GatewayFixture, _ write: (String) throws -> Void) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let text = "devices:\n  d1: { entitlement: shallow }\n"
        let file = try directory.write(text, to: "registry.yaml")
        let (registry, problems) = Registry.load(file: file)
        #expect(problems.isEmpty)
        try await GatewayFixture.run(configure: { $0.registry.file = file }, registry: registry ?? Registry()) { fixture in
            try await body(fixture) { try directory.write($0, to: "registry.yaml") }
        }
    }

    @Test("a change of the file takes a right away, and gives it, without a restart")
    func change() async throws {
        try await run { fixture, write in
            var device = try await fixture.dive()
            #expect(fixture.watcher.messages.contains { $0.kind == "depth-state" && $0.text("cause") == "sample" })
            try write("devices:\n  d1: { entitlement: none }\n")
            try await eventually("refused") {
                fixture.watcher.messages.contains { $0.kind == "access/submersion" && $0.text("reason") == "notEntitled" }
            }
            try write("devices:\n  d1: { entitlement: full }\n")
            try await eventually("allowed again") {
                fixture.watcher.messages.last { $0.kind == "access/submersion" }?.flag("allowed") == true
            }
            try await fixture.publish([device.depth(5, uptime: 101)])
            try await eventually("with the new limit") {
                fixture.watcher.messages.contains { $0.kind == "depth-state" && $0.number("maximumDepth") == 40 }
            }
        }
    }

    @Test("a broken file changes nothing and is reported")
    func broken() async throws {
        try await run { fixture, write in
            try write("devices: [")
            try await eventually("reported") {
                fixture.watcher.messages.contains { $0.topic == "fathom/test/status" && $0.text("registryProblem") != nil }
            }
            try await fixture.dive()
        }
    }

    @Test("SIGHUP has it read")
    func hangUp() async throws {
        try await run { fixture, write in
            try write("devices:\n  d2: { entitlement: full }\n")
            kill(getpid(), SIGHUP)
            var device = TestDevice("d2", offset: now - 100)
            try await eventually("the new device is known") {
                try await fixture.publish([device.depth(3, uptime: device.offset)])
                return fixture.watcher.messages(of: "d2").contains { $0.kind == "depth-state" }
            }
        }
    }
}
