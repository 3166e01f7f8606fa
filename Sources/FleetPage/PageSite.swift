package import GatewayHTTP
import GatewayPipeline
import JSONText
import Metrics
import TelemetryModel

/// Answers the page's requests: its files, its events and what it knows as JSON.
package struct PageSite: Sendable {
    private let hub: PageHub
    private let access: PageAccess
    private let requests: PageRequests
    private let earlier: EarlierDays

    /// How long a gateway has to answer an acknowledgement, in s.
    private static let acknowledgeSeconds = 5.0
    private static let longestName = 64

    /// What browsers are to enforce for every answer.
    private static let headers: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// Creates the site; it asks gateways with `requests`, and shows as many `days` as they keep.
    package init(hub: PageHub, access: PageAccess, requests: PageRequests, days: Double) {
        self.hub = hub
        self.access = access
        self.requests = requests
        earlier = EarlierDays(requests: requests, days: days)
    }

    /// The answer to a request at `now`, unix seconds.
    package func answer(_ request: HTTPRequest, at now: Double) -> HTTPAnswer {
        switch checked(request, at: now) {
        case .response(let response): .response(Self.protected(response))
        case .task(let task): .task { Self.protected(await task()) }
        }
    }

    private static func protected(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers += headers
        return response
    }

    private func checked(_ request: HTTPRequest, at now: Double) -> HTTPAnswer {
        // For health checks, which use any name; it reports nothing of the fleet.
        if request.path == "/healthz" { return .response(health()) }
        let verdict = access.verdict(
            host: request.host, path: request.path, tokenInQuery: request.query["token"], cookies: request.header("cookie"),
            authorization: request.header("authorization"))
        switch verdict {
        // It could read no answer, but have gateways asked for earlier days, of which the page's account gets only so many bytes an hour.
        case .granted where request.header("sec-fetch-site") == "cross-site" && request.header("sec-fetch-mode") != "navigate":
            return .text(403, "a page of another site asks for this")
        case .granted(let isOperator):
            if request.method == "POST" { return act(request, isOperator: isOperator) }
            return content(request, isOperator: isOperator, at: now)
        case .signedIn(let cookie):
            var response = HTTPResponse.text(303, "signed in")
            response.headers = [
                ("Location", "/"), ("Set-Cookie", "\(PageAccess.cookie)=\(cookie); Path=/; HttpOnly; SameSite=Strict"),
            ]
            return .response(response)
        case .wrongHost: return .text(421, "this page does not answer to that name: add it to page.hosts")
        case .notSignedIn: return .text(401, "sign in first: open this address with /?token= and the token of page.tokenFile")
        }
    }

    private func content(_ request: HTTPRequest, isOperator: Bool, at now: Double) -> HTTPAnswer {
        switch request.path {
        case "/events":
            // A viewer of HEAD would never be served.
            guard request.method == "GET" else { return .text(200, "") }
            return .events(hub.viewer(after: request.header("last-event-id").flatMap(UInt64.init), at: now))
        case "/metrics":
            return .response(HTTPResponse(contentType: MetricsText.contentType, body: .bytes(hub.metrics(at: now))))
        case "/api/devices": return .response(.json(200, hub.everything(at: now)))
        case "/api/viewer":
            return .response(
                .json(
                    200,
                    JSONWriter.object { json in
                        json.seconds("at", now)
                        json.field("mayAcknowledge", isOperator)
                    }))
        case let path where path.hasPrefix("/api/devices/") && path.hasSuffix("/earlier"):
            let id = String(path.dropFirst("/api/devices/".count).dropLast("/earlier".count))
            guard let recordsDays = hub.recordsDays(id), Identifier(id) != nil else { return .text(404, "no such device") }
            return .task { [earlier] in .json(200, await earlier.document(of: id, recordsDays: recordsDays, at: now)) }
        case let path where path.hasPrefix("/api/devices/"):
            let id = String(path.dropFirst("/api/devices/".count))
            return hub.device(id).map { .response(.json(200, $0)) } ?? .text(404, "no such device")
        default:
            guard let asset = PageAsset.named(request.path) else { return .text(404, "nothing here") }
            return .response(HTTPResponse(contentType: asset.contentType, body: .bytes(asset.bytes)))
        }
    }

    /// Acknowledges an alarm: `POST /api/acknowledge?device=…&alarm=…&by=…`.
    private func act(_ request: HTTPRequest, isOperator: Bool) -> HTTPAnswer {
        guard request.path == "/api/acknowledge" else { return .text(404, "nothing here") }
        // A page of another site cannot send it without asking, and nobody answers such a question here.
        guard request.header("x-fathom") != nil else { return .text(403, "the header field X-Fathom is missing") }
        guard isOperator else {
            return .text(403, "only operators acknowledge alarms: open /?token= with the token of page.operatorTokenFile")
        }
        let (device, alarm, name) = (request.query["device"] ?? "", request.query["alarm"] ?? "", request.query["by"] ?? "")
        guard hub.recordsDays(device) != nil, Identifier(device) != nil else { return .text(404, "no such device") }
        guard !alarm.isEmpty, !name.isEmpty, name.unicodeScalars.count <= Self.longestName else {
            return .text(400, "alarm and by are needed: which alarm, and a name of at most \(Self.longestName) characters")
        }
        // A gateway takes no others, and a value of a message is written as it stands.
        guard alarm.escaped == alarm, name.escaped == name else {
            return .text(400, "alarm and by must be of characters that print")
        }
        return .task { [requests] in
            do throws(PageRequests.Failure) {
                _ = try await requests.ask(
                    "acknowledge", of: device, ["alarm": .text(alarm), "by": .text(name)], within: Self.acknowledgeSeconds)
                return .text(200, "acknowledged")
            } catch {
                return .text(error.status, error.text)
            }
        }
    }

    private func health() -> HTTPResponse {
        hub.brokerProblem.map { HTTPResponse.text(503, "no connection to the broker: \($0)") } ?? .text(200, "ok")
    }
}
