import BrokerTestSupport
import Foundation
import LocalBroker
import Synchronization
import Testing

@testable import NatsKeyValue

/// A server to test with.
private enum Server: String, CaseIterable, CustomTestStringConvertible {
    case scripted = "a scripted server"
    case real = "nats-server"

    var testDescription: String { rawValue }
    static var present: [Server] { allCases.filter { $0 == .scripted || NatsServerProcess.isInstalled } }
}

@Suite("A bucket of NATS's key-value store")
struct KeyValueBucketTests {
    /// Runs `body` with a bucket at a server of each kind.
    private func withBucket(_ server: Server, _ body: (KeyValueBucket, NatsSettings) throws -> Void) async throws {
        let (scripted, real) = (
            server == .scripted ? try ScriptedNats() : nil, server == .real ? try await NatsServerProcess() : nil
        )
        let settings = NatsSettings(
            servers: [.init(host: "127.0.0.1", port: Int(scripted?.port ?? real?.port ?? 0))], name: "test")
        let bucket = KeyValueBucket("b", replicas: 1, settings)
        try bucket.make()
        try body(bucket, settings)
        withExtendedLifetime((scripted, real)) {}
    }

    @Test("a write takes place only over the revision it names", arguments: Server.present)
    fileprivate func revisions(server: Server) async throws {
        try await withBucket(server) { bucket, settings in
            let first = try bucket.write([.init(key: "safety.d1", fields: [("Epoch", "3")], value: [1, 2, 3], over: 0)])
            guard case .stored(let revision)? = first.first else { throw NatsError("\(first)") }
            let entry = try #require(try bucket.entry("safety.d1"))
            #expect(entry.revision == revision && entry.value == [1, 2, 3] && entry.fields["Epoch"] == "3")
            #expect(try bucket.entry("safety.d2") == nil)
            #expect(try bucket.write([.init(key: "safety.d1", value: [4], over: 0)]) == [.conflict])
            #expect(try bucket.write([.init(key: "safety.d1", value: [4], over: revision + 1)]) == [.conflict])
            #expect(try bucket.write([.init(key: "safety.d1", value: [4], over: revision)]) == [.stored(revision + 1)])
            #expect(try bucket.entry("safety.d1")?.value == [4])
            // Another client sees the same, and finds the bucket made.
            let other = KeyValueBucket("b", replicas: 1, settings)
            try other.make()
            #expect(try other.entry("safety.d1")?.revision == revision + 1)
        }
    }

    @Test("a header field without a value is left out, and takes no other with it", arguments: Server.present)
    fileprivate func emptyFields(server: Server) async throws {
        try await withBucket(server) { bucket, _ in
            let names = ["Fathom-Tag", "Fathom-Row", "Fathom-Epoch", "Fathom-Saved"]
            for empty in names {
                let fields = names.map { ($0, $0 == empty ? "" : "of \($0)") }
                _ = try bucket.write([.init(key: "safety.\(empty)", fields: fields, value: [1], over: 0)])
                let read = try #require(try bucket.entries()["safety.\(empty)"]).fields
                #expect(names.allSatisfy { read[$0] == ($0 == empty ? nil : "of \($0)") }, "\(read)")
            }
        }
    }

    @Test("everything is read, and only the last of each key", arguments: Server.present)
    fileprivate func everything(server: Server) async throws {
        try await withBucket(server) { bucket, _ in
            #expect(try bucket.entries().isEmpty)
            let keys = (0..<700).map { "bulk.d\($0)" }
            let value = [UInt8](repeating: 7, count: 5_000)
            let outcomes = try bucket.write(keys.map { .init(key: $0, value: value, over: 0) })
            #expect(outcomes.count == 700 && outcomes.allSatisfy { $0 != .conflict })
            guard case .stored(let last) = outcomes[699] else { throw NatsError("not stored") }
            _ = try bucket.write([.init(key: "bulk.d699", value: [], over: last)])
            let entries = try bucket.entries()
            #expect(Set(entries.keys) == Set(keys))
            #expect(entries["bulk.d0"]?.value == value)
            #expect(entries["bulk.d699"]?.value == [] && entries["bulk.d699"]?.revision == last + 1)
        }
    }

    @Test("a key is removed unless it was written since", arguments: Server.present)
    fileprivate func removal(server: Server) async throws {
        try await withBucket(server) { bucket, _ in
            _ = try bucket.write([.init(key: "a", value: [1], over: 0)])
            let revision = try #require(try bucket.entry("a")?.revision)
            _ = try bucket.write([.init(key: "a", value: [2], over: revision)])
            try bucket.remove("a", upTo: revision)
            #expect(try bucket.entry("a")?.value == [2])
            try bucket.remove("a", upTo: revision + 1)
            #expect(try bucket.entry("a") == nil)
            #expect(try bucket.entries().isEmpty)
            #expect(try bucket.write([.init(key: "a", value: [3], over: 0)]).first != .conflict)
        }
    }

    @Test(
        "a value that the server does not take is an error that names its size, and the connection goes on",
        arguments: Server.present)
    fileprivate func tooLarge(server: Server) async throws {
        try await withBucket(server) { bucket, _ in
            let large = KeyValueBucket.Write(key: "a", value: [UInt8](repeating: 0, count: 1_100_000), over: 0)
            #expect { try bucket.write([large]) } throws: { "\($0)".contains("1100000 bytes; the server takes 1048576") }
            let small = try bucket.write([.init(key: "a", value: [1], over: 0)])
            #expect(small.first != .conflict)
        }
    }

    @Test("a connection that ends is made again by the next call, and what was under way is not known")
    func reconnection() async throws {
        let server = try ScriptedNats()
        let bucket = KeyValueBucket("b", replicas: 1, settings(server))
        try bucket.make()
        server.fault = .losesNextAnswer
        #expect(throws: NatsError.self) { try bucket.write([.init(key: "a", value: [1], over: 0)]) }
        #expect(try bucket.write([.init(key: "a", value: [1], over: 0)]) == [.conflict], "it was stored, without an answer")
        #expect(try bucket.entry("a")?.value == [1])
        server.closeConnections()
        try await eventually("the bucket is read over another connection") { (try? bucket.entries().count) == 1 }
    }

    @Test("a call that is not answered ends no call beside it")
    func besideEachOther() async throws {
        let server = try ScriptedNats()
        let bucket = KeyValueBucket("b", replicas: 1, settings(server))
        try bucket.make()
        server.fault = .isSilentAbout("slow")
        let isOver = Mutex(false)
        let thread = Thread {
            _ = try? bucket.write([.init(key: "slow", value: [1], over: 0)])
            isOver.withLock { $0 = true }
        }
        thread.start()
        var revision: UInt64 = 0
        while !isOver.withLock({ $0 }) {
            guard case .stored(let stored)? = try bucket.write([.init(key: "a", value: [1], over: revision)]).first else {
                Issue.record("a write was not stored")
                return
            }
            revision = stored
        }
        #expect(revision > 0 && server.messages["$KV.b.slow"] == nil)
    }

    @Test("each failure has a reason", arguments: [ScriptedNats.Fault.refusesLogin, .isSilent, .hasNoLeader])
    func reasons(fault: ScriptedNats.Fault) throws {
        let server = try ScriptedNats()
        server.fault = fault
        let bucket = KeyValueBucket("b", replicas: 1, settings(server))
        let expected =
            switch fault {
            case .refusesLogin: "Authorization Violation"
            case .isSilent: "not answered in 0.5 s"
            default: "JetStream is not enabled, or has no leader"
            }
        #expect { try bucket.make() } throws: { "\($0)".contains(expected) }
    }

    @Test("a read of which a message is lost on the way fails, and another goes on")
    func lostDelivery() throws {
        let server = try ScriptedNats()
        let bucket = KeyValueBucket("b", replicas: 1, settings(server))
        _ = try bucket.write(["a", "b", "c"].map { .init(key: $0, value: [1], over: 0) })
        server.fault = .losesDelivery
        #expect { try bucket.entries() } throws: { "\($0)".contains("lost on the way") }
        server.fault = nil
        #expect(try bucket.entries().count == 3)
    }

    @Test("a server that does not answer is left for the next")
    func hangingServer() throws {
        let (first, second) = (try ScriptedNats(), try ScriptedNats())
        var settings = settings(first)
        settings.servers.append(.init(host: "127.0.0.1", port: Int(second.port)))
        let bucket = KeyValueBucket("b", replicas: 1, settings)
        try bucket.make()
        first.fault = .isSilent
        #expect(throws: NatsError.self) { try bucket.make() }
        try bucket.make()
        #expect(try bucket.write([.init(key: "a", value: [1], over: 0)]).first != .conflict)
        #expect(second.messages.count == 1)
    }

    @Test("the servers are tried in turn")
    func severalServers() throws {
        let server = try ScriptedNats()
        var settings = settings(server)
        settings.servers.insert(.init(host: "127.0.0.1", port: Int(try LoopbackPort.free())), at: 0)
        let bucket = KeyValueBucket("b", replicas: 1, settings)
        #expect(throws: NatsError.self) { try bucket.make() }
        try bucket.make()
        #expect(try bucket.entries().isEmpty)
    }

    @Test("a stream that is no bucket is refused", .enabled(if: NatsServerProcess.isInstalled))
    func otherStream() async throws {
        let server = try await NatsServerProcess(settings: [])
        let settings = NatsSettings(servers: [.init(host: "127.0.0.1", port: Int(server.port))], name: "test")
        let connection = try NatsConnection(settings, to: settings.servers[0])
        let config = "{\"name\":\"KV_b\",\"subjects\":[\"other.>\"]}"
        _ = try connection.answers(to: [.init(subject: "$JS.API.STREAM.CREATE.KV_b", payload: Array(config.utf8))])
        #expect { try KeyValueBucket("b", replicas: 1, settings).make() } throws: { "\($0)".contains("no key-value bucket") }
    }

    @Test(
        "a bucket that loses values is refused, with what to do", .enabled(if: NatsServerProcess.isInstalled),
        arguments: [
            ("\"max_age\":60000000000", "deletes values after 60.0 s"), ("\"storage\":\"memory\"", "keeps values in memory"),
            ("\"retention\":\"interest\"", "has the retention 'interest'"),
        ])
    func losingBucket(setting: String, problem: String) async throws {
        let server = try await NatsServerProcess(settings: [])
        let settings = NatsSettings(servers: [.init(host: "127.0.0.1", port: Int(server.port))], name: "test")
        let connection = try NatsConnection(settings, to: settings.servers[0])
        let config = "{\"name\":\"KV_b\",\"subjects\":[\"$KV.b.>\"],\"max_msgs_per_subject\":1,\(setting)}"
        _ = try connection.answers(to: [.init(subject: "$JS.API.STREAM.CREATE.KV_b", payload: Array(config.utf8))])
        #expect { try KeyValueBucket("b", replicas: 1, settings).make() } throws: {
            "\($0)".contains(problem) && "\($0)".contains("nats kv del b")
        }
    }

    @Test("user names and passwords may have any characters", .enabled(if: NatsServerProcess.isInstalled))
    func escapedAccount() async throws {
        let (username, password) = ("ga\"te\\way", "s\"e\\c\tr/é\"")
        let server = try await NatsServerProcess(
            settings: ["authorization { user: \"ga\\\"te\\\\way\", password: \"s\\\"e\\\\c\\tr/é\\\"\" }"])
        var settings = NatsSettings(servers: [.init(host: "127.0.0.1", port: Int(server.port))], name: "a \"name\"")
        (settings.username, settings.password) = (username, password)
        try KeyValueBucket("b", replicas: 1, settings).make()
        settings.password = "s"
        #expect { try KeyValueBucket("b", replicas: 1, settings).make() } throws: { "\($0)".contains("Authorization Violation") }
    }

    @Test("with TLS, user name and password", .enabled(if: NatsServerProcess.isInstalled))
    func encrypted() async throws {
        let directory = try TemporaryDirectory()
        let certificates = try TestCertificates(client: "client", in: directory)
        let server = try await NatsServerProcess(
            settings: [
                "tls { cert_file: \"%d/server.crt\", key_file: \"%d/server.key\" }",
                "authorization { user: \"gateway\", password: \"secret\" }",
            ], in: directory)
        var settings = NatsSettings(servers: [.init(host: "127.0.0.1", port: Int(server.port))], name: "test")
        #expect { try KeyValueBucket("b", replicas: 1, settings).make() } throws: { "\($0)".contains("requires TLS") }
        settings.usesTLS = true
        (settings.username, settings.password) = ("gateway", "secret")
        #expect(throws: NatsError.self, "an authority that is not trusted") {
            try KeyValueBucket("b", replicas: 1, settings).make()
        }
        settings.authoritiesFile = certificates.authority
        let bucket = KeyValueBucket("b", replicas: 1, settings)
        try bucket.make()
        #expect(try bucket.write([.init(key: "a", value: [1], over: 0)]).first != .conflict)
        var otherName = settings
        otherName.servers = [.init(host: "127.1", port: Int(server.port))]
        #expect(throws: NatsError.self, "a certificate for another name") {
            try KeyValueBucket("b", replicas: 1, otherName).make()
        }
        settings.password = "wrong"
        #expect { try KeyValueBucket("b", replicas: 1, settings).make() } throws: { "\($0)".contains("Authorization Violation") }
    }

    private func settings(_ server: ScriptedNats) -> NatsSettings {
        var settings = NatsSettings(servers: [.init(host: "127.0.0.1", port: Int(server.port))], name: "test")
        settings.timeoutSeconds = 0.5
        return settings
    }
}
