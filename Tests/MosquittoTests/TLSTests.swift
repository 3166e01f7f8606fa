import BrokerTestSupport
import Foundation
import LocalBroker
import Mosquitto
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TLSTests {
    /// A broker that supports TLS up to `newest`.
    private func start(newest: String = "TLSv1.3") async throws -> (BrokerProcess, TestCertificates) {
        let directory = try TemporaryDirectory()
        let certificates = try TestCertificates(client: "gateway", in: directory)
        // mosquitto has no setting for it: its `tls_version` is the oldest one.
        let openssl = try directory.write(
            """
            openssl_conf = defaults
            [defaults]
            ssl_conf = contexts
            [contexts]
            system_default = context
            [context]
            MaxProtocol = \(newest)
            """, to: "openssl.cnf")
        let broker = try await BrokerProcess(
            settings: [
                "allow_anonymous false", "cafile %d/ca.crt", "certfile %d/server.crt", "keyfile %d/server.key",
                "require_certificate true", "use_identity_as_username true",
            ], environment: ["OPENSSL_CONF": openssl], in: directory)
        return (broker, certificates)
    }

    private func tls(_ certificates: TestCertificates) -> MosquittoTLS {
        let directory = certificates.directory
        return MosquittoTLS(
            caFile: certificates.authority, certificateFile: directory.path("client.crt"), keyFile: directory.path("client.key"))
    }

    @Test("Client certificates connect, publish and read", arguments: versions)
    func clientCertificates(version: MosquittoConfiguration.ProtocolVersion) async throws {
        let (broker, certificates) = try await start()
        let configuration = MosquittoConfiguration.test(broker.port, version: version, "in/#").with { $0.tls = tls(certificates) }
        try await withClient(configuration) { subscriber in
            try await subscriber.connected()
            let egress = configuration.with {
                $0.clientID = "out"
                $0.subscriptions = []
            }
            try await withClient(egress) { publisher in
                async let received = subscriber.take(500)
                try await publisher.publish(numbered("in/a", 0..<500))
                #expect(try await received == numbered("in/a", 0..<500))
                await publisher.stop()
            }
            await subscriber.stop()
        }
    }

    @Test("A broker with TLS 1.2 at most is accepted by default, and refused where TLS 1.3 is required")
    func minimumVersion() async throws {
        let (broker, certificates) = try await start(newest: "TLSv1.2")
        var tls = tls(certificates)
        #expect(tls.minimumVersion == .v12)
        try await withClient(.test(broker.port).with { $0.tls = tls }) { try await $0.connected() }
        tls.minimumVersion = .v13
        try await withClient(.test(broker.port).with { $0.tls = tls }) { client in
            try await client.reached("failed") { state in
                guard case .disconnected(.connectFailed(let error)) = state else { return false }
                return error.reason.contains("protocol version")
            }
        }
    }

    @Test("A broker with TLS 1.3 is accepted where that is required")
    func requiredVersion() async throws {
        let (broker, certificates) = try await start()
        var tls = tls(certificates)
        tls.minimumVersion = .v13
        try await withClient(.test(broker.port).with { $0.tls = tls }) { try await $0.connected() }
    }

    @Test("A broker of another authority is refused, with the reason")
    func wrongAuthority() async throws {
        let (broker, _) = try await start()
        let others = try TestCertificates(client: "gateway", in: TemporaryDirectory())
        try await withClient(.test(broker.port).with { $0.tls = tls(others) }) { client in
            try await client.reached("failed") { state in
                guard case .disconnected(.connectFailed(let error)) = state else { return false }
                return error.reason.contains("certificate verify failed") && error.isRetriable
            }
        }
    }

    @Test("Of several brokers the first is passed over whose certificate is of another authority, or for another name")
    func severalBrokers() async throws {
        let (broker, certificates) = try await start()
        let (other, _) = try await start()
        // "127.1" is an address of the second broker as well, but its certificate names 127.0.0.1 and localhost only.
        let addresses = [("127.0.0.1", other.port), ("127.1", broker.port), ("localhost", broker.port)]
        let configuration = MosquittoConfiguration.test(broker.port).with {
            $0.brokers = BrokerList(addresses.map { BrokerAddress(host: $0.0, port: $0.1) })
            $0.tls = tls(certificates)
        }
        try await withClient(configuration) { client in
            try await client.connected()
            #expect(client.statistics.broker == BrokerAddress(host: "localhost", port: broker.port))
        }
    }

    @Test("Messages in one TLS record with CONNACK are not acknowledged before they are committed")
    func backlogInOneRecord() async throws {
        let certificates = try TestCertificates(client: "gateway", in: TemporaryDirectory())
        let server = try TLSServer(certificates)
        let configuration = MosquittoConfiguration.test(server.port, version: .v311, "in/#").with { $0.tls = tls(certificates) }
        try await withClient(configuration) { client in
            try await eventually("CONNECT has come") { !server.received.isEmpty }
            let connect = server.received.count
            try server.send(.accepted(sessionPresent: true), .publish("in/a", "1", identifier: 1))
            try #require(await client.nextBatch()).release()
            try await eventually("the connection is closed") { server.hasEnded }
            #expect(server.received.count == connect)
        }
    }

    @Test("A peer that closes during the handshake, or does not listen, is detected at once", arguments: [true, false])
    func hangUp(accepts: Bool) async throws {
        let certificates = try TestCertificates(client: "gateway", in: TemporaryDirectory())
        let broker = try ScriptedBroker()
        let port = accepts ? broker.port : try LoopbackPort.free()
        let configuration = MosquittoConfiguration.test(port).with {
            $0.tls = tls(certificates)
            $0.connectTimeoutSeconds = 3600
        }
        try await withClient(configuration) { client in
            guard accepts else {
                return try await client.reached("failed") { if case .disconnected(.connectFailed) = $0 { true } else { false } }
            }
            try await broker.accept().hangUp()
            // An end without a reset may be a refusal of MQTT 5: then the next attempt follows without a change of state.
            _ = try await broker.accept()
        }
    }
}

/// A TLS server for one client, which sends only the packets of a test: `openssl s_server`.
private final class TLSServer: Sendable {
    let port: UInt16
    private let process = Process()
    private let input = Pipe()
    private let output = Mutex<(bytes: [UInt8], hasEnded: Bool)>(([], false))

    /// What the client has sent so far.
    var received: [UInt8] { output.withLock { $0.bytes } }

    /// Whether the client has closed the connection, and all that it sent is received.
    var hasEnded: Bool { output.withLock { $0.hasEnded } }

    init(_ certificates: TestCertificates) throws {
        port = try LoopbackPort.free()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            // Where the tests are killed it ends by itself.
            "timeout", "300", "openssl", "s_server", "-accept", "127.0.0.1:\(port)",
            "-cert", certificates.directory.path("server.crt"), "-key", certificates.directory.path("server.key"),
            "-quiet", "-naccept", "1",
        ]
        (process.standardInput, process.standardOutput, process.standardError) = (input, pipe, FileHandle.nullDevice)
        pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.output.withLock { output in
                output.bytes += data
                output.hasEnded = data.isEmpty
            }
        }
        try process.run()
    }

    deinit { process.terminate() }

    /// Sends packets in one write, which is one record.
    func send(_ packets: Packet...) throws { try input.fileHandleForWriting.write(contentsOf: Data(packets.flatMap(\.bytes))) }
}
