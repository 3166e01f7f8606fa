import Foundation
import LocalBroker

/// The program itself, as its users start it.
final class FathomProcess: Sendable {
    /// What a finished run left behind.
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String
    }

    /// The binary beside the tests.
    static let binary = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "fathom")

    private let process = Process()
    private let directory: TemporaryDirectory

    /// Starts the program, after the command `prelude` of a shell if there is one. It serves no metrics unless `environment` names a
    /// port: tests run at the same time. It reads no configuration of this machine.
    init(_ arguments: [String], environment: [String: String] = [:], input: String? = nil, prelude: String? = nil) throws {
        directory = try TemporaryDirectory()
        process.executableURL = Self.binary
        process.arguments = arguments
        if let prelude {
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-c", "\(prelude) && exec \"$0\" \"$@\"", Self.binary.path] + arguments
        }
        process.environment = ProcessInfo.processInfo.environment.merging(["FATHOM_HTTP_PORT": "null", "FATHOM_CONFIG": ""]) {
            $1
        }
        .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        if let input {
            process.standardInput = try FileHandle(
                forReadingFrom: URL(filePath: try directory.write(input, to: "input")))
        }
        let (output, errors) = (try Self.file(directory.path("output")), try Self.file(directory.path("errors")))
        process.standardOutput = output
        process.standardError = errors
        try process.runWithOpenSignals()
        // The program has its own; Foundation keeps each process, and the test process would keep hundreds of files open.
        try output.close()
        try errors.close()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Runs the program to its end.
    static func run(_ arguments: [String], environment: [String: String] = [:], input: String? = nil) async throws -> Outcome {
        try await FathomProcess(arguments, environment: environment, input: input).outcome()
    }

    /// Starts a gateway to which every device may send; `settings` are `key=value`.
    static func gateway(
        _ name: String, on port: UInt16, _ settings: [String], options: [String] = [], environment: [String: String] = [:],
        prelude: String? = nil
    ) throws -> FathomProcess {
        let all = ["mqtt.port=\(port)", "gateway.name=\(name)", "registry.unknownDevices=allow"] + settings
        return try FathomProcess(
            ["run"] + options + all.flatMap { ["--set", $0] }, environment: environment, prelude: prelude)
    }

    /// Sends SIGTERM and waits for the end.
    func terminate() async throws -> Outcome {
        process.terminate()
        return try await outcome()
    }

    var isRunning: Bool { process.isRunning }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    func interrupt() { kill(process.processIdentifier, SIGINT) }

    /// Waits for the end.
    func outcome() async throws -> Outcome {
        try await eventually("the program ends") { !process.isRunning }
        return Outcome(status: process.terminationStatus, output: output, errors: errors)
    }

    var output: String { (try? String(contentsOfFile: directory.path("output"), encoding: .utf8)) ?? "" }
    var errors: String { (try? String(contentsOfFile: directory.path("errors"), encoding: .utf8)) ?? "" }

    private static func file(_ path: String) throws -> FileHandle {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return try FileHandle(forWritingTo: URL(filePath: path))
    }
}

/// The project's own folder.
enum Project {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func path(_ name: String) -> String { folder.appending(path: name).path }
}
