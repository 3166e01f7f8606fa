import FleetPage
import Foundation
import LiveView
import Synchronization
import Testing

@Suite("What the page asks gateways")
struct RequestTests {
    /// A dive that begins `seconds` after the start, as a gateway keeps it.
    private func dive(_ seconds: Double, deepest: Double) -> String {
        #"{"kind":"dive","id":"d\#(seconds)","at":\#(start + seconds + 60),"start":\#(start + seconds),"end":\#(start + seconds + 60),"#
            + #""duration":60,"deepest":\#(deepest),"ascentRate":0.4,"profile":{"interval":1,"depth":[1.5,null,\#(deepest)]}}"#
    }

    private func document(
        _ gateway: StandIn, recordsDays: Bool = false, at seconds: Double = 0, _ earlier: EarlierDays? = nil
    ) async throws -> [String: Any] {
        let earlier = earlier ?? EarlierDays(requests: gateway.requests, days: 7)
        return try #require(parsed(await earlier.document(of: "u", recordsDays: recordsDays, at: start + seconds)))
    }

    @Test("The replies of a device are read to their end; of revisions the last counts, and texts come from the declarations")
    func pages() async throws {
        let set = #"{"kind":"set","start":\#(start),"end":\#(start + 20),"repetitions":REPS,"period":2.0,"set":1}"#
        let gateway = StandIn { [dives = (dive(-200, deepest: 4.2), dive(-100, deepest: 7))] asked in
            let isFirst = asked.body["after"] == nil
            let messages = isFirst ? [dives.0, set.replacing("REPS", with: "8")] : [set.replacing("REPS", with: "9"), dives.1]
            let next = isFirst ? #"{"at":1,"id":"x"}"# : "null"
            return #"{"messages":[\#(messages.joined(separator: ","))],"next":\#(next)}"#
        }
        let document = try await document(gateway)
        let episodes = try #require(document["episodes"] as? [[String: Any]])
        #expect(episodes.map { $0["heading"] as? String } == ["Dives", "Dives", "Sets"])
        #expect(
            episodes.map { $0["text"] as? String } == [
                "4.2 m deep, 60 s, up at 0.4 m/s", "7.0 m deep, 60 s, up at 0.4 m/s", "set of 9 repetitions, 2.0 s each",
            ])
        let profile = (episodes[0]["message"] as? [String: Any])?["profile"] as? [String: Any]
        #expect((profile?["depth"] as? [Any])?.count == 3)
        let facts = try #require(episodes[1]["facts"] as? [[String]])
        #expect(
            facts.contains(["deepest", "7 m"]) && facts.contains(["duration", "1:00"]) && !facts.contains { $0[0] == "start" })
        #expect(document["isComplete"] as? Bool == true && document["problem"] is NSNull)
        #expect(gateway.asked.count == 2)
        let asked = try #require(gateway.asked.first)
        #expect(asked.body["from"] as? Double == start - 7 * 86_400)
        #expect((asked.body["kinds"] as? [String])?.contains("sleep") == false)
        #expect((gateway.asked[1].body["after"] as? [String: Any])?["id"] as? String == "x")
    }

    @Test("A gateway that has always more is asked twelve times, and the document says that it is not all")
    func endless() async throws {
        let gateway = StandIn { _ in #"{"messages":[],"next":{"at":1,"id":"x"}}"# }
        let document = try await document(gateway)
        #expect(document["isComplete"] as? Bool == false)
        #expect(gateway.asked.count == 12)
    }

    @Test("Nights are asked for where the device records days; without the person's consent they are left out")
    func consent() async throws {
        let gateway = StandIn { asked in
            (asked.body["kinds"] as? [String])?.contains("sleep") == true
                ? #"{"error":"notAuthorized","pointer":"/kinds/0","detail":"no consent"}"#
                : #"{"messages":[],"next":null}"#
        }
        #expect(try await document(gateway, recordsDays: true)["problem"] is NSNull)
        #expect(gateway.asked.map { ($0.body["kinds"] as? [String])?.contains("sleep") } == [false, true])
    }

    @Test("Where the gateway keeps no events, or refuses, the document says so, and is not kept")
    func notStored() async throws {
        let bare = StandIn { _ in #"{"error":"notStored","detail":"the gateway has no gateway.stateDirectory"}"# }
        #expect((try await document(bare)["problem"] as? String)?.contains("gateway.stateDirectory") == true)
        let failing = StandIn { _ in #"{"error":"unavailable","detail":"not now"}"# }
        let earlier = EarlierDays(requests: failing.requests, days: 7)
        for _ in 0..<2 { #expect(try await document(failing, earlier)["problem"] as? String == "not now") }
        #expect(failing.asked.count == 2)
    }

    @Test("A document is kept for half a minute")
    func kept() async throws {
        let gateway = StandIn { _ in #"{"messages":[],"next":null}"# }
        let earlier = EarlierDays(requests: gateway.requests, days: 7)
        for seconds in [0.0, 10, 29, 31, 40] { _ = try await document(gateway, at: seconds, earlier) }
        #expect(gateway.asked.count == 2)
    }

    @Test("It asks no faster than a gateway answers: half of five seconds' worth at once, then evenly")
    func pace() async throws {
        let gateway = StandIn(perSecond: 5) { _ in "{}" }
        for _ in 0..<30 { _ = try await gateway.requests.ask("events", of: "u", [:], within: 10) }
        let times = gateway.asked.map(\.at)
        #expect(times.prefix(11).allSatisfy { abs($0 - times[0]) < 1e-6 })
        for (earlier, later) in zip(times.dropFirst(11), times.dropFirst(12)) { #expect(abs(later - earlier - 0.25) < 1e-6) }
    }

    @Test("An acknowledgement waits for no other requests, and all together are no more than a gateway answers")
    func acknowledgementsFirst() async throws {
        let gateway = StandIn(perSecond: 5) { _ in "{}" }
        for _ in 0..<30 { _ = try await gateway.requests.ask("events", of: "u", [:], within: 10) }
        for _ in 0..<11 { _ = try await gateway.requests.ask("acknowledge", of: "u", [:], within: 5) }
        let times = gateway.asked.map(\.at)
        #expect(times.dropFirst(30).allSatisfy { abs($0 - times[29]) < 1e-6 })
        _ = try await gateway.requests.ask("acknowledge", of: "u", [:], within: 5)
        let twelfth = try #require(gateway.asked.last)
        #expect(twelfth.at > times[29] + 0.1)
        for (index, first) in times.enumerated() {
            for (other, last) in times.enumerated().dropFirst(index) {
                #expect(Double(other - index + 1) <= 5 * (last - first + 5) + 1e-6)
            }
        }
    }

    @Test("However seldom a gateway answers, the first acknowledgement is asked at once")
    func slowGateway() async throws {
        let gateway = StandIn(perSecond: 0.1) { _ in "{}" }
        _ = try await gateway.requests.ask("events", of: "u", [:], within: 10)
        _ = try await gateway.requests.ask("acknowledge", of: "u", [:], within: 5)
        #expect(gateway.asked.count == 2 && gateway.asked.allSatisfy { abs($0.at - 1_000) < 1e-6 })
    }

    @Test("Of several gateways one that knows the device is enough; where all refuse, that is the answer")
    func gateways() async throws {
        let refusing = StandIn(gateways: 2) { _ in #"{"error":"unknownDevice","detail":"u is not registered"}"# }
        await #expect(throws: PageRequests.Failure.refused(reason: "unknownDevice", pointer: "", detail: "u is not registered")) {
            _ = try await refusing.requests.ask("events", of: "u", [:], within: 10)
        }
        let silent = StandIn()
        silent.requests.note(brokerProblem: nil, gateways: 2)
        await #expect(throws: PageRequests.Failure.noAnswer(seconds: 10)) {
            _ = try await silent.requests.ask("events", of: "u", [:], within: 10)
        }
    }

    @Test("A refusal by a gateway that knows the device is returned at once, beside any others", .timeLimit(.minutes(1)))
    func knownDevice() async throws {
        let gateway = StandIn { _ in #"{"error":"notRaised","detail":"the alarm is not raised"}"# }
        gateway.requests.note(brokerProblem: nil, gateways: 3)
        let failure = PageRequests.Failure.refused(reason: "notRaised", pointer: "", detail: "the alarm is not raised")
        await #expect(throws: failure) {
            _ = try await gateway.requests.ask("acknowledge", of: "u", [:], within: 10)
        }
    }

    @Test("Without a connection nothing is asked; a message for another page, or of nobody, is passed over")
    func strangers() async throws {
        let gateway = StandIn { _ in "{}" }
        gateway.requests.note(brokerProblem: "refused", gateways: 0)
        await #expect(throws: PageRequests.Failure.notConnected("refused")) {
            _ = try await gateway.requests.ask("events", of: "u", [:], within: 10)
        }
        #expect(gateway.asked.isEmpty)
        let payload = Array("{}".utf8)
        for topic in ["fathom/g/reply/page/other/1", "fathom/g/reply/page/run/77"] {
            #expect(gateway.requests.receive(topic: topic, payload: payload))
        }
        for topic in ["fathom/g/status", "fathom/g/reply/else/run/1", "wearables/u/out/gap", ""] {
            #expect(!gateway.requests.receive(topic: topic, payload: payload))
        }
    }
}
