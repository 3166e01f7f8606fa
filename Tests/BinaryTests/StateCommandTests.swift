import Foundation
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Testing

@Suite("fathom state")
struct StateCommandTests {
    private let directory: TemporaryDirectory
    private let broker: BrokerProcess

    init() async throws {
        directory = try TemporaryDirectory()
        broker = try await BrokerProcess()
    }

    private func settings(_ name: String) -> [String] {
        [
            "--set", "mqtt.port=\(broker.port)", "--set", "registry.unknownDevices=allow", "--set", "gateway.name=\(name)",
            "--set",
            "gateway.stateDirectory=\(directory.path(name))", "--set", "derive.depth.staleSeconds=60",
        ]
    }

    private func state(_ command: String, _ arguments: [String], of name: String) async throws -> FathomProcess.Outcome {
        try await FathomProcess.run(["state", command] + arguments + settings(name))
    }

    @Test("The state of a stopped gateway is exported, and another one continues with it")
    func moved() async throws {
        let file = directory.path("file")
        let output = try Tool(
            "mosquitto_sub", ["-p", "\(broker.port)", "-t", "wearables/+/out/depth-state", "-t", "fathom/+/status"])
        var device = TestDevice("d1")
        let west = try FathomProcess(["run"] + settings("west"))
        try await eventually("a depth is published") {
            try broker.publish([device.depth(3, uptime: Date().timeIntervalSince1970 - 1_763_744_000)])
            return output.output.contains(#""cause":"sample""#)
        }
        let held = try await state("export", ["--output", file], of: "west")
        #expect(held.status == 1)
        #expect(held.errors.contains("in use by another fathom"))
        #expect(try await west.terminate().status == 0)
        let exported = try await state("export", ["--output", file], of: "west")
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(exported.output.hasPrefix("exported 1 devices: 0 waiting frames"))
        let imported = try await state("import", [file], of: "east")
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.output == exported.output.replacingOccurrences(of: "exported", with: "imported"))
        let again = try await state("import", [file], of: "east")
        #expect(again.status == 1)
        #expect(again.errors.contains("d1 has state") && again.errors.contains("--replace"))
        #expect(try await state("import", [file, "--replace"], of: "east").status == 0)
        let east = try FathomProcess(["run"] + settings("east"))
        try await eventually("the other gateway reads") {
            output.output.contains(#""gateway":"east""#) && output.output.contains("connected")
        }
        try await eventually("data give the depth, with a higher epoch than that of the gateway before") {
            try broker.publish([device.depth(3, uptime: Date().timeIntervalSince1970 - 1_763_744_000)])
            return output.output.split(separator: "\n").contains {
                $0.contains(#""kind":"depth-state""#) && $0.contains(#""quality":"valid""#) && $0.contains(#""epoch":2"#)
            }
        }
        #expect(try await east.terminate().status == 0)
    }

    @Test(
        "Devices are handed over while they publish: every sample is derived once, and the broker keeps nothing for the old name")
    func handedOver() async throws {
        let file = directory.path("file")
        let hub = "homeassistant/device/fathom-gateway_west/config"
        let topics = ["wearables/+/out/depth-state", "fathom/+/status", hub]
        let output = try Tool("mosquitto_sub", ["-p", "\(broker.port)", "-q", "1"] + topics.flatMap { ["-t", $0] })
        var device = TestDevice("d1")
        var sent = 0
        /// A frame in which the device enters the water, or leaves it.
        func next() throws {
            let (uptime, state) = (Date().timeIntervalSince1970 - device.offset, sent % 2 == 0 ? "submerged" : "notSubmerged")
            let events = #""events":[{"timestamp":\#(uptime),"state":"\#(state)"}]"#
            try broker.publish([device.frame("submersion", uptime: uptime, events)])
            sent += 1
        }
        func messages() -> [Substring] { output.output.split(separator: "\n") }
        // Both have the default configuration, on one machine.
        let port = ["--set", "http.port=\(try LoopbackPort.free())"]
        let west = try FathomProcess(["run"] + settings("west") + port + ["--set", "homeassistant.discovery=true"])
        try await eventually("west reads") {
            messages().contains { $0.contains("west") && $0.contains(#""ingress":"connected""#) }
        }
        try await eventually("Home Assistant has west") { messages().contains { $0.contains("Fathom west") } }
        for _ in 0..<3 { try next() }
        let subscribed = try await FathomProcess.run(["run", "--subscribe-only"] + settings("east") + port)
        #expect(subscribed.status == 0, "\(subscribed.errors)")
        let early = try await FathomProcess.run(["run"] + settings("east"))
        #expect(early.status == 1)
        #expect(early.errors.contains("--without-state"))
        for _ in 0..<4 { try next() }
        try await eventually("west derives") { messages().count { $0.contains(#""cause":"event""#) } == sent }
        west.send(SIGUSR1)
        let ended = try await west.outcome()
        #expect(ended.status == 0, "\(ended.errors)")
        let retained = try Tool("mosquitto_sub", ["-p", "\(broker.port)", "-t", hub, "-W", "1", "-F", "%t"]).outcome()
        #expect(!retained.output.contains(hub), "the gateway has no device in Home Assistant any more")
        try await eventually("the state is unknown") { messages().contains { $0.contains(#""cause":"handover""#) } }
        for _ in 0..<3 { try next() }
        let refused = try await FathomProcess.run(["run"] + settings("west"))
        #expect(refused.status == 1)
        #expect(refused.errors.contains("were handed over"))
        #expect(try await state("export", ["--output", file], of: "west").status == 0)
        #expect(try await state("import", [file], of: "east").status == 0)
        let east = try FathomProcess(["run"] + settings("east"))
        /// The frames of the messages that data have caused.
        func derived() -> [Int] {
            messages().compactMap { line in
                guard line.contains(#""cause":"event""#), let range = line.range(of: #""seq":["#) else { return nil }
                return Int(line[range.upperBound...].prefix { $0.isNumber })
            }
        }
        try await eventually("everything is derived") { Set(derived()) == Set(0..<sent) }
        #expect(derived().count == sent)
        #expect(!messages().contains { $0.contains(#""cause":"silence""#) })
        #expect(try await east.terminate().status == 0)
        // The session of the old name is gone: a client with its id finds none.
        let session = try Tool(
            "mosquitto_sub",
            ["-p", "\(broker.port)", "-V", "5", "-i", "west-in-safety", "-c", "-x", "60", "-t", "none", "-W", "1", "-d"])
        _ = session.outcome()
        let greeting = broker.log.split(separator: "\n").last { $0.contains("Sending CONNACK to west-in-safety") }
        #expect(greeting?.hasSuffix("(0, 0)") == true, "\(greeting ?? "")")
    }

    @Test("What is wrong is said: no state directory, no such folder, no device id, no partitions")
    func wrong() async throws {
        let none = try await FathomProcess.run(["state", "export", "--output", directory.path("file")])
        #expect(none.status == 1)
        #expect(none.errors.contains("gateway.stateDirectory is not set"))
        let missing = try await state("export", ["--output", directory.path("file")], of: "nowhere")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("nowhere"))
        #expect(!FileManager.default.fileExists(atPath: directory.path("nowhere")))
        for arguments in [["--device", "d 1"], ["--only-partitions", "4/4"]] {
            let outcome = try await state("export", arguments + ["--output", directory.path("file")], of: "nowhere")
            #expect(outcome.status == 64)
        }
    }

    @Test("The wall clock is believed at once by a gateway that runs, and by one that does not")
    func believeClock() async throws {
        let west = try FathomProcess(["run"] + settings("west"))
        try await eventually("the gateway holds its directory") { StateDirectory.isHeld(directory.path("west")) }
        let running = try await state("believe-clock", [], of: "west")
        #expect(running.status == 0, "\(running.errors)")
        #expect(running.output == "the wall clock is believed\n")
        #expect(try await west.terminate().status == 0)
        let stopped = try await state("believe-clock", [], of: "west")
        #expect(stopped.status == 0, "\(stopped.errors)")
        let missing = try await state("believe-clock", [], of: "east")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("gateway.stateDirectory"))
    }
}
