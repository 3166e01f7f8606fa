import BrokerTestSupport
import GatewayTestSupport
import LocalBroker
import Mosquitto
import Testing

@testable import GatewayRuntime

@Suite("Ending the sessions that a broker keeps", .timeLimit(.minutes(5)))
struct KeptSessionTests {
    private let log = CollectedLog()

    private func sessions(at brokers: BrokerList) -> [KeptSession] {
        ["one", "two"].map { name in
            let connection = MosquittoConfiguration(brokers: brokers, clientID: name, subscriptions: [.init("in/#")])
            return KeptSession(connection: connection, logger: log.logger)
        }
    }

    @Test("all are ended, one after the other, where the first broker of the list cannot be reached")
    func ended() async throws {
        let broker = try await BrokerProcess()
        let brokers = try BrokerList([LoopbackPort.free(), broker.port].map { BrokerAddress(host: "127.0.0.1", port: $0) })
        let sessions = sessions(at: brokers)
        for session in sessions { #expect(try await session.subscribe()) }
        for session in sessions { #expect(try await session.isKept() == true) }
        let left = await KeptSession.end(sessions, within: 40, on: SystemGatewayClock())
        #expect(left.isEmpty)
        for session in sessions { #expect(try await session.isKept() == false) }
    }

    @Test("what a session kept may come before SUBACK: it is subscribed all the same, and nothing acknowledged")
    func backlog() async throws {
        let broker = try ScriptedBroker()
        let brokers = BrokerList([BrokerAddress(host: "127.0.0.1", port: broker.port)])
        var connection = try #require(sessions(at: brokers).first).connection
        connection.version = .v311
        let session = KeptSession(connection: connection, logger: log.logger)
        async let isSubscribed = session.subscribe()
        let wire = try await broker.accept()
        try await wire.expect(.connect)
        try await wire.send(.accepted(sessionPresent: true), .publish("in/a", "1", identifier: 1))
        let subscribe = try await wire.expect(.subscribe)
        #expect(try await wire.isSilent(forMilliseconds: 100))
        try await wire.send(.grant(1, to: subscribe))
        #expect(try await isSubscribed)
        while let packet = try await wire.receive() { #expect(packet.kind != .publishAcknowledgement) }
    }

    @Test("those of a broker that cannot be reached in time are returned")
    func unreachable() async throws {
        let port = try LoopbackPort.free()
        let sessions = sessions(at: BrokerList([BrokerAddress(host: "127.0.0.1", port: port)]))
        let left = await KeptSession.end(sessions, within: 40, on: ManualClock())
        #expect(left.map(\.connection.clientID) == ["one", "two"])
    }
}
