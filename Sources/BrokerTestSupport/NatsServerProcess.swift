import Foundation
package import LocalBroker

/// A real nats-server with JetStream on a free port of 127.0.0.1, ended with its owner or with the test process, whichever goes first.
package final class NatsServerProcess: Sendable {
    /// The port for clients.
    package let port: UInt16
    private let directory: TemporaryDirectory
    private let process: GuardedProcess

    /// Whether nats-server is on the path; tests that need it are skipped where it is not.
    package static var isInstalled: Bool { executable != nil }

    private static let executable: String? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/nats-server" }.first(where: FileManager.default.isExecutableFile)
    }()

    /// Starts a server and waits until it accepts connections. `settings` are lines of its configuration; `%d` stands for the directory.
    package init(settings: [String] = [], in directory: TemporaryDirectory? = nil) async throws {
        self.directory = try directory ?? TemporaryDirectory()
        port = try LoopbackPort.free()
        let lines = ["listen: \"127.0.0.1:\(port)\"", "jetstream { store_dir: \"%d/jetstream\" }"] + settings
        let file = try self.directory.write(
            lines.joined(separator: "\n").replacing("%d", with: self.directory.url.path) + "\n", to: "nats.conf")
        guard let executable = Self.executable else { throw NeverHappened(description: "nats-server is not installed") }
        process = try GuardedProcess(executable, configuration: file)
        try await eventually("nats-server accepts connections") { LoopbackPort.isOpen(port) || process.hasEnded }
        if process.hasEnded { throw NeverHappened(description: "nats-server ended at once") }
    }
}
