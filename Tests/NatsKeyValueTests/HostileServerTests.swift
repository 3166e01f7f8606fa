import BrokerTestSupport
import Foundation
import LocalBroker
import Synchronization
import Testing

@testable import NatsKeyValue

@Suite("A key-value store that is none, or is damaged")
struct HostileServerTests {
    /// What stands in place of a number.
    private static let numbers = [
        "0", "-1", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
        "99999999999999999999999999999999", "1e400", "1.5", "\"5\"", "null", "[]", "{}",
    ]

    private func bucket(_ server: ScriptedNats, timeout: Double = 0.5, megabytes: Int = 10) -> KeyValueBucket {
        var settings = NatsSettings(servers: [.init(host: "127.0.0.1", port: Int(server.port))], name: "test")
        settings.timeoutSeconds = timeout
        settings.maximumMegabytes = megabytes
        return KeyValueBucket("b", replicas: 1, settings)
    }

    /// A server with a value, and its bucket.
    private func filled() throws -> (ScriptedNats, KeyValueBucket) {
        let server = try ScriptedNats()
        let bucket = bucket(server)
        try bucket.make()
        #expect(try bucket.write([.init(key: "a", value: [1], over: 0)]) == [.stored(1)])
        return (server, bucket)
    }

    @Test("a revision that no write has is an error of the server, and the next call goes on", arguments: numbers)
    func revisions(number: String) throws {
        let (server, bucket) = try filled()
        server.fault = .answers("$KV.", with: "{\"stream\":\"b\",\"seq\":\(number)}")
        #expect(throws: NatsError.self) { try bucket.write([.init(key: "a", value: [2], over: 1)]) }
        server.fault = .answers("STREAM.MSG.GET", with: "{\"message\":{\"seq\":\(number),\"data\":\"AQ==\"}}")
        #expect(throws: NatsError.self) { try bucket.entry("a") }
        server.fault = .answers("CONSUMER.CREATE", with: "{\"num_pending\":\(number)}")
        // Nothing is delivered: an empty bucket, or one that is waited for.
        if let entries = try? bucket.entries() { #expect(entries.isEmpty && ["0", "-1"].contains(number)) }
        server.fault = .answers("STREAM.CREATE", with: "{\"error\":{\"code\":\(number),\"err_code\":\(number)}}")
        _ = try? bucket.make()
        server.fault = nil
        #expect(try bucket.entry("a")?.value == [1])
    }

    @Test("a revision that was never given is not purged up to", arguments: [0, 1 << 63, UInt64.max] as [UInt64])
    func purge(revision: UInt64) throws {
        let (server, bucket) = try filled()
        #expect(throws: NatsError.self) { try bucket.remove("a", upTo: revision) }
        #expect(server.messages.count == 1)
    }

    @Test(
        "a place in the stream that no message has is an error",
        arguments: [
            "0.1.1.0", "18446744073709551615.1.1.0", "9223372036854775808.1.1.0", "-1.1.1.0", "1.0.1.0", "1.-1.1.0",
            "1.18446744073709551615.1.0", "1.1.1.-1", "1.1.1.18446744073709551616", "a.b.c.d", "1.1.1",
        ])
    func places(place: String) throws {
        let (server, bucket) = try filled()
        server.fault = .deliversAt(place)
        #expect(throws: NatsError.self) { try bucket.entries() }
        // More is said to come, and does not.
        server.fault = .deliversAt("1.1.1.18446744073709551615")
        #expect { try bucket.entries() } throws: { "\($0)".contains("stopped sending") }
        server.fault = nil
        #expect(try bucket.entries().count == 1)
    }

    @Test(
        "a size that no message has ends the connection, and the next call goes on",
        arguments: [
            "MSG {reply} {number} -1", "MSG {reply} {number} 4294967296", "MSG {reply} {number} 9223372036854775807",
            "MSG {reply} {number} 18446744073709551616", "MSG {reply} {number} 2147400000", "MSG {reply} {number} x",
            "HMSG {reply} {number} 100 1", "HMSG {reply} {number} -1 5", "HMSG {reply} {number} 2147400000 2147400000",
            "HMSG {reply} {number} 4294967296 4294967297", "HMSG {reply} {number} 0 0", "MSG {reply} 18446744073709551616 1",
            "MSG", "HMSG a", "INFO {", "INFO {\"max_payload\":-1}", "INFO {\"max_payload\":18446744073709551615}", "NONSENSE",
        ])
    func sizes(line: String) throws {
        let (server, bucket) = try filled()
        server.fault = .sends("$JS.API", "\(line)\r\nNATS/1.0\r\n\r\n\r\n")
        #expect(throws: NatsError.self) { try bucket.entry("a") }
        #expect(throws: NatsError.self) { try bucket.entries() }
        server.fault = nil
        #expect(try bucket.entry("a")?.value == [1])
    }

    @Test(
        "what a server begins with may be anything",
        arguments: [
            "", "\r\n", "INFO", "INFO {}\r\n", "INFO {\"max_payload\":-9223372036854775808}\r\n",
            "INFO {\"max_payload\":18446744073709551616,\"headers\":true}\r\n", "INFO {\"max_payload\":\"x\"}\r\n",
            "-ERR 'no'\r\n", "HTTP/1.1 200 OK\r\n\r\n", String(repeating: "x", count: 1 << 20),
        ])
    func greeting(text: String) throws {
        let server = try ScriptedNats()
        server.fault = .begins(with: text)
        let bucket = bucket(server)
        // With numbers that mean nothing a connection may be made; values are then refused, or stored.
        do { _ = try bucket.write([.init(key: "a", value: [1], over: 0)]) } catch { #expect(!"\(error)".isEmpty) }
        server.fault = nil
        #expect(try self.bucket(server).entries().count <= 1)
    }

    /// Bytes that are read before a call ends; sockets hold some more.
    private static let mostBytes = 24_000_000

    @Test(
        "what has no end is read up to a limit",
        arguments: [
            "INFO {\"max_payload\":1048576}\r\n", "INFO ", "+OK\r\n", "PING\r\n", "PONG\r\n", "-ERR 'x'\r\n", "-ERR ",
            "MSG other 99 1\r\nx\r\n", "MSG ", "HMSG ", "x", "MSG {reply} {number} 1073741824\r\n",
            "HMSG {reply} {number} 1073741824 1073741825\r\nNATS/1.0\r\n",
        ])
    func floods(text: String) throws {
        let (server, bucket) = try filled()
        server.fault = .sendsForever("STREAM.MSG.GET", text)
        #expect(throws: NatsError.self) { try bucket.entry("a") }
        #expect(server.floodBytes < Self.mostBytes)
        server.fault = nil
        #expect(try bucket.entry("a")?.value == [1])
    }

    @Test("values without end are read up to the limit of a bucket")
    func values() throws {
        let (server, bucket) = try filled()
        server.fault = .deliversForever
        #expect { try bucket.entries() } throws: { "\($0)".contains("more than 10 MB") }
        #expect(server.floodBytes < Self.mostBytes)
        server.fault = nil
        #expect(try bucket.entries().count == 1)
    }

    @Test("heartbeats without end are no values")
    func heartbeats() throws {
        let (server, bucket) = try filled()
        server.fault = .beatsForever
        #expect { try bucket.entries() } throws: { "\($0)".contains("stopped sending") }
        server.fault = nil
        #expect(try bucket.entries().count == 1)
    }

    @Test(
        "calls that wait for a server end when they are interrupted, and those that are made later",
        arguments: [
            ScriptedNats.Fault.isSilent, .begins(with: ""), .answers("CONSUMER.CREATE", with: "{\"num_pending\":5}"),
            .beatsForever,
        ])
    func interruption(fault: ScriptedNats.Fault) async throws {
        let server = try ScriptedNats()
        server.fault = fault
        let bucket = bucket(server, timeout: 3_600)
        let problem = Mutex("")
        Thread {
            do { _ = try bucket.entries() } catch { problem.withLock { $0 = "\(error)" } }
        }.start()
        bucket.interrupt()
        try await eventually("the call ends") { problem.withLock { !$0.isEmpty } }
        #expect(throws: NatsError.self) { try bucket.make() }
    }
}
