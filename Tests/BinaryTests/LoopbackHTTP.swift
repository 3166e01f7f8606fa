import Foundation
import HTTPTestSupport

/// Requests to a port of 127.0.0.1.
enum LoopbackHTTP {
    /// Status and body of the answer to a GET; status 0 where nothing listens.
    static func get(_ path: String, _ port: UInt16) async -> (status: Int, body: String) {
        guard let text = try? await RawHTTPClient.get(path, port: Int(port)) else { return (0, "") }
        let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (status ?? 0, text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? "")
    }
}
