import BrokerTestSupport
import GatewayTestSupport
import LocalBroker
import Mosquitto
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConnectionTests {
    @Test("After a broker restart the session, the subscription and the outbox are as before", arguments: versions)
    func brokerRestart(version: MosquittoConfiguration.ProtocolVersion) async throws {
        let broker = try await BrokerProcess()
        try await withClient(.test(broker.port, "in", version: version, "in/#")) { subscriber in
            try await withClient(.test(broker.port, "out", version: version)) { publisher in
                try await subscriber.connected()
                try await publisher.publish(numbered("in/a", 0..<3))
                #expect(try await subscriber.take(3).count == 3)

                await broker.stop()
                try await publisher.reached("disconnected") { if case .disconnected = $0 { true } else { false } }
                let ticket = publisher.enqueue(numbered("in/a", 3..<103))
                try await broker.start()
                try await publisher.settled(ticket)
                // Acknowledgements that had not left when the broker stopped bring their messages again.
                var texts: [String] = []
                while texts.last != "102" { texts += try await subscriber.take(1).map(\.text) }
                #expect(Array(texts.suffix(100)) == (3..<103).map(String.init))
                #expect(Set(texts.dropLast(100)).isSubset(of: ["0", "1", "2"]))
                #expect(subscriber.state == .connected(sessionPresent: true))
            }
        }
    }

    @Test("Subscriptions are made again when the broker has lost the session", arguments: versions)
    func lostSession(version: MosquittoConfiguration.ProtocolVersion) async throws {
        let broker = try await BrokerProcess()
        try await withClient(.test(broker.port, "in", version: version, "in/#")) { subscriber in
            try await subscriber.connected()
            #expect(subscriber.state == .connected(sessionPresent: false))
            broker.kill()
            try await subscriber.reached("disconnected") { if case .disconnected = $0 { true } else { false } }
            try await broker.start()
            try await subscriber.connected()
            #expect(subscriber.state == .connected(sessionPresent: false))
            try await withClient(.test(broker.port, "out", version: version)) { try await $0.publish(numbered("in/a", 0..<1)) }
            #expect(try await subscriber.take(1).count == 1)
        }
    }

    @Test("A session ends with its expiry, and a clean start discards it")
    func sessionExpiry() async throws {
        let broker = try await BrokerProcess()
        let configuration = MosquittoConfiguration.test(broker.port, "in", "in/#")
        let visit = { (configuration: MosquittoConfiguration) in
            try await withClient(configuration) { client in
                try await client.connected()
                let state = client.state
                await client.stop()
                return state
            }
        }
        #expect(try await visit(configuration) == .connected(sessionPresent: false))
        #expect(try await visit(configuration) == .connected(sessionPresent: true))
        #expect(try await visit(configuration.with { $0.cleanStart = true }) == .connected(sessionPresent: false))
        #expect(try await visit(configuration.with { $0.sessionExpirySeconds = 0 }) == .connected(sessionPresent: true))
        #expect(try await visit(configuration) == .connected(sessionPresent: false))
    }

    @Test("A refused password is tried again until it is right", arguments: versions)
    func wrongPassword(version: MosquittoConfiguration.ProtocolVersion) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "passwords")
        let broker = try await BrokerProcess(settings: ["allow_anonymous false", "password_file %d/passwords"], in: directory)
        let configuration = MosquittoConfiguration.test(broker.port, version: version).with {
            $0.username = "gateway"
            $0.password = "secret"
        }
        let log = CollectedLog()
        try await withClient(configuration, log: log) { client in
            try await client.reached("refused") { if case .disconnected(.refused) = $0 { true } else { false } }
            try BrokerPasswords.add("gateway", "secret", to: directory.path("passwords"))
            await broker.stop()
            try await broker.start()
            try await client.connected()
            #expect(!log.contains("secret"))
            #expect(!"\(configuration)".contains("secret"))
        }
    }

    @Test("A filter that is refused, or granted less than asked, is an error and tried again", arguments: [0x80, 0] as [UInt8])
    func refusedSubscription(code: UInt8) async throws {
        let broker = try ScriptedBroker()
        try await withClient(.test(broker.port, version: .v311, "in/#")) { client in
            let states = client.stateChanges()
            let first = try await broker.accept(answering: .accepted())
            try await first.send(.grant(code, to: first.expect(.subscribe)))
            try await client.reached("refused", in: states) { state in
                guard case .disconnected(.subscriptionRefused(let subscription, _)) = state else { return false }
                return subscription.filter == "in/#"
            }
            let second = try await broker.accept(answering: .accepted())
            try await second.send(.grant(1, to: second.expect(.subscribe)))
            try await client.connected()
        }
    }

    @Test("The log names what to change when a filter is refused")
    func refusedSubscriptionAdvice() async throws {
        let broker = try ScriptedBroker()
        var configuration = MosquittoConfiguration.test(broker.port, version: .v311)
        configuration.subscriptions = [.init("in/#", adviceIfRefused: "add \"topic read in/#\"")]
        let log = CollectedLog()
        try await withClient(configuration, log: log) { client in
            let states = client.stateChanges()
            let connection = try await broker.accept(answering: .accepted())
            try await connection.send(.grant(0x80, to: connection.expect(.subscribe)))
            try await client.reached("refused", in: states) {
                if case .disconnected(.subscriptionRefused) = $0 { true } else { false }
            }
            #expect(log.lines.contains { $0.contains("subscription to in/# refused") && $0.contains("add \"topic read in/#\"") })
        }
    }

    @Test("A filter that is not required may be refused: the connection stays, and the log says so")
    func refusedOptionalSubscription() async throws {
        let broker = try ScriptedBroker()
        var configuration = MosquittoConfiguration.test(broker.port, version: .v311)
        configuration.subscriptions = [.init("hub/status", qos: .atMostOnce, isRequired: false)]
        let log = CollectedLog()
        try await withClient(configuration, log: log) { client in
            let connection = try await broker.accept(answering: .accepted())
            try await connection.send(.grant(0x80, to: connection.expect(.subscribe)))
            try await client.connected()
            #expect(log.contains("subscription to hub/status refused"))
        }
    }

    /// A client that no longer wants `old/#`, and its connection behind CONNECT.
    private func withUnsubscribingClient(_ body: (TestClient, ScriptedConnection) async throws -> Void) async throws {
        let broker = try ScriptedBroker()
        let configuration = MosquittoConfiguration.test(broker.port, version: .v311, "in/#").with {
            $0.unsubscriptions = ["old/#"]
        }
        try await withClient(configuration) { client in
            let connection = try await broker.accept()
            try await connection.expect(.connect)
            try await body(client, connection)
        }
    }

    @Test(
        "Filters that are no longer wanted are removed from a kept session behind SUBSCRIBE, ahead of everything else that is written"
    )
    func unsubscribing() async throws {
        try await withUnsubscribingClient { client, connection in
            // A message of the kept session comes right behind CONNACK: its acknowledgement must not overtake.
            try await connection.send(.accepted(sessionPresent: true), .publish("old/a", "1", identifier: 1))
            let subscribe = try await connection.expect(.subscribe)
            let unsubscribe = try await connection.expect(.unsubscribe)
            #expect(String(decoding: unsubscribe.body.dropFirst(4), as: UTF8.self) == "old/#")
            try await connection.send(.grant(1, to: subscribe))
            try #require(await client.nextBatch()).commit()
            try await connection.expect(.publishAcknowledgement)
            #expect(client.state == .connecting)
            try await connection.send(Packet(.unsubscribeAcknowledgement, Array(unsubscribe.body.prefix(2))))
            try await client.connected()
        }
    }

    @Test("While messages of a kept session are processed, no more are read: before SUBACK as after it")
    func backlogBeforeSubscribed() async throws {
        let broker = try ScriptedBroker()
        try await withClient(.test(broker.port, "in", version: .v311, "in/#")) { client in
            let connection = try await broker.accept()
            try await connection.expect(.connect)
            try await connection.send(.accepted(sessionPresent: true), .publish("in/a", "1", identifier: 1))
            let subscribe = try await connection.expect(.subscribe)
            let first = try #require(await client.nextBatch())
            try await connection.send(.publish("in/a", "2", identifier: 2), .grant(1, to: subscribe))
            #expect(try await connection.isSilent(forMilliseconds: 100))
            #expect(client.statistics.messagesRead == 1)
            first.commit()
            #expect(first.messages.map(\.text) == ["1"])
            #expect(try await connection.expect(.publishAcknowledgement).identifier == 1)
            #expect(try await client.take(1).map(\.text) == ["2"])
            #expect(try await connection.expect(.publishAcknowledgement).identifier == 2)
            try await client.connected()
        }
    }

    @Test("A connection that is to be dropped is closed, before SUBACK too")
    func dropBeforeSubscribed() async throws {
        let broker = try ScriptedBroker()
        let configuration = MosquittoConfiguration.test(broker.port, "in", version: .v311, "in/#").with {
            $0.connectTimeoutSeconds = 3600
        }
        try await withClient(configuration) { client in
            let connection = try await broker.accept(answering: .accepted())
            try await connection.expect(.subscribe)
            client.client.dropConnection()
            #expect(try await connection.receive() == nil)
        }
    }

    @Test("A session that the broker does not know is not unsubscribed from anything")
    func nothingToUnsubscribe() async throws {
        try await withUnsubscribingClient { client, connection in
            try await connection.send(.accepted())
            try await connection.send(.grant(1, to: connection.expect(.subscribe)))
            try await client.connected()
        }
    }

    @Test("A broker that accepts the socket and sends nothing times out")
    func silentBroker() async throws {
        let broker = try ScriptedBroker()
        try await withClient(.test(broker.port).with { $0.connectTimeoutSeconds = 0.2 }) { client in
            try await client.reached("timed out") { $0 == .disconnected(.timedOut) }
            _ = try await broker.accept()
            _ = try await broker.accept()
        }
    }

    @Test("A session taken over is distinguished from a lost connection")
    func takeover() async throws {
        // mosquitto 2.0.11 closes the older connection without a word, so the reason has to be scripted.
        let broker = try ScriptedBroker()
        try await withClient(.test(broker.port, "same")) { client in
            let connection = try await broker.accept(answering: Packet(.connectAcknowledgement, [0, 0, 0]))
            try await client.connected()
            let states = client.stateChanges()
            try await connection.send(Packet(.disconnect, [0x8e, 0]))
            try await client.reached("taken over", in: states) { $0 == .disconnected(.sessionTakenOver) }
        }
    }

    @Test("Two clients with one identifier reconnect with increasing waits")
    func sharedIdentifier() async throws {
        let broker = try await BrokerProcess()
        let configuration = MosquittoConfiguration.test(broker.port, "same").with { $0.backOff.maximumSeconds = 60 }
        try await withClient(configuration) { first in
            try await first.connected()
            // From before the second connects: the third loss in a row has another reason.
            let states = first.stateChanges()
            try await withClient(configuration) { second in
                try await second.connected()
                try await first.reached("lost", in: states) { if case .disconnected(.lost) = $0 { true } else { false } }
                try await eventually("they have met ten times") {
                    first.statistics.connections > 5 && second.statistics.connections > 5
                }
            }
        }
    }

    @Test("A frozen broker is detected by keep-alive", .timeLimit(.minutes(5)))
    func frozenBroker() async throws {
        let broker = try await BrokerProcess()
        try await withClient(.test(broker.port).with { $0.keepAliveSeconds = 5 }) { client in
            try await client.connected()
            broker.freeze()
            try await client.reached("lost") { if case .disconnected(.lost) = $0 { true } else { false } }
            broker.thaw()
            try await client.connected()
        }
    }

    @Test("A configuration that cannot work ends the run")
    func impossibleConfiguration() async throws {
        let port = try LoopbackPort.free()
        let impossible = [
            MosquittoConfiguration.test(port).with { $0.keepAliveSeconds = 1 },
            MosquittoConfiguration.test(port).with { $0.subscriptions = [.init("a", qos: .exactlyOnce)] },
            MosquittoConfiguration.test(port).with { $0.tls = MosquittoTLS(caFile: "/nonexistent") },
        ]
        for configuration in impossible {
            let client = TestClient(configuration)
            await #expect(throws: MosquittoError.self) { try await client.run() }
            #expect(client.state == .stopped)
            #expect(await client.nextBatch() == nil)
        }
    }
}
