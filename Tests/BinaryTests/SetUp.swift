import Foundation
import GatewayPipeline
import GatewayRuntime
import LocalBroker
import Testing

/// A folder that `fathom init` has written, with its broker running.
final class SetUp: Sendable {
    let folder: String
    let port: UInt16
    let tlsPort: UInt16
    private let directory: TemporaryDirectory
    private let broker: Tool

    /// Runs a body with a set-up, whose ACL may be changed before the broker starts.
    static func with(acl: (String) -> String = { $0 }, _ body: (SetUp) async throws -> Void) async throws {
        let setUp = try await SetUp(acl: acl)
        defer { setUp.broker.terminate() }
        try await eventually("the broker runs") { LoopbackPort.isOpen(setUp.port) }
        try await body(setUp)
    }

    private init(acl: (String) -> String) async throws {
        directory = try TemporaryDirectory()
        folder = directory.path("set-up")
        (port, tlsPort) = (try LoopbackPort.free(), try LoopbackPort.free())
        let outcome = try await FathomProcess.run(["init", folder, "--port", "\(port)", "--tls-port", "\(tlsPort)"])
        try #require(outcome.status == 0, "\(outcome.errors)")
        let text = try String(contentsOfFile: "\(folder)/acl", encoding: .utf8)
        try acl(text).write(toFile: "\(folder)/acl", atomically: false, encoding: .utf8)
        try #require(outcome.output.contains("mosquitto -c \(folder)/mosquitto.conf"))
        broker = try Tool("/usr/sbin/mosquitto", ["-c", "\(folder)/mosquitto.conf"], output: directory.path("broker.log"))
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func password(of account: String) throws -> String {
        try String(contentsOfFile: path("secrets/\(account)"), encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    var brokerLog: String { (try? String(contentsOfFile: directory.path("broker.log"), encoding: .utf8)) ?? "" }

    func check(set: [String] = []) async throws -> FathomProcess.Outcome {
        try await FathomProcess.run(["check", "--connect", "--config", path("fathom.yaml")] + set.flatMap { ["--set", $0] })
    }

    /// A subscriber that prints topics and payloads.
    func subscribe(as user: String, to topic: String) throws -> Tool {
        try Tool(
            "mosquitto_sub", ["-p", "\(port)", "-u", user, "-P", password(of: user), "-q", "1", "-t", topic, "-v"],
            output: directory.path(UUID().uuidString))
    }

    /// Waits for a status of the gateway that holds `text`; false when none comes within 20 s.
    func waitForStatus(_ text: String) async throws -> Bool {
        let viewer = try subscribe(as: "viewer", to: "fathom/gateway/status")
        defer { viewer.terminate() }
        try await eventually("the gateway's status") { viewer.output.contains(text) }
        return true
    }

    /// Publishes one depth as a device would: on the listener for devices, with its certificate verified.
    func publishOverTLS(as device: String, depth: Double) throws {
        let now = Date().timeIntervalSince1970
        let boot = UInt64.random(in: .min ... .max)
        let payload = """
            {"schema":"wearables/1","boot":"\(boot)","seq":0,"uptime":100,"sent":\(now),\
            "measurements":[{"timestamp":100,"depth":{"value":\(depth),"unit":"m"}}]}
            """
        let tls = ["-h", "localhost", "-p", "\(tlsPort)", "--cafile", path("certs/ca.crt")]
        let outcome = try Tool(
            "mosquitto_pub",
            tls + ["-u", device, "-P", password(of: device), "-q", "1", "-t", "wearables/\(device)/in/submersion", "-m", payload]
        ).outcome()
        try #require(outcome.status == 0, "\(outcome.output)")
    }
}

extension BrokerProcess {
    /// Publishes frames as devices do.
    func publish(_ frames: [RecordedMessage]) throws {
        for message in frames.map(\.message) {
            let text = String(decoding: message.payload, as: UTF8.self)
            _ = try Tool("mosquitto_pub", ["-p", "\(port)", "-q", "1", "-t", message.topic, "-m", text]).outcome()
        }
    }
}

/// A program that is not ours.
final class Tool: Sendable {
    /// How it ended.
    struct Outcome {
        let status: Int32
        let output: String
    }

    private let process = Process()
    private let directory: TemporaryDirectory
    private let file: String

    /// Starts a program of the path; its output goes to a file.
    init(_ name: String, _ arguments: [String], output: String? = nil) throws {
        directory = try TemporaryDirectory()
        file = output ?? directory.path("output")
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        process.executableURL = URL(filePath: name.hasPrefix("/") ? name : "/usr/bin/\(name)")
        process.arguments = arguments
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try process.runWithOpenSignals()
    }

    deinit { terminate() }

    var output: String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

    func terminate() { if process.isRunning { process.terminate() } }

    /// Waits for the end.
    func outcome() -> Outcome {
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: output)
    }
}
