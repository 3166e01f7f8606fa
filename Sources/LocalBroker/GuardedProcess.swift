package import Foundation

/// A server that is ended with its owner or with this process, whichever goes first.
package final class GuardedProcess: Sendable {
    /// The server's process identifier; it is not used again before `end`.
    package let identifier: pid_t
    private let shell: Process
    /// The shell's standard input: when it closes, by `end` or because this process ended, the shell kills the server.
    private let shellInput = Pipe()

    /// Starts `program -c configuration` with `environment` beside that of this process; its standard error is written to a file beside the
    /// configuration, whose name ends with `.errors`.
    package init(_ program: String, configuration: String, environment: [String: String] = [:]) throws {
        shell = Process()
        let output = Pipe()
        shell.executableURL = URL(filePath: "/bin/sh")
        // The shell never reaps the server, so its process identifier cannot be reused meanwhile.
        shell.arguments = [
            "-c", "\"$1\" -c \"$0\" >/dev/null 2>\"$0.errors\" </dev/null & echo $!; read -r _; kill -KILL $! 2>/dev/null",
            configuration, program,
        ]
        shell.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        shell.standardInput = shellInput
        shell.standardOutput = output
        try shell.runWithOpenSignals()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let server = pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw NeverHappened(description: "the process identifier of \(program)")
        }
        identifier = server
    }

    deinit { end() }

    /// Whether the server has ended or is a zombie.
    package var hasEnded: Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8) else { return true }
        return status.contains(") Z ")
    }

    /// Ends the server as a crash would.
    package func end() {
        try? shellInput.fileHandleForWriting.close()
        shell.waitUntilExit()
    }
}
