import BrokerTestSupport
import Glibc
import LocalBroker
import Testing

@testable import Mosquitto

@Suite(.timeLimit(.minutes(5)))
struct BrokerChoiceTests {
    private static let closed = DisconnectReason.connectFailed(.library(7, errno: 0))
    private static let unreachable = DisconnectReason.connectFailed(.library(14, errno: ECONNREFUSED))
    private static let versionRefused = DisconnectReason.refused(.reasonCode(0x84))

    private let brokers = BrokerList(["a", "b", "c"].map { BrokerAddress(host: $0, port: 1883) })

    private func choice(_ version: MosquittoConfiguration.ProtocolVersion = .v5) -> BrokerChoice {
        BrokerChoice(MosquittoConfiguration(brokers: brokers, clientID: "gateway").with { $0.version = version })
    }

    private func next(_ choice: inout BrokerChoice) -> String {
        choice.begin()
        return choice.broker.host
    }

    @Test("Brokers are tried in turn, and the first follows the last")
    func inTurn() {
        var choice = choice()
        var tried: [String] = []
        for _ in 0..<4 {
            tried.append(next(&choice))
            _ = choice.failed(Self.unreachable)
        }
        #expect(tried == ["a", "b", "c", "a"])
    }

    @Test(
        "A broker that was connected to is left as well",
        arguments: [DisconnectReason.lost(.library(7, errno: 0)), .silent, .timedOut])
    func lost(reason: DisconnectReason) {
        var choice = choice()
        choice.begin()
        _ = choice.accepted()
        _ = choice.failed(reason)
        #expect(next(&choice) == "b")
    }

    @Test("What is no fault of the broker's changes nothing", arguments: [DisconnectReason.batchReleased, .sessionTakenOver])
    func others(reason: DisconnectReason) {
        var choice = choice()
        choice.begin()
        _ = choice.accepted()
        _ = choice.failed(reason)
        #expect(next(&choice) == "a")
    }

    @Test("Clients with one list leave a broker once, and begin where the others are")
    func together() {
        var (first, second) = (choice(), choice())
        first.begin()
        second.begin()
        _ = first.failed(Self.unreachable)
        _ = second.failed(Self.unreachable)
        #expect(next(&first) == "b" && next(&second) == "b")
        var third = choice()
        #expect(next(&third) == "b")
    }

    @Test("A broker that refuses MQTT 5 is tried with 3.1.1 before it is left; so are the others then")
    func versionRefused() {
        var choice = choice()
        choice.begin()
        let isRefused = choice.failed(Self.versionRefused)
        #expect(isRefused)
        #expect(next(&choice) == "a" && choice.version == .v311)
        _ = choice.failed(Self.unreachable)
        #expect(next(&choice) == "b" && choice.version == .v311)
    }

    @Test("A broker that closes on MQTT 5 is tried with 3.1.1 at once, one that is silent in its next turn")
    func silence() {
        var choice = choice()
        choice.begin()
        _ = choice.failed(Self.closed)
        #expect(next(&choice) == "a" && choice.version == .v311)
        _ = choice.failed(Self.unreachable)
        for name in ["b", "c", "a"] {
            #expect(next(&choice) == name && choice.version == .v5)
            _ = choice.failed(.timedOut)
        }
        #expect(next(&choice) == "b" && choice.version == .v311)
    }

    @Test("A client whose broker is killed or hangs connects to the next, and stays there", arguments: [false, true])
    func integration(hangs: Bool) async throws {
        let (one, two) = (try await BrokerProcess(), try await BrokerProcess())
        let list = BrokerList([one, two].map { BrokerAddress(host: "127.0.0.1", port: $0.port) })
        let configuration = MosquittoConfiguration.test(one.port).with { $0.brokers = list }
        try await withClient(configuration) { client in
            try await client.connected()
            #expect(client.statistics.broker == list.addresses[0])
            let changes = client.stateChanges()
            if hangs {
                one.freeze()
                client.client.dropConnection()
            } else {
                one.kill()
            }
            try await client.reached("disconnected", in: changes) { if case .disconnected = $0 { true } else { false } }
            try await client.connected()
            #expect(client.statistics.broker == list.addresses[1])
            if hangs { one.thaw() } else { try await one.start() }
            try await client.publish([MQTTMessage("a", "1")])
            #expect(client.statistics.broker == list.addresses[1])
        }
        // A client that begins later begins at the broker of the others, not at the first.
        try await withClient(configuration.with { $0.clientID = "other" }) { client in
            try await client.connected()
            #expect(client.statistics.broker == list.addresses[1])
        }
    }
}
