import FleetPage
import GatewayHTTP
import HTTPTestSupport
import Testing

@Suite("The page over HTTP")
struct ServedPageTests {
    private let hub = PageHub(store: FleetStore(), startedAt: start)

    /// Serves the page on a free loopback port while `body` runs.
    private func serve(
        token: String? = nil, operators: PageAccess.Operators = .nobody, gateway: StandIn = StandIn(),
        _ body: (Int) async throws -> Void
    ) async throws {
        let access = PageAccess(hosts: ["127.0.0.1"], token: token, operators: operators)
        let site = PageSite(hub: hub, access: access, requests: gateway.requests, days: 7)
        var limits = HTTPServerLimits()
        limits.takesPost = true
        try await withServer(limits: limits, handler: { site.answer($0, at: start) }, body)
    }

    @Test(
        "It has its files, with the rules that browsers enforce",
        arguments: [
            ("/", "text/html"), ("/page.css", "text/css"), ("/page.js", "text/javascript"), ("/plot.js", "text/javascript"),
            ("/favicon.ico", "image/svg+xml"), ("/api/devices", "application/json"),
            ("/metrics", "text/plain; version=0.0.4; charset=utf-8"),
        ])
    func files(_ path: String, _ type: String) async throws {
        try await serve { port in
            let answer = try await RawHTTPClient.get(path, port: port)
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            #expect(answer.contains("Content-Type: \(type)"))
            for rule in [
                "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                    + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n",
                "X-Content-Type-Options: nosniff\r\n", "Referrer-Policy: no-referrer\r\n",
            ] { #expect(answer.contains(rule)) }
            #expect(!answer.contains("Access-Control"))
        }
    }

    @Test("Its files load nothing from elsewhere and hold no script or style in the page")
    func ownFiles() async throws {
        try await serve { port in
            for path in [
                "/", "/page.css", "/page.js", "/alarms.js", "/row.js", "/detail.js", "/dive.js", "/earlier.js", "/episodes.js",
                "/head.js",
                "/parts.js", "/plot.js", "/run.js", "/series.js", "/sets.js", "/swing.js", "/table.js", "/text.js", "/trend.js",
            ] {
                let answer = try await RawHTTPClient.get(path, port: port)
                #expect(answer.hasPrefix("HTTP/1.1 200 "))
                #expect(!answer.contains("https://") && !answer.contains("innerHTML") && !answer.contains("style=\""))
                #expect(!answer.contains("<script>") && !answer.contains(" onclick"))
            }
        }
    }

    @Test("A name that is not its own is refused, but not for the health check")
    func hosts() async throws {
        try await serve { port in
            #expect(try await RawHTTPClient.get("/", port: port, fields: "Host: evil.example\r\n").hasPrefix("HTTP/1.1 421 "))
            let health = try await RawHTTPClient.get("/healthz", port: port, fields: "Host: pod\r\n")
            #expect(health.hasPrefix("HTTP/1.1 503 ") && health.contains("connecting"))
            hub.tick(at: start, brokerProblem: nil)
            #expect(try await RawHTTPClient.get("/healthz", port: port).hasPrefix("HTTP/1.1 200 "))
            // A probe of HTTP/1.0 names no host; an address in the target counts more than the field.
            for (request, status) in [
                ("GET /healthz HTTP/1.0\r\n\r\n", 200), ("GET / HTTP/1.0\r\n\r\n", 421),
                ("GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 421),
                ("GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 200),
            ] {
                let client = try RawHTTPClient(port: port)
                client.send(request)
                let answer = await client.readAll()
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request)")
            }
        }
    }

    @Test("The token sets a cookie that opens the page, and leaves the address")
    func token() async throws {
        let token = "0123456789abcdef"
        try await serve(token: token) { port in
            for path in ["/", "/page.js", "/events", "/api/devices", "/metrics", "/?token=wrong", "/api/devices?token=\(token)"] {
                #expect(try await RawHTTPClient.get(path, port: port).hasPrefix("HTTP/1.1 401 "))
            }
            let answer = try await RawHTTPClient.get("/?token=\(token)", port: port)
            #expect(answer.hasPrefix("HTTP/1.1 303 ") && answer.contains("Location: /\r\n"))
            let line = try #require(answer.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: ") })
            #expect(line.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
            let cookie = line.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" }
            #expect(try await RawHTTPClient.get("/", port: port, fields: "Cookie: \(cookie)\r\n").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("Events are sent as they happen")
    func events() async throws {
        try await serve { port in
            let client = try RawHTTPClient(port: port)
            client.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            let first = await client.read(until: "\n\n")
            #expect(first.contains("Content-Type: text/event-stream\r\n"))
            #expect(first.contains("event: snapshot\n"))
            hub.receive(
                topic: "wearables/a/out/connection/device", payload: Array(#"{"state":"connected"}"#.utf8), at: start)
            hub.tick(at: start, brokerProblem: nil)
            #expect(await client.read(until: "event: beat").contains(#""id":"a""#))
            hub.finish()
            let rest = await client.readAll()
            #expect(rest.isEmpty || rest.hasSuffix("\n\n"))
        }
    }

    @Test("A device's history is one request; what is not there is 404")
    func histories() async throws {
        try await serve { port in
            hub.receive(topic: "wearables/a/out/gap", payload: Array("{}".utf8), at: start)
            let history = try await RawHTTPClient.get("/api/devices/a", port: port)
            #expect(history.contains(#""timeline":[{"at""#))
            for path in ["/api/devices/b", "/api", "/page", "/../page.js", "/api/devices/"] {
                #expect(try await RawHTTPClient.get(path, port: port).hasPrefix("HTTP/1.1 404 "))
            }
        }
    }

    @Test("Only an operator acknowledges, with a name, and only a page of this site can ask for it")
    func acknowledge() async throws {
        hub.receive(topic: "wearables/ultra-1/out/gap", payload: Array("{}".utf8), at: start)
        let gateway = StandIn { _ in #"{"schema":"wearables/1","device":"ultra-1","state":"acknowledged"}"# }
        let target = "/api/acknowledge?device=ultra-1&alarm=refused%2Fsubmersion&by=Ann+B"
        func post(_ target: String, _ port: Int, fields: String = "X-Fathom: 1\r\n") async throws -> String {
            let all = "Host: 127.0.0.1\r\nContent-Length: 0\r\n" + fields
            return try await RawHTTPClient.get(target, port: port, fields: all, method: "POST")
        }
        try await serve(operators: .token("0123456789abcdef"), gateway: gateway) { port in
            #expect(try await post(target, port).hasPrefix("HTTP/1.1 403 "))
            #expect(try await RawHTTPClient.get("/api/viewer", port: port).contains(#""mayAcknowledge":false}"#))
            // By it the page knows how old the events are that it receives.
            #expect(try await RawHTTPClient.get("/api/viewer", port: port).contains(#""at":\#(Int(start))"#))
            let bearer = "Authorization: Bearer 0123456789abcdef\r\n"
            #expect(try await post(target, port, fields: bearer).hasPrefix("HTTP/1.1 403 "))
            #expect(gateway.asked.isEmpty)
            let fields = bearer + "X-Fathom: 1\r\n"
            #expect(try await post(target, port, fields: fields).hasPrefix("HTTP/1.1 200 "))
            let asked = try #require(gateway.asked.first)
            #expect(asked.topic == "wearables/ultra-1/query/acknowledge/page")
            #expect(asked.body["alarm"] as? String == "refused/submersion" && asked.body["by"] as? String == "Ann B")
            for wrong in ["", "device=other&", "device=%23&", "device=a/b&"] {
                #expect(try await post("/api/acknowledge?\(wrong)alarm=a&by=b", port, fields: fields).hasPrefix("HTTP/1.1 404 "))
            }
            for wrong in ["&by=b", "&alarm=a", "&alarm=a&by=\(String(repeating: "x", count: 65))"] {
                #expect(
                    try await post("/api/acknowledge?device=ultra-1\(wrong)", port, fields: fields).hasPrefix("HTTP/1.1 400 "))
            }
            #expect(try await post("/api/devices", port, fields: fields).hasPrefix("HTTP/1.1 404 "))
        }
    }

    @Test("A name that does not print is refused with the reason; quotes and letters of any script are let through")
    func names() async throws {
        hub.receive(topic: "wearables/ultra-1/out/gap", payload: Array("{}".utf8), at: start)
        let gateway = StandIn()
        try await serve(operators: .everybody, gateway: gateway) { port in
            func post(_ query: String) async throws -> String {
                try await RawHTTPClient.get(
                    "/api/acknowledge?device=ultra-1&\(query)", port: port, fields: "Host: 127.0.0.1\r\nX-Fathom: 1\r\n",
                    method: "POST")
            }
            for wrong in ["alarm=a&by=A%0aB", "alarm=a%00&by=b", "alarm=a&by=%C2%85"] {
                let answer = try await post(wrong)
                #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("characters that print"), "\(answer)")
            }
            #expect(gateway.asked.isEmpty)
            #expect(try await post("alarm=a&by=%22%C3%89va%22%5C").hasPrefix("HTTP/1.1 504 "))
            #expect(gateway.asked.first?.body["by"] as? String == "\"Éva\"\\")
        }
    }

    @Test("What a gateway refuses, and that none answers, is told to the viewer")
    func refusals() async throws {
        hub.receive(topic: "wearables/ultra-1/out/gap", payload: Array("{}".utf8), at: start)
        let target = "/api/acknowledge?device=ultra-1&alarm=a&by=b"
        let refusing = StandIn { _ in #"{"error":"badRequest","detail":"no alarm is called a"}"# }
        let silent = StandIn()
        for (gateway, status, text) in [(refusing, 409, "no alarm is called a"), (silent, 504, "no gateway answered within 5 s")]
        {
            try await serve(operators: .everybody, gateway: gateway) { port in
                let answer = try await RawHTTPClient.get(
                    target, port: port, fields: "Host: 127.0.0.1\r\nX-Fathom: 1\r\n", method: "POST")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.contains(text))
            }
        }
    }

    @Test("Earlier days of a device are one request, of one that is not known none")
    func earlier() async throws {
        hub.receive(topic: "wearables/ultra-1/out/gap", payload: Array("{}".utf8), at: start)
        let gateway = StandIn { _ in #"{"messages":[],"next":null}"# }
        try await serve(gateway: gateway) { port in
            let answer = try await RawHTTPClient.get("/api/devices/ultra-1/earlier", port: port)
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains(#""episodes":[]"#))
            #expect(gateway.asked.map(\.topic) == ["wearables/ultra-1/query/events/page"])
            #expect(try await RawHTTPClient.get("/api/devices/other/earlier", port: port).hasPrefix("HTTP/1.1 404 "))
        }
    }

    @Test("A page of another site gets nothing and has nothing asked, but a link on it opens the page")
    func otherSites() async throws {
        hub.receive(topic: "wearables/ultra-1/out/gap", payload: Array("{}".utf8), at: start)
        let gateway = StandIn { _ in #"{"messages":[],"next":null}"# }
        try await serve(gateway: gateway) { port in
            func status(_ path: String, _ site: String, _ mode: String) async throws -> String {
                let fields = "Host: 127.0.0.1\r\nSec-Fetch-Site: \(site)\r\nSec-Fetch-Mode: \(mode)\r\n"
                let answer = try await RawHTTPClient.get(path, port: port, fields: fields)
                return String(answer.dropFirst("HTTP/1.1 ".count).prefix(3))
            }
            for path in ["/api/devices/ultra-1/earlier", "/events", "/api/devices"] {
                let refused = try await status(path, "cross-site", "no-cors")
                #expect(refused == "403")
            }
            #expect(gateway.asked.isEmpty)
            let link = try await status("/", "cross-site", "navigate")
            #expect(link == "200")
            let own = try await status("/api/devices/ultra-1/earlier", "same-origin", "cors")
            #expect(own == "200")
        }
    }

    @Test("HEAD opens no stream")
    func head() async throws {
        try await serve { port in
            let answer = try await RawHTTPClient.get("/events", port: port, method: "HEAD")
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
    }
}
