import GatewayConfiguration
import GatewayHTTP
package import Logging
import Metrics
import ServiceLifecycle

/// Serves metrics and health. It starts first and stops last.
package struct MonitorService: Service {
    private let server: HTTPServer
    private let address: String

    /// The metrics and health of `monitor` on `port`; 0 lets the system choose a free one.
    package init(monitor: Monitor, address: String, port: Int, logger: Logger) {
        self.address = address
        server = HTTPServer(host: address, port: port, logger: logger) { Self.answer($0, monitor) }
    }

    /// Listens, and returns the address, such as `http://127.0.0.1:9464`. Throws when the port cannot be had.
    package func start() async throws -> String {
        do {
            let port = try await server.start()
            return "http://\(address.contains(":") ? "[\(address)]" : address):\(port)"
        } catch {
            throw GatewayError(
                "\(error): set http.port (or http.address) to another, or http.port to null to serve no metrics and health")
        }
    }

    /// Serves until a graceful shutdown; `start` must have been called.
    package func run() async {
        try? await gracefulShutdown()
        await server.stop()
    }

    private static func answer(_ request: HTTPRequest, _ monitor: Monitor) -> HTTPAnswer {
        switch request.path {
        // No task: a scrape does not wait while tasks are busy.
        case "/metrics":
            monitor.requests.note(request.path, 200)
            return .response(HTTPResponse(contentType: MetricsText.contentType, body: .bytes(Array(monitor.metrics().utf8))))
        case "/healthz": return .task { answer(request.path, await monitor.health(), monitor) }
        case "/readyz": return .task { answer(request.path, await monitor.readiness(), monitor) }
        default:
            monitor.requests.note("other", 404)
            return .text(404, "try /metrics, /healthz or /readyz")
        }
    }

    private static func answer(_ path: String, _ problems: [HealthProblem], _ monitor: Monitor) -> HTTPResponse {
        let status = problems.allSatisfy(\.isWarning) ? 200 : 503
        monitor.requests.note(path, status)
        return .json(status, HealthProblem.json(problems))
    }
}
