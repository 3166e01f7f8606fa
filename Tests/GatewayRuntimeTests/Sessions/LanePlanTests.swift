import GatewayConfiguration
import GatewayPipeline
import Mosquitto
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("The topic filters of lanes")
struct LanePlanTests {
    private func configuration(reportsUnknown: Bool? = nil) -> GatewayConfiguration {
        var configuration = GatewayConfiguration()
        if let reportsUnknown { configuration.gateway.reportUnknownStreams = reportsUnknown }
        return configuration
    }

    @Test("by default no filter takes in topics of no stream")
    func known() {
        let configuration = configuration()
        let plans = LanePlan.lanes(of: configuration)
        for plan in plans { #expect(plan.filters(of: configuration).allSatisfy { !$0.contains("#") }) }
        let all = GatewayConfiguration.StreamList.all.names.map { "wearables/+/in/\($0)" }
        let heartbeats = ["safety", "motion", "bulk"].map { "fathom/gateway/heartbeat/\($0)" }
        #expect(
            MosquittoConfiguration.ingress(configuration, plans).subscriptions.map(\.filter).sorted()
                == (all + heartbeats).sorted())
    }

    @Test("with gateway.reportUnknownStreams the last lane subscribes to everything, and so does a session of all lanes")
    func unknown() {
        let configuration = configuration(reportsUnknown: true)
        let plans = LanePlan.lanes(of: configuration)
        #expect(plans.map { $0.filters(of: configuration) == ["wearables/+/in/#"] } == [false, false, true])
        let shared = MosquittoConfiguration.ingress(configuration, plans).subscriptions.map(\.filter)
        #expect(shared.filter { !$0.contains("heartbeat") } == ["wearables/+/in/#"])
    }

    @Test("a stream is on one lane, and so are those that a derivation needs together")
    func assignment() {
        #expect(
            LanePlan.lanes(of: configuration()).flatMap { $0.share.streams.map(\.rawValue) }.sorted()
                == StreamName.allCases.map(\.rawValue).sorted())
        // Of the others each lane derives from its own streams.
        for name in ["posture", "pedometer", "headPose", "connection.headphone"] {
            let homes = Derivations.declarations.first { $0.name == name }?.homeStreams ?? []
            #expect(Set(homes.map(GatewayConfiguration.Lanes.Name.init(of:))).count == 1, "\(name)")
        }
    }

    @Test("a recording has everything", arguments: [true, false])
    func tap(reportsUnknown: Bool) throws {
        let connection = try MosquittoConfiguration.tap(configuration(reportsUnknown: reportsUnknown))
        #expect(connection.subscriptions.map(\.filter) == ["wearables/+/in/#"])
    }

    @Test(
        "lanes of one account are found wherever they are",
        arguments: [
            ([nil, nil, nil], nil), (["a", nil, nil], ["safety", "motion"]), (["a", "b", nil], ["safety", "bulk"]),
            (["a", "b", "b"], ["motion", "bulk"]), (["a", "b", "c"], nil), (["a", "b", "a"], ["safety", "bulk"]),
        ] as [([String?], [String]?)])
    func oneAccount(users: [String?], expected: [String]?) {
        var configuration = GatewayConfiguration()
        for (name, user) in zip(GatewayConfiguration.Lanes.Name.allCases, users) {
            configuration.lanes[name].account.username = user
        }
        let pair = LanePlan.ofOneAccount(LanePlan.lanes(of: configuration), in: configuration)
        #expect(pair.map { [$0.first.name.rawValue, $0.second.name.rawValue] } == expected)
    }
}
