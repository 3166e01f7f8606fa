@testable import GatewayHTTP
import HTTPTestSupport
import Testing

@Suite struct EventStreamTests {
    @Test func encodesAnEvent() {
        let event = ServerSentEvent(id: 7, name: "derived", data: "one\ntwo")
        #expect(String(decoding: event.bytes, as: UTF8.self) == "id: 7\nevent: derived\ndata: one\ndata: two\n\n")
        // Only these end a line of an event: U+2028 in a topic has to arrive as it is.
        #expect(
            String(decoding: ServerSentEvent(name: "a", data: "1\u{2028}2\u{85}3\r\n4\r5").bytes, as: UTF8.self)
                == "event: a\ndata: 1\u{2028}2\u{85}3\ndata: 4\ndata: 5\n\n")
        #expect(String(decoding: ServerSentEvent(name: "beat", data: "").bytes, as: UTF8.self) == "event: beat\ndata: \n\n")
    }

    @Test func endsWhenFull() {
        let stream = EventStream(capacity: 2)
        #expect(stream.send(ServerSentEvent(name: "a", data: "1")))
        #expect(stream.send(ServerSentEvent(name: "a", data: "2")))
        #expect(!stream.hasEnded)
        #expect(!stream.send(ServerSentEvent(name: "a", data: "3")))
        #expect(stream.hasEnded)
        #expect(!stream.send(ServerSentEvent(name: "a", data: "4")))
    }

    @Test func endsWhenTooManyBytesWait() {
        let stream = EventStream(capacity: 8, mostBytes: 100)
        let (large, small) = ([UInt8](repeating: 0x61, count: 1_000), [UInt8](repeating: 0x62, count: 60))
        // The first may be of any size, and what was taken does not count.
        for event in [large, small] { #expect(stream.send(event)) }
        #expect(stream.next() == .write(large))
        #expect(stream.send(small))
        #expect(stream.next() == .write(small))
        #expect(stream.send(small))
        #expect(!stream.send(small))
        #expect(stream.hasEnded)
        #expect(stream.next() == .cut)
    }

    @Test func sendsUntilFinished() async throws {
        let stream = EventStream(capacity: 4)
        stream.send(ServerSentEvent(name: "a", data: "1"))
        try await serve([stream]) { port in
            let client = try RawHTTPClient(port: port)
            client.send("GET /0 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await client.read(until: "data: 1\n\n").contains("Content-Type: text/event-stream\r\n"))
            stream.send(ServerSentEvent(name: "a", data: "2"))
            stream.finish()
            #expect(await client.readAll() == "event: a\ndata: 2\n\n")
        }
    }

    @Test func cutsASlowReaderWhileAnotherGetsAll() async throws {
        let slow = EventStream(capacity: 256)
        let fast = EventStream(capacity: 256)
        try await serve([slow, fast]) { port in
            let sleeper = try RawHTTPClient(port: port, receiveBytes: 4_096)
            sleeper.send("GET /0 HTTP/1.1\r\nHost: a\r\n\r\n")
            let reader = try RawHTTPClient(port: port)
            reader.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = await reader.read(until: "\r\n\r\n")
            let filling = String(repeating: "x", count: 4_000)
            var sent = 0
            while !slow.hasEnded {
                sent += 1
                let event = ServerSentEvent(id: UInt64(sent), name: "a", data: filling)
                slow.send(event)
                #expect(fast.send(event))
                #expect(await reader.read(until: "\n\n").contains("id: \(sent)\n"))
            }
            let rest = await sleeper.readAll()
            #expect(!rest.contains("id: \(sent)\n"))
            fast.finish()
            #expect(await reader.readAll().isEmpty)
        }
    }

    @Test func capsStreams() async throws {
        var limits = HTTPServerLimits.patient
        limits.eventStreams = 1
        let streams = [EventStream(capacity: 4), EventStream(capacity: 4)]
        try await serve(streams, limits: limits) { port in
            let first = try RawHTTPClient(port: port)
            first.send("GET /0 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await first.read(until: "\r\n\r\n").contains("200 OK"))
            let answer = try await RawHTTPClient.get("/1", port: port)
            #expect(answer.hasPrefix("HTTP/1.1 503 "))
            #expect(streams[1].hasEnded)
        }
    }

    @Test func cutsAViewerThatSendsOnInAnotherProtocol() async throws {
        let stream = EventStream(capacity: 4)
        try await serve([stream]) { port in
            let client = try RawHTTPClient(port: port)
            client.send("GET /0 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
            #expect(await client.read(until: "\r\n\r\n").contains("200 OK"))
            // More than the buffers of both sockets hold: it is sent to its end only where the server reads all of it.
            client.send(String(repeating: "x", count: 32 << 20))
            stream.send(ServerSentEvent(name: "late", data: ""))
            stream.finish()
            let rest = await client.readAll()
            #expect(!rest.contains("late"))
        }
    }

    @Test func endsWithAViewerThatSendsNothingMore() async throws {
        let stream = EventStream(capacity: 4)
        try await serve([stream]) { port in
            let client = try RawHTTPClient(port: port)
            client.send("GET /0 HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = await client.read(until: "\r\n\r\n")
            client.endSending()
            while !stream.hasEnded { await Task.yield() }
            #expect(await client.readAll().isEmpty)
        }
    }

    @Test func headOpensNoStream() async throws {
        let stream = EventStream(capacity: 4)
        try await serve([stream]) { port in
            let answer = try await RawHTTPClient.get("/0", port: port, method: "HEAD")
            #expect(answer.contains("text/event-stream"))
            #expect(stream.hasEnded)
        }
    }

    /// Serves each stream under its index.
    private func serve(
        _ streams: [EventStream], limits: HTTPServerLimits = .patient, _ body: (Int) async throws -> Void
    ) async throws {
        try await withServer(
            limits: limits,
            handler: { request in Int(request.path.dropFirst()).map { .events(streams[$0]) } ?? .text(404, "nothing here") },
            body)
    }
}
