import FleetPage
import GatewayHTTP
import GatewayPipeline
import GatewayRuntime
import Logging
import TelemetryModel

/// The fleet page of the demo, on loopback without a token: everybody on this machine may acknowledge alarms.
struct DemoPage: Sendable {
    private static let usualPort = 8_600

    let service: PageService
    /// What to open in a browser.
    let address: String

    /// Listens on `port`; without one on the usual port, or on a free one where that is taken.
    init(_ connection: PageConnection, port: Int?, clock: any GatewayClock, logger: Logger) async throws {
        func service(_ port: Int) -> PageService {
            PageService(
                hub: connection.hub, address: "127.0.0.1", port: port,
                access: PageAccess(hosts: ["127.0.0.1", "localhost"], token: nil, operators: .everybody),
                requests: connection.requests, days: 1, clock: clock, logger: logger)
        }
        var chosen = service(port ?? Self.usualPort)
        let bound: Int
        do {
            bound = try await chosen.server.start()
        } catch let error as HTTPServerError {
            guard port == nil else { throw error }
            chosen = service(0)
            bound = try await chosen.server.start()
        }
        self.service = chosen
        address = PageAddress.text(host: "127.0.0.1", port: bound)
    }
}
