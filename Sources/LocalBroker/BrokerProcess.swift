import Foundation
import Synchronization

/// A real mosquitto on a free port of 127.0.0.1, ended with its owner or with the test process, whichever goes first.
package final class BrokerProcess: Sendable {
    /// The port clients connect to; the same after a restart.
    package let port: UInt16

    /// The directory of configuration, log and database.
    package let directory: TemporaryDirectory

    private let environment: [String: String]
    private let running = Mutex<GuardedProcess?>(nil)

    /// Starts a broker and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - settings: lines of `mosquitto.conf` that follow the listener; `%d` stands for the directory.
    ///   - environment: variables for the broker beside those of this process.
    package init(
        settings: [String] = ["allow_anonymous true"], environment: [String: String] = [:],
        in directory: TemporaryDirectory? = nil
    ) async throws {
        self.directory = try directory ?? TemporaryDirectory()
        self.environment = environment
        port = try LoopbackPort.free()
        try configure(settings)
        try await start()
    }

    deinit { kill() }

    /// Writes the configuration, which counts from the next start.
    package func configure(_ settings: [String]) throws {
        let lines =
            [
                "per_listener_settings false", "persistence true", "persistence_location \(directory.url.path)/",
                // As in config/mosquitto.conf: without it small packets wait for the acknowledgement of the one before (Nagle).
                "set_tcp_nodelay true", "max_queued_messages 100000", "log_type all", "log_dest file \(directory.path("log"))",
                "user root",
                "listener \(port) 127.0.0.1",
            ] + settings.map { $0.replacingOccurrences(of: "%d", with: directory.url.path) }
        try directory.write(lines.joined(separator: "\n") + "\n", to: "mosquitto.conf")
    }

    /// Has the broker read its configuration and its access list again.
    package func reload() { signal(SIGHUP) }

    /// Starts the broker again after `stop` or `kill`.
    package func start() async throws {
        let process = try GuardedProcess(
            Self.executable(), configuration: directory.path("mosquitto.conf"), environment: environment)
        running.withLock { $0 = process }
        do {
            try await eventually("the broker accepts connections") { LoopbackPort.isOpen(port) || hasEnded }
        } catch {
            throw NeverHappened(description: "mosquitto does not accept connections: \(complaint)")
        }
        if hasEnded { throw NeverHappened(description: "mosquitto ended at once: \(complaint)") }
    }

    /// Where mosquitto is: on the path, or where systems put programs for administrators.
    private static func executable() throws -> String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin"]
        guard let found = folders.map({ "\($0)/mosquitto" }).first(where: FileManager.default.isExecutableFile) else {
            throw NeverHappened(
                description: "mosquitto is not installed ('make setup' installs it, or: apt-get install mosquitto)")
        }
        return found
    }

    /// The first error that the broker logged.
    private var complaint: String {
        let errors = (try? String(contentsOfFile: directory.path("mosquitto.conf.errors"), encoding: .utf8)) ?? ""
        return (errors + log).split(separator: "\n").first { $0.contains("Error") }.map(String.init) ?? "no reason given"
    }

    /// Ends the broker in order (it saves its database), or by force after 5 s.
    package func stop() async {
        signal(SIGTERM)
        try? await eventually("the broker ends", within: .seconds(5)) { hasEnded }
        kill()
    }

    /// Ends the broker as a crash would.
    package func kill() {
        running.withLock { running in
            running?.end()
            running = nil
        }
    }

    /// Removes the stored sessions and retained messages of an ended broker.
    package func deleteState() throws {
        let database = directory.path("mosquitto.db")
        if FileManager.default.fileExists(atPath: database) { try FileManager.default.removeItem(atPath: database) }
    }

    /// Stops the broker's process from running while its sockets stay open.
    package func freeze() { signal(SIGSTOP) }

    /// Continues a frozen broker.
    package func thaw() { signal(SIGCONT) }

    /// What the broker has logged so far.
    package var log: String { (try? String(contentsOfFile: directory.path("log"), encoding: .utf8)) ?? "" }

    private func signal(_ number: Int32) {
        running.withLock { running in
            if let running { _ = Foundation.kill(running.identifier, number) }
        }
    }

    /// Whether the broker's process has ended or is a zombie.
    private var hasEnded: Bool { running.withLock { $0?.hasEnded ?? true } }
}
