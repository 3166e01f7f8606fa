import GatewayConfiguration
import GatewayHTTP
import Logging
import Metrics
import ServiceLifecycle

/// Serves metrics and health. It starts first and stops last.
struct MonitorService: Service {
    let monitor: Monitor
    let address: String
    let port: Int
    let logger: Logger

    /// Serves until the gateway stops. Throws when the port cannot be had.
    func run() async throws {
        let server = HTTPServer(host: address, port: port, logger: logger) { request in await respond(to: request) }
        let bound: Int
        do {
            bound = try await server.start()
        } catch {
            throw GatewayError(
                "\(error): set http.port (or http.address) to another, or http.port to null to serve no metrics and health")
        }
        logger.info("metrics and health are served", metadata: ["address": "http://\(address):\(bound)"])
        try? await gracefulShutdown()
        await server.stop()
    }

    private func respond(to request: HTTPRequest) async -> HTTPResponse {
        let response =
            switch request.path {
            case "/metrics":
                HTTPResponse(contentType: MetricsText.contentType, body: .bytes(Array(await monitor.metrics().utf8)))
            case "/healthz": Self.answer(await monitor.health())
            case "/readyz": Self.answer(await monitor.readiness())
            default: HTTPResponse.text(404, "try /metrics, /healthz or /readyz")
            }
        monitor.requests.note(response.status == 404 ? "other" : request.path, response.status)
        return response
    }

    private static func answer(_ problems: [HealthProblem]) -> HTTPResponse {
        .json(problems.isEmpty ? 200 : 503, HealthProblem.json(problems))
    }
}
