import Foundation
import LocalBroker

/// A mosquitto that runs one of the shipped configurations on a loopback port, with its files in a folder of its own.
struct ConfiguredBroker {
    let port: Int
    let folder: String
    private let process: Process

    static let isInstalled = [
        "/usr/sbin/mosquitto", "/usr/bin/mosquitto_pub", "/usr/bin/mosquitto_sub", "/usr/bin/mosquitto_passwd",
    ]
    .allSatisfy(FileManager.default.isExecutableFile)

    /// Everything that the broker logged so far.
    var log: String { (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "" }

    /// Runs a body with a broker of which only listener and folders differ from the shipped configuration; with a listener for this
    /// machine it has no other.
    static func with(
        _ configuration: String, prepare: (_ folder: String) throws -> Void, _ body: (ConfiguredBroker) async throws -> Void
    ) async throws {
        try await TestFiles.withFolder(["acl": TestFiles.text("config/acl")]) { folder in
            try prepare(folder)
            let port = Int(try LoopbackPort.free())
            var paragraphs = try TestFiles.text("config/\(configuration)").components(separatedBy: "\n\n")
            let isLocal = paragraphs.contains { $0.contains("listener 1883 ") }
            paragraphs.removeAll { isLocal && $0.contains("listener 8883\n") }
            let text = paragraphs.joined(separator: "\n\n")
                .replacing(/(?m)^listener .*$/, with: "listener \(port) 127.0.0.1")
                .replacing("/etc/mosquitto/", with: "\(folder)/")
                .replacing("/var/lib/mosquitto/", with: "\(folder)/")
            // A mosquitto started by root becomes another user, to whom this folder is closed.
            let own = "\nuser \(NSUserName())\nlog_dest file \(folder)/log\nlog_type all\n"
            try (text + own).write(toFile: "\(folder)/mosquitto.conf", atomically: false, encoding: .utf8)
            let process = Process()
            process.executableURL = URL(filePath: "/usr/sbin/mosquitto")
            process.arguments = ["-c", "\(folder)/mosquitto.conf"]
            process.standardError = FileHandle.nullDevice
            try process.runWithOpenSignals()
            defer {
                process.terminate()
                process.waitUntilExit()
            }
            let broker = ConfiguredBroker(port: port, folder: folder, process: process)
            try await broker.waitUntilRunning()
            try await body(broker)
        }
    }

    private func waitUntilRunning() async throws {
        for _ in 0..<200 where process.isRunning {
            if log.contains(" running") { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw Failure(log: log)
    }

    private struct Failure: Error {
        let log: String
    }
}
