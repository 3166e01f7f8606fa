package import GatewayHTTP
import Logging

extension HTTPServerLimits {
    /// The defaults, but for a machine that is busy with other tests.
    package static var patient: HTTPServerLimits {
        var limits = HTTPServerLimits()
        limits.requestSeconds = 600
        return limits
    }
}

/// Runs `body` beside a server on a free port of 127.0.0.1, which is stopped then.
package func withServer(
    limits: HTTPServerLimits = .patient, handler: @escaping HTTPServer.Handler = { .text(200, "path \($0.path)") },
    _ body: (Int) async throws -> Void
) async throws {
    let server = HTTPServer(
        host: "127.0.0.1", port: 0, limits: limits, logger: Logger(label: "http") { _ in SwiftLogNoOpLogHandler() },
        handler: handler)
    let port = try await server.start()
    do {
        try await body(port)
        await server.stop()
    } catch {
        await server.stop()
        throw error
    }
}
