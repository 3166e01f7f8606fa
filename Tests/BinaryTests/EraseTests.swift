import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@Suite("fathom erase")
struct EraseTests {
    private let directory: TemporaryDirectory
    private let broker: BrokerProcess

    init() async throws {
        directory = try TemporaryDirectory()
        broker = try await BrokerProcess()
    }

    private var settings: [String] {
        [
            "--set", "mqtt.port=\(broker.port)", "--set", "registry.unknownDevices=allow", "--set",
            "gateway.stateDirectory=\(directory.path("state"))",
        ]
    }

    private func gateway(_ environment: [String: String] = [:]) throws -> FathomProcess {
        try FathomProcess(["run"] + settings, environment: environment)
    }

    private func erase(_ devices: String...) async throws -> FathomProcess.Outcome {
        try await FathomProcess.run(["erase"] + devices + ["--timeout", "20"] + settings)
    }

    /// A minute of history and a depth of each device.
    private func frames(of devices: [String]) -> [RecordedMessage] {
        let now = SystemGatewayClock().now.unix.seconds
        return devices.flatMap { id in
            var history = HistoryDevice(id, start: now - 1_000)
            var diver = TestDevice(id, offset: now - 1_000)
            return history.frames(SimulatedNight.walk(from: now - 70, seconds: 60, cadence: 2, hertz: 10), sent: now)
                + [diver.depth(3, uptime: 1_000)]
        }
    }

    private func rows(of device: String) throws -> Int { try StoredRows.count(of: device, in: directory.path("state")) }

    /// Runs a gateway until both devices have rows, and leaves it running.
    private func filled() async throws -> FathomProcess {
        let gateway = try gateway()
        let status = try Tool("mosquitto_sub", ["-p", "\(broker.port)", "-t", "fathom/gateway/status"])
        try await eventually("the gateway reads") { status.output.contains(#""ingress":"connected""#) }
        let frames = frames(of: ["gone", "kept"])
        try await eventually("rows of both devices") {
            try broker.publish(frames)
            return try rows(of: "gone") > 4 && rows(of: "kept") > 4
        }
        return gateway
    }

    @Test("The command ends once nothing of the device is on disk, and its retained topics are cleared; others keep theirs")
    func erase() async throws {
        let gateway = try await filled()
        let outcome = try await erase("gone", "gone")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "gone erased\n")
        #expect(try rows(of: "gone") == 0)
        #expect(try rows(of: "kept") > 4)
        let retained = try Tool(
            "mosquitto_sub", ["-p", "\(broker.port)", "-t", "wearables/+/out/#", "-v", "--retained-only", "-W", "2"]
        ).outcome().output
        #expect(!retained.contains("wearables/gone/") && retained.contains("wearables/kept/"))
        // A device that sends again begins anew.
        try await eventually("new rows") {
            try broker.publish(frames(of: ["gone"]))
            return try rows(of: "gone") > 4
        }
        let ended = try await gateway.terminate()
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.errors.contains("everything stored of a device is erased"))
    }

    @Test(
        "A request to a gateway that does not run is kept, and carried out after kills at the commit",
        arguments: ["committing", "committed"])
    func kills(point: String) async throws {
        _ = try await filled().terminate()
        let outcome = try await erase("gone")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("does not run"))
        #expect(try rows(of: "gone") > 4)
        for _ in 0..<2 {
            let killed = try gateway(["FATHOM_FAULT": "\(point):2"])
            #expect(try await killed.outcome().status == SIGKILL)
        }
        let gateway = try gateway()
        try await eventually("the request is carried out") {
            try FileManager.default.contentsOfDirectory(atPath: directory.path("state/erasures")).isEmpty
        }
        #expect(try rows(of: "gone") == 0)
        #expect(try rows(of: "kept") > 4)
        _ = try await gateway.terminate()
    }

    @Test("Without the broker the request stays, and holds up no stop")
    func noBroker() async throws {
        let gateway = try await filled()
        broker.kill()
        let outcome = try await FathomProcess.run(["erase", "gone", "--timeout", "1"] + settings)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("gone is not erased yet"))
        let stopped = try await gateway.terminate()
        #expect(!stopped.errors.contains("the stop did not end in time"), "\(stopped.errors)")
        #expect(FileManager.default.fileExists(atPath: directory.path("state/erasures/gone")))
    }

    @Test("A device that nobody knows is named, and nothing is erased, with a state directory and without one")
    func unknown() async throws {
        let registry = try directory.write("devices:\n  ultra-1: {}\n", to: "registry.yaml")
        let without = ["erase", "ultra-2", "--set", "registry.file=\(registry)"]
        let none = try await FathomProcess.run(without)
        #expect(none.status == 1 && none.errors.contains("no such device: ultra-2"), "\(none.errors)")
        #expect(none.errors.contains("did you mean ultra-1?"))
        let gateway = try await filled()
        let outcome = try await erase("gone", "nobody")
        #expect(outcome.status == 1 && outcome.errors.contains("no such device: nobody"), "\(outcome.errors)")
        #expect(outcome.errors.contains("nothing is erased"))
        #expect(!FileManager.default.fileExists(atPath: directory.path("state/erasures/gone")))
        #expect(try rows(of: "gone") > 4)
        _ = try await gateway.terminate()
    }

    @Test("Without a state directory, or with an id that is none, it says what is wrong")
    func wrong() async throws {
        let registry = try directory.write("devices:\n  d1: {}\n", to: "registry.yaml")
        let none = try await FathomProcess.run(["erase", "d1", "--set", "registry.file=\(registry)"])
        #expect(none.status == 1)
        #expect(none.errors.contains("gateway.stateDirectory is not set"))
        let id = try await FathomProcess.run(["erase", "d 1", "--set", "gateway.stateDirectory=/nowhere"])
        #expect(id.status != 0)
        #expect(id.errors.contains("no device id"))
        let folder = try await FathomProcess.run(["erase", "d1", "--set", "gateway.stateDirectory=/nowhere"])
        #expect(folder.status == 1)
        #expect(folder.errors.contains("/nowhere"))
    }
}
