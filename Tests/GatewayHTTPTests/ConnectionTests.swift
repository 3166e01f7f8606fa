import GatewayHTTP
import HTTPTestSupport
import Synchronization
import Testing

@Suite("Clients that hold every place")
struct ConnectionTests {
    private let places = HTTPServerLimits().connections

    /// Whether each of some probes is answered: as many as a liveness probe sends in two minutes.
    private func isReachable(_ port: Int) async throws -> Bool {
        for _ in 0..<12 {
            guard try await RawHTTPClient.get("/healthz", port: port).hasPrefix("HTTP/1.1 200 ") else { return false }
        }
        return true
    }

    @Test(
        "A probe is answered while half-open connections hold every place",
        arguments: ["", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nA: "])
    func halfOpen(_ start: String) async throws {
        try await withServer { port in
            let clients = try (0..<places).map { _ in try RawHTTPClient(port: port) }
            for client in clients { client.send(start) }
            #expect(try await isReachable(port))
            // The oldest made room; the newest has its place, and its request can still become whole.
            #expect(await clients[0].readAll().isEmpty)
            let rest = "GET / HTTP/1.1\r\nHost: a\r\nA: ".dropFirst(start.count)
            clients[places - 1].send("\(rest)b\r\n\r\n")
            #expect(await clients[places - 1].readAll().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("A probe is answered while every client sends its header a byte at a time")
    func slowHeaders() async throws {
        try await withServer { port in
            let clients = try (0..<places).map { _ in try RawHTTPClient(port: port) }
            for byte in "GET / HTTP/1.1\r\nHost: a" {
                for client in clients { client.send(String(byte)) }
                #expect(try await RawHTTPClient.get("/healthz", port: port).hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test("A probe is answered while every client asks for much and reads nothing")
    func unreadAnswers() async throws {
        let large = [UInt8](repeating: 0x61, count: 1 << 20)
        let asked = Mutex(0)
        try await withServer(handler: { request in
            guard request.path == "/large" else { return .text(200, "well") }
            asked.withLock { $0 += 1 }
            return .response(HTTPResponse(contentType: "text/plain", body: .bytes(large)))
        }) { port in
            let clients = try (0..<places).map { _ in try RawHTTPClient(port: port) }
            for client in clients { client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n") }
            while asked.withLock({ $0 }) < places { await Task.yield() }
            #expect(try await isReachable(port))
            #expect(await clients[0].readAll().utf8.count < large.count)
            #expect(await clients[places - 1].readAll().utf8.count > large.count)
        }
    }

    @Test("One that has sent nothing makes room before one that reads slowly")
    func order() async throws {
        var limits = HTTPServerLimits.patient
        limits.connections = 2
        let large = [UInt8](repeating: 0x61, count: 1 << 20)
        let asked = Mutex(0)
        try await withServer(
            limits: limits,
            handler: { request in
                asked.withLock { $0 += 1 }
                return .response(HTTPResponse(contentType: "text/plain", body: .bytes(request.path == "/large" ? large : [])))
            }
        ) { port in
            let slow = try RawHTTPClient(port: port)
            slow.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
            while asked.withLock({ $0 }) < 1 { await Task.yield() }
            let silent = try RawHTTPClient(port: port)
            #expect(try await isReachable(port))
            #expect(await silent.readAll().isEmpty)
            #expect(await slow.readAll().utf8.count > large.count)
        }
    }

    @Test("A client that has ended its sending side gets the answer that is being made, or learns why there is none")
    func halfClosed() async throws {
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        let isAsked = Mutex(false)
        try await withServer(handler: { request in
            guard request.path == "/task" else { return .text(200, "well") }
            isAsked.withLock { $0 = true }
            return .task {
                for await _ in gate { break }
                return .text(200, "made")
            }
        }) { port in
            let client = try RawHTTPClient(port: port)
            client.send("GET /task HTTP/1.1\r\nHost: a\r\n\r\n")
            client.endSending()
            while !isAsked.withLock({ $0 }) { await Task.yield() }
            // One thread serves all: it has seen the end before it answers others.
            #expect(try await isReachable(port))
            opened.finish()
            #expect(await client.readAll().hasSuffix("made\n"))
            let broken = try RawHTTPClient(port: port)
            broken.send("GET / HTTP/1.1\r\nHo")
            broken.endSending()
            #expect(await broken.readAll().hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test("Where event streams and answers that are being made hold every place, a further connection is closed")
    func busy() async throws {
        var limits = HTTPServerLimits.patient
        limits.connections = 2
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        let isAsked = Mutex(false)
        try await withServer(
            limits: limits,
            handler: { request in
                guard request.path == "/task" else { return .events(EventStream(capacity: 4)) }
                isAsked.withLock { $0 = true }
                return .task {
                    for await _ in gate { break }
                    return .text(200, "made")
                }
            }
        ) { port in
            let viewer = try RawHTTPClient(port: port)
            viewer.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await viewer.read(until: "\r\n\r\n").contains("text/event-stream"))
            let waiting = try RawHTTPClient(port: port)
            waiting.send("GET /task HTTP/1.1\r\nHost: a\r\n\r\n")
            while !isAsked.withLock({ $0 }) { await Task.yield() }
            #expect(try await RawHTTPClient(port: port).readAll().isEmpty)
            opened.finish()
            #expect(await waiting.readAll().hasSuffix("made\n"))
            // The place is free again once its answer is read.
            let next = try RawHTTPClient(port: port)
            next.send("GET /task HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await next.readAll().hasSuffix("made\n"))
        }
    }
}
