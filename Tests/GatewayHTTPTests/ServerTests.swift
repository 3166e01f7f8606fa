import GatewayHTTP
import HTTPTestSupport
import Logging
import Testing

@Suite struct ServerTests {
    @Test func answersAndCloses() async throws {
        try await withServer { port in
            let answer = try await RawHTTPClient.get("/a%20b?c=d", port: port)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("Content-Length: 10\r\n"))
            #expect(answer.contains("X-Content-Type-Options: nosniff\r\n"))
            #expect(answer.hasSuffix("\r\n\r\npath /a b\n"))
        }
    }

    @Test func answersHeadWithoutBody() async throws {
        try await withServer { port in
            let answer = try await RawHTTPClient.get("/a", port: port, method: "HEAD")
            #expect(answer.contains("Content-Length: 8\r\n"))
            #expect(answer.hasSuffix("\r\n\r\n"))
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
    func refusesOtherMethods(_ method: String) async throws {
        try await withServer { port in
            let answer = try await RawHTTPClient.get("/", port: port, fields: "Content-Length: 2\r\n", method: method)
            #expect(answer.hasPrefix("HTTP/1.1 405 "))
            #expect(answer.contains("Allow: GET, HEAD\r\n"))
        }
    }

    @Test(arguments: ["Content-Length: 2\r\n", "Transfer-Encoding: chunked\r\n"])
    func refusesBodies(_ field: String) async throws {
        try await withServer { port in
            let answer = try await RawHTTPClient.get("/", port: port, fields: field)
            #expect(answer.hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test(arguments: [
        "nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET ftp://other/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%4 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n", "GET /?a=%zz HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
    ])
    func answersBadRequestsWith400(_ request: String) async throws {
        try await withServer { port in
            let client = try RawHTTPClient(port: port)
            client.send(request)
            #expect(await client.readAll().hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test(arguments: ["GET /a HTTP/1.0\r\n\r\n", "GET http://b/a HTTP/1.1\r\nHost: a\r\n\r\n"])
    func answersProbesWithoutHostAndAbsoluteTargets(_ request: String) async throws {
        try await withServer { port in
            let client = try RawHTTPClient(port: port)
            client.send(request)
            let answer = await client.readAll()
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("path /a\n"))
        }
    }

    @Test(arguments: ["GET /", "GET / HTTP/1.1\r\nA: ", "GET / HTTP/1.1\r\n"])
    func endsAHeaderFlood(_ start: String) async throws {
        try await withServer { port in
            let client = try RawHTTPClient(port: port)
            client.send(start)
            let piece = start.hasSuffix("\n") ? "A: b\r\n" : "aaaaaaaa"
            for _ in 0..<2_000 { client.send(piece) }
            // The connection may be reset before the answer is read.
            let answer = await client.readAll()
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 431 ") || answer.hasPrefix("HTTP/1.1 400 "))
            let next = try await RawHTTPClient.get("/still", port: port)
            #expect(next.contains("path /still"))
        }
    }

    @Test func answersAHeaderOfTheGreatestSizeAndTheFirstOfSeveralRequests() async throws {
        try await withServer { port in
            let long = String(repeating: "a", count: 8_000)
            #expect(try await RawHTTPClient.get("/a", port: port, fields: "A: \(long)\r\n").hasSuffix("path /a\n"))
            let client = try RawHTTPClient(port: port)
            client.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\nGET /c HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = await client.readAll()
            #expect(answer.hasSuffix("path /b\n"))
        }
    }

    @Test func closesASlowRequest() async throws {
        var limits = HTTPServerLimits()
        limits.requestSeconds = 0.05
        try await withServer(limits: limits) { port in
            let silent = try RawHTTPClient(port: port)
            let slow = try RawHTTPClient(port: port)
            slow.send("GET / HTTP/1.1\r\nHost: a")
            #expect(await silent.readAll().isEmpty)
            #expect(await slow.readAll().isEmpty)
        }
    }

    @Test func answersWithTheResultOfATask() async throws {
        try await withServer(handler: { request in .task { .text(200, "later \(request.path)") } }) { port in
            let answer = try await RawHTTPClient.get("/a", port: port)
            #expect(answer.hasSuffix("\r\n\r\nlater /a\n"))
        }
    }

    @Test func answersWithoutATask() async throws {
        try await withServer(handler: { _ in .text(200, "in a task: \(withUnsafeCurrentTask { $0 != nil })") }) { port in
            let answer = try await RawHTTPClient.get("/", port: port)
            #expect(answer.hasSuffix("in a task: false\n"))
        }
    }

    @Test func namesAnAddressInUse() async throws {
        try await withServer { port in
            let other = HTTPServer(
                host: "127.0.0.1", port: port, logger: Logger(label: "http") { _ in SwiftLogNoOpLogHandler() }
            ) { _ in .text(200, "") }
            let error = await #expect(throws: HTTPServerError.self) { _ = try await other.start() }
            #expect(error?.description == "cannot listen on 127.0.0.1:\(port): another process uses this address and port")
        }
    }

    @Test func stopClosesConnections() async throws {
        let server = HTTPServer(
            host: "127.0.0.1", port: 0, logger: Logger(label: "http") { _ in SwiftLogNoOpLogHandler() }
        ) { _ in .text(200, "") }
        let port = try await server.start()
        let client = try RawHTTPClient(port: port)
        await server.stop()
        #expect(await client.readAll().isEmpty)
        #expect(throws: ConnectFailed.self) { try RawHTTPClient(port: port) }
    }
}
