import Foundation

/// Programs that come with the system.
enum Tool {
    /// Where a program is: on the path, or where systems put programs for administrators.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/bin", "/usr/sbin", "/usr/local/bin"]
        return folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }

    /// Runs a program to its end; the error has what it printed, or how it ended.
    static func run(_ name: String, _ arguments: [String]) throws(SetupError) {
        guard let path = find(name) else { throw SetupError("\(name) is not installed") }
        let (process, errors) = (Process(), Pipe())
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        do { try process.run() } catch { throw SetupError("\(path): \(error.localizedDescription)") }
        let output = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = output.trimmingCharacters(in: .whitespacesAndNewlines)
            let kind = process.terminationReason == .exit ? "exit status" : "ended by signal"
            throw SetupError("\(name) failed: \(text.isEmpty ? "\(kind) \(process.terminationStatus)" : text)")
        }
    }
}

/// Texts as words of a shell's command line, for commands that are printed to be copied.
package enum ShellWord {
    /// The text, in quotes where it needs them.
    package static func quoted(_ text: String) -> String {
        let plain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@%,=".contains($0)) }
        guard !plain || text.isEmpty else { return text }
        // By scalars: a quote and a combining mark behind it are one `Character`, and a shell reads bytes.
        return "'" + text.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined() + "'"
    }
}
