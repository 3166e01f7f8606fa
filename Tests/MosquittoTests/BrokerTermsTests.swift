import BrokerTestSupport
import Mosquitto
import Testing

@Suite("What a broker grants", .timeLimit(.minutes(5)))
struct BrokerTermsTests {
    /// The terms after a CONNACK of MQTT 5 with these properties.
    private func terms(_ properties: [UInt8]) async throws -> BrokerTerms? {
        let broker = try ScriptedBroker()
        return try await withClient(.test(broker.port)) { client in
            let connection = try await broker.accept()
            _ = try await connection.expect(.connect)
            try await connection.send(Packet(.connectAcknowledgement, [0, 0, UInt8(properties.count)] + properties))
            try await client.connected()
            return client.statistics.terms
        }
    }

    @Test("Without properties what was asked for, and no restriction")
    func none() async throws {
        let terms = try await terms([])
        #expect(terms == BrokerTerms(sessionExpirySeconds: 3600))
    }

    @Test("What the properties of CONNACK say")
    func restricted() async throws {
        let terms = try await terms([0x11, 0, 0, 1, 44, 0x24, 1, 0x25, 0, 0x28, 0])
        #expect(terms?.sessionExpirySeconds == 300)
        #expect(terms?.maximumQoS == .atLeastOnce)
        #expect(terms?.retains == false && terms?.allowsWildcards == false)
    }

    @Test("A broker that demands a shorter keep-alive than the client's gets PINGREQ in time")
    func keepAlive() async throws {
        let broker = try ScriptedBroker()
        try await withClient(.test(broker.port).with { $0.keepAliveSeconds = 60 }) { client in
            let connection = try await broker.accept(answering: Packet(.connectAcknowledgement, [0, 0, 3, 0x13, 0, 2]))
            try await client.connected()
            #expect(client.statistics.terms?.keepAliveSeconds == 2)
            // 10 s at the most, and a check in every fifth part of 60 s would come later.
            try await connection.expect(.pingRequest)
        }
    }

    @Test("On MQTT 3.1.1 nothing is known")
    func old() async throws {
        let broker = try ScriptedBroker()
        try await withClient(.test(broker.port, version: .v311)) { client in
            let connection = try await broker.accept()
            _ = try await connection.expect(.connect)
            try await connection.send(.accepted())
            try await client.connected()
            #expect(client.statistics.terms == nil && client.statistics.version == .v311)
        }
    }
}
