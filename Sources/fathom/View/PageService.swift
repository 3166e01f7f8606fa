import FleetPage
import GatewayHTTP
import GatewayPipeline
import GatewayRuntime
import Logging
import ServiceLifecycle
import TelemetryModel

/// The fleet page over HTTP.
struct PageService: Service {
    let server: HTTPServer
    let hub: PageHub

    /// Creates the service; `hosts` and `token` as in `PageAccess`.
    init(
        hub: PageHub, address: String, port: Int, hosts: [String], token: String?, clock: any GatewayClock, logger: Logger
    ) {
        self.hub = hub
        let site = PageSite(hub: hub, access: PageAccess(hosts: hosts, token: token))
        server = HTTPServer(host: address, port: port, logger: logger) { request in
            .response(site.answer(request, at: clock.now.unix.seconds))
        }
    }

    /// Serves until a graceful shutdown; `server` must have been started.
    func run() async throws {
        try? await gracefulShutdown()
        hub.finish()
        await server.stop()
    }
}
