import Foundation
import LocalBroker

/// A command-line tool that was started.
struct Tool {
    /// How a tool ended.
    struct Outcome {
        let status: Int32
        /// All it printed, errors included.
        let output: String
    }

    let process = Process()
    private let pipe = Pipe()

    /// Starts a tool found on the path, for at most ten seconds.
    init(_ name: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments = ["--signal=KILL", "10", name] + arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.runWithOpenSignals()
    }

    /// Waits for the end.
    func outcome() -> Outcome {
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: output)
    }

    /// Starts a tool and waits for its end.
    @discardableResult
    static func run(_ name: String, _ arguments: [String]) throws -> Outcome { try Tool(name, arguments).outcome() }
}
