import GatewayConfiguration
import Mosquitto
import Testing

@testable import GatewayRuntime

@Suite("What a broker lacks, and what follows")
struct BrokerLackTests {
    private var mqtt = GatewayConfiguration.MQTT()

    /// A broker that does everything.
    private var good: BrokerFacts {
        BrokerFacts(
            version: .v5, terms: BrokerTerms(sessionExpirySeconds: 86_400), sessionExpirySeconds: 86_400, retained: .wildcards,
            keepsSession: true, window: .init(messages: 200, queued: 220, permitted: 200), redelivery: .atOnce(inOrder: true))
    }

    private func lacks(_ change: (inout BrokerFacts) -> Void) -> [BrokerLack] {
        var facts = good
        change(&facts)
        return facts.lacks(for: mqtt)
    }

    @Test("Nothing, and nothing where nothing is known")
    func none() {
        #expect(good.lacks(for: mqtt).isEmpty)
        #expect(BrokerFacts().lacks(for: mqtt).isEmpty)
    }

    @Test("What CONNACK does not grant")
    func terms() {
        #expect(lacks { $0.terms?.retains = false }.map(\.capability) == [.retain])
        #expect(lacks { $0.terms?.allowsWildcards = false }.map(\.capability) == [.wildcards])
        #expect(lacks { $0.terms?.maximumQoS = .atMostOnce }.map(\.capability) == [.maximumQoS])
        #expect(lacks { $0.terms?.maximumQoS = .atLeastOnce }.map(\.capability) == [])
        let short = lacks { $0.sessionExpirySeconds = 300 }
        #expect(short.map(\.capability) == [.sessionExpiry])
        #expect(short.first?.text.contains("300 s of 86400 s") == true)
    }

    @Test("MQTT 5, unless 3.1.1 is configured")
    mutating func version() {
        #expect(lacks { ($0.version, $0.terms) = (.v311, nil) }.map(\.capability) == [.mqtt5])
        mqtt.version = .v311
        #expect(lacks { ($0.version, $0.terms) = (.v311, nil) }.isEmpty)
    }

    @Test("Retained messages and sessions")
    func kept() {
        #expect(lacks { $0.retained = .exactTopics }.map(\.capability) == [.retainedToWildcards])
        #expect(lacks { $0.retained = .nowhere }.first?.text.contains("not delivered:") == true)
        #expect(lacks { $0.keepsSession = false }.map(\.isProblem) == [true])
    }

    @Test("Late redelivery: the setting, and nothing once it is set")
    mutating func redelivery() {
        let late = lacks { $0.redelivery = .after(seconds: 29.8) }
        #expect(late.first?.text.contains("set mqtt.redeliverySeconds to 90 or more") == true)
        #expect(lacks { $0.redelivery = .missing(after: 40) }.map(\.capability) == [.redelivery])
        #expect(lacks { $0.redelivery = .atOnce(inOrder: false) }.map(\.capability) == [.redelivery])
        mqtt.redeliverySeconds = 90
        #expect(lacks { $0.redelivery = .after(seconds: 29.8) }.isEmpty)
    }

    @Test(
        "A small window, and none that is as wide as the client permits or the queue is long",
        arguments: [(1, true), (10, true), (200, false)])
    func window(messages: Int, isSmall: Bool) {
        let found = lacks { $0.window = .init(messages: messages, queued: 220, permitted: 200) }
        #expect(found.map(\.capability) == (isSmall ? [.window] : []))
        #expect(lacks { $0.window = .init(messages: 220, queued: 220, permitted: 1_000) }.isEmpty)
    }

    @Test("NATS is recognised by what it does, as MQTT tells no name")
    func nats() {
        #expect(BrokerFacts(version: .v311, redelivery: .after(seconds: 10)).isLikeNats)
        for other in [BrokerFacts.Redelivery.atOnce(inOrder: true), .missing(after: 40), nil] {
            #expect(!BrokerFacts(version: .v311, redelivery: other).isLikeNats)
        }
        #expect(!BrokerFacts(version: .v5, redelivery: .after(seconds: 10)).isLikeNats)
    }
}
