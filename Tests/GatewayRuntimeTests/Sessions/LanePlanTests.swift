import GatewayConfiguration
import Mosquitto
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
        for plan in LanePlan.lanes(of: configuration) + [.single(of: configuration)] {
            #expect(plan.filters(of: configuration).allSatisfy { !$0.contains("#") })
        }
        let all = GatewayConfiguration.StreamList.all.names.map { "wearables/+/in/\($0)" }
        #expect(Set(LanePlan.single(of: configuration).filters(of: configuration)) == Set(all))
    }

    @Test("with gateway.reportUnknownStreams the last lane subscribes to everything, and so does a lane that is alone")
    func unknown() {
        let configuration = configuration(reportsUnknown: true)
        let plans = LanePlan.lanes(of: configuration)
        #expect(plans.map { $0.filters(of: configuration) == ["wearables/+/in/#"] } == [false, false, true])
        #expect(LanePlan.single(of: configuration).filters(of: configuration) == ["wearables/+/in/#"])
    }

    @Test("a recording has everything", arguments: [true, false])
    func tap(reportsUnknown: Bool) {
        let connection = MosquittoConfiguration.tap(configuration(reportsUnknown: reportsUnknown))
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
