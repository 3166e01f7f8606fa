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

    @Test("those of a broker that cannot be reached in time are returned")
    func unreachable() async throws {
        let port = try LoopbackPort.free()
        let sessions = sessions(at: BrokerList([BrokerAddress(host: "127.0.0.1", port: port)]))
        let left = await KeptSession.end(sessions, within: 40, on: ManualClock())
        #expect(left.map(\.connection.clientID) == ["one", "two"])
    }
}
