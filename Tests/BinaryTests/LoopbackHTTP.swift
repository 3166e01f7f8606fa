import Foundation

/// Requests to a port of 127.0.0.1.
enum LoopbackHTTP {
    /// Status and body of an answer; status 0 where nothing listens.
    struct Answer {
        var status: Int
        var body: String
    }

    /// Sends one GET.
    static func get(_ path: String, _ port: UInt16) throws -> Answer {
        let shell = Process()
        let output = Pipe()
        shell.executableURL = URL(filePath: "/bin/bash")
        shell.arguments = [
            "-c",
            "exec 3<>/dev/tcp/127.0.0.1/\(port); printf 'GET \(path) HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' >&3; cat <&3",
        ]
        shell.standardOutput = output
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        shell.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
        let parts = text.components(separatedBy: "\n\n")
        let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return Answer(status: status ?? 0, body: parts.dropFirst().joined(separator: "\n\n"))
    }
}
