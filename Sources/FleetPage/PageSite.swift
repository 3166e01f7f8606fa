package import GatewayHTTP
import JSONText
import Metrics

/// Answers the page's requests: its files, its events and what it knows as JSON.
package struct PageSite: Sendable {
    private let hub: PageHub
    private let access: PageAccess

    /// What browsers are to enforce for every answer.
    private static let headers: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// Creates the site.
    package init(hub: PageHub, access: PageAccess) {
        self.hub = hub
        self.access = access
    }

    /// The answer to a request at `now`, unix seconds.
    package func answer(_ request: HTTPRequest, at now: Double) -> HTTPResponse {
        var response = checked(request, at: now)
        response.headers += Self.headers
        return response
    }

    private func checked(_ request: HTTPRequest, at now: Double) -> HTTPResponse {
        // For health checks, which use any name; it reports nothing of the fleet.
        if request.path == "/healthz" { return health() }
        let verdict = access.verdict(
            host: request.host, path: request.path, tokenInQuery: request.query["token"], cookies: request.header("cookie"),
            authorization: request.header("authorization"))
        switch verdict {
        case .granted: return content(request, at: now)
        case .signedIn(let session):
            var response = HTTPResponse.text(303, "signed in")
            response.headers = [
                ("Location", "/"), ("Set-Cookie", "\(PageAccess.cookie)=\(session); Path=/; HttpOnly; SameSite=Strict"),
            ]
            return response
        case .wrongHost: return .text(421, "this page does not answer to that name: add it to page.hosts")
        case .notSignedIn: return .text(401, "sign in first: open this address with /?token= and the token of page.tokenFile")
        }
    }

    private func content(_ request: HTTPRequest, at now: Double) -> HTTPResponse {
        switch request.path {
        case "/events":
            // A viewer of HEAD would never be served.
            guard request.method == "GET" else { return .text(200, "") }
            return .events(hub.viewer(after: request.header("last-event-id").flatMap(UInt64.init), at: now))
        case "/metrics": return HTTPResponse(contentType: MetricsText.contentType, body: .bytes(hub.metrics(at: now)))
        case "/api/devices": return .json(200, hub.everything(at: now))
        case let path where path.hasPrefix("/api/devices/"):
            let id = String(path.dropFirst("/api/devices/".count))
            return hub.device(id).map { HTTPResponse.json(200, $0) } ?? .text(404, "no such device")
        default:
            guard let asset = PageAsset.named(request.path) else { return .text(404, "nothing here") }
            return HTTPResponse(contentType: asset.contentType, body: .bytes(asset.bytes))
        }
    }

    private func health() -> HTTPResponse {
        hub.brokerProblem.map { HTTPResponse.text(503, "no connection to the broker: \($0)") } ?? .text(200, "ok")
    }
}
