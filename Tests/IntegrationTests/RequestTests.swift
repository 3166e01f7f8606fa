import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Mosquitto
import Testing

@Suite("Requests on a real broker")
struct RequestTests {
    private static let reply = "fathom/test/reply/analyst/1"

    /// Publishes a depth, and waits until it is derived and, where states are stored, committed.
    private func dive(to depth: Double, _ fixture: GatewayFixture, isDurable: Bool = false) async throws {
        try await fixture.dive(to: depth)
        try await eventually("it is committed") {
            !isDurable || fixture.watcher.messages(of: "d1").contains { $0.kind == "committed/submersion" }
        }
    }

    /// Asks until a reply comes on `topic`: the gateway's connection of requests may not be subscribed yet.
    @discardableResult
    private func ask(
        _ client: BrokerClient, replyTo topic: String = RequestTests.reply, _ ask: (BrokerClient) async throws -> Void
    ) async throws -> DerivedJSON {
        try await eventually("a reply") {
            try await ask(client)
            try? await eventually("it", within: .seconds(1)) { !client.replies(on: topic).isEmpty }
            return !client.replies(on: topic).isEmpty
        }
        return try #require(client.replies(on: topic).last)
    }

    private func depths(_ reply: DerivedJSON) -> [Double] {
        (reply.fields["messages"] as? [[String: Any]] ?? []).compactMap { ($0["depth"] as? NSNumber)?.doubleValue }
    }

    private func configure(_ state: String?) -> (inout GatewayConfiguration) -> Void {
        return { configuration in
            configuration.gateway.stateDirectory = state
            configuration.gateway.publishCommitted = true
            configuration.gateway.statusSeconds = 0.1
            configuration.requests.perSecond = 100
            configuration.derive[SubmersionDerivation.self].staleSeconds = 60
        }
    }

    @Test(
        "latest answers on the response topic, with the correlation data, byte for byte, with and without stored states",
        arguments: [true, false])
    func latest(isDurable: Bool) async throws {
        let directory = try TemporaryDirectory()
        try await GatewayFixture.run(configure: configure(isDurable ? directory.path("state") : nil)) { fixture in
            let client = BrokerClient(
                fixture.broker, "analyst", reading: ["fathom/+/reply/analyst/#", "wearables/d1/out/depth-state"])
            try await client.run {
                try await dive(to: 3, fixture, isDurable: isDurable)
                let reply = try await ask(client) { try await $0.ask(replyTo: Self.reply, correlation: "c") }
                #expect(depths(reply) == [3])
                let message = try #require(client.received.last { $0.topic == Self.reply })
                #expect(message.correlationData == Array("c".utf8))
                #expect(message.contentType == "application/json")
                #expect((50...60).contains(message.messageExpirySeconds ?? 0))
                #expect(!message.retain)
                #expect(reply.text("device") == "d1")
                let published = try #require(client.received.last { $0.topic == "wearables/d1/out/depth-state" })
                let text = String(decoding: message.payload, as: UTF8.self)
                let payload = String(decoding: published.payload, as: UTF8.self)
                #expect(payload.hasPrefix(#"{"epoch":1,"#))
                #expect(text.contains(payload.replacing(#""epoch":1,"#, with: "")))
                try await client.ask(query: "latst", replyTo: Self.reply + "/other")
                try await client.ask(#"{"kinds":["depht-state"]}"#, of: "nobody", replyTo: Self.reply + "/kinds")
                try await eventually("errors are replies") {
                    client.replies(on: Self.reply + "/other").first?.text("error") == "unknownQuery"
                        && client.replies(on: Self.reply + "/kinds").first?.text("pointer") == "/kinds/0"
                }
                try await eventually("the status counts them") {
                    let requests = fixture.counters["requests"] as? [String: Any]
                    return (requests?["failed"] as? NSNumber)?.intValue == 2
                        && (requests?["answered"] as? NSNumber)?.intValue ?? 0 >= 1
                }
            }
        }
    }

    /// An hour of a walk with altitudes beside it, and a night of its wearer.
    private func publishHistory(_ fixture: GatewayFixture, walk: [HistoryDevice.Sample]) async throws {
        var phone = TestDevice(offset: now - 1_000)
        let altitudes = (0..<10).map { second in
            phone.frame(
                "altimeter", uptime: 990 + Double(second),
                #""samples":{"timestamp":[\#(990 + second)],"relativeAltitude":[\#(second)],"pressure":[101.3]}"#)
        }
        var watch = HistoryDevice("d1", boot: "w1", start: now - 100_000)
        let frames = watch.frames(walk, size: 600, sent: now)
        try await fixture.publish(altitudes + frames)
        try await eventually("altitudes and the history are committed") {
            let messages = fixture.watcher.messages(of: "d1")
            return messages.contains {
                $0.kind == "committed/recorded-accelerometer" && $0.number("seq") == Double(frames.count - 1)
            }
                && messages.contains { $0.kind == "committed/altimeter" && $0.number("seq") == 9 }
        }
    }

    @Test("events, samples and profile answer from what is stored, and what needs consent is refused without it")
    func history() async throws {
        let directory = try TemporaryDirectory()
        try await GatewayFixture.run(configure: configure(directory.path("state"))) { fixture in
            let client = BrokerClient(fixture.broker, "analyst", reading: ["fathom/+/reply/analyst/#"])
            try await client.run {
                let walk = SimulatedNight.walk(from: (now - 200).rounded(), seconds: 100, cadence: 1.9)
                try await publishHistory(fixture, walk: walk)
                let range = #""from":\#(now - 1_000),"to":\#(now + 1_000)"#
                func reply(_ query: String, _ more: String = "", of device: String = "d1") async throws -> DerivedJSON {
                    let topic = "fathom/test/reply/analyst/\(query)\(client.received.count)"
                    return try await ask(client, replyTo: topic) {
                        try await $0.ask("{\(range)\(more)}", query: query, of: device, replyTo: topic, correlation: query)
                    }
                }
                let first = try await reply("samples", #","stream":"recorded-accelerometer""#)
                let topic = first.topic
                try await eventually("every part") { client.replies(on: topic).contains { $0.flag("last") == true } }
                let parts = client.replies(on: topic).map { $0.fields["samples"] as? [String: [NSNumber]] ?? [:] }
                #expect(parts.count == 3)
                #expect(parts.flatMap { $0["identifier"] ?? [] }.map(\.intValue) == Array(1_000..<6_000))
                let z = parts.flatMap { $0["z"] ?? [] }.map(\.doubleValue)
                #expect(z == walk.map { ($0.z * 2_048).rounded() / 2_048 })
                let profile = try await reply("profile")
                #expect((profile.fields["relativeAltitude"] as? [Any])?.isEmpty == false)
                let events = try await reply("events", #","kinds":["altitude"]"#)
                let messages = events.fields["messages"] as? [[String: Any]] ?? []
                #expect(!messages.isEmpty && messages.allSatisfy { $0["kind"] as? String == "altitude" })
                #expect(try await reply("events", #","kinds":["sleep"]"#).text("error") == "notAuthorized")
                #expect(try await reply("samples", #","stream":"submersion""#).text("pointer") == "/stream")
                #expect(client.received.allSatisfy { $0.correlationData != nil })
            }
        }
    }

    @Test("without a state directory nothing of the past is answered", arguments: ["events", "samples", "profile"])
    func notStored(query: String) async throws {
        try await GatewayFixture.run(configure: configure(nil)) { fixture in
            let client = BrokerClient(fixture.broker, "analyst", reading: ["fathom/+/reply/analyst/#"])
            try await client.run {
                let stream = query == "samples" ? #","stream":"recorded-accelerometer""# : ""
                let body = #"{"from":1763755200,"to":1763755300\#(stream)}"#
                let reply = try await ask(client) { try await $0.ask(body, query: query, replyTo: Self.reply) }
                #expect(reply.text("error") == "notStored")
            }
        }
    }

    @Test("nothing is published on a topic outside the replies, and the refusal is reported")
    func confusedDeputy() async throws {
        try await GatewayFixture.run(configure: configure(nil)) { fixture in
            let client = BrokerClient(fixture.broker, "analyst", reading: ["#"])
            try await client.run {
                try await dive(to: 3, fixture)
                try await ask(client, replyTo: Self.reply + "/first") { try await $0.ask(replyTo: Self.reply + "/first") }
                for topic in ["wearables/d1/out/depth-state", "$SYS/x", "fathom/test/status/x", "wearables/d1/in/command"] {
                    try await client.ask(replyTo: topic)
                }
                try await client.ask(replyTo: nil)
                try await eventually("the refusal is reported") {
                    client.replies(on: "fathom/test/rejected").first?.text("reason") == "invalidTopic"
                }
                // A later request is answered later: the others were, if they were at all.
                try await ask(client) { try await $0.ask(replyTo: Self.reply) }
                let states = client.replies(on: "wearables/d1/out/depth-state")
                #expect(states.allSatisfy { $0.text("kind") == "depth-state" })
                #expect(
                    !client.received.contains {
                        ["$SYS/x", "fathom/test/status/x", "wearables/d1/in/command"].contains($0.topic)
                    })
            }
        }
    }

    @Test("on MQTT 3.1.1 the payload names the reply topic and the correlation")
    func mqtt311() async throws {
        try await GatewayFixture.run(configure: configure(nil)) { fixture in
            let client = BrokerClient(fixture.broker, "analyst", reading: ["fathom/+/reply/analyst/#"], version: .v311)
            try await client.run {
                try await dive(to: 3, fixture)
                let reply = try await ask(client) {
                    try await $0.ask(#"{"reply":"analyst/1","correlation":"q-7"}"#, replyTo: nil)
                }
                #expect(reply.text("correlation") == "q-7")
                #expect(depths(reply) == [3])
            }
        }
    }

    @Test("a user that asks too often gets that reply, and others are answered")
    func limits() async throws {
        try await GatewayFixture.run(configure: { $0.requests.perSecond = 0.1 }) { fixture in
            let client = BrokerClient(fixture.broker, "analyst", reading: ["fathom/+/reply/#"])
            try await client.run {
                let probe = "fathom/test/reply/probe/1"
                try await ask(client, replyTo: probe) { try await $0.ask(replyTo: probe) }
                for number in 0..<10 { try await client.ask(replyTo: "fathom/test/reply/analyst/\(number)") }
                let replies = { (0..<10).flatMap { client.replies(on: "fathom/test/reply/analyst/\($0)") } }
                try await eventually("the limit is reported") { replies().count >= 2 }
                #expect(replies().first?.fields["messages"] != nil)
                #expect(replies().dropFirst().allSatisfy { $0.text("error") == "tooMany" })
                #expect(replies().count < 10)
                try await client.ask(replyTo: "fathom/test/reply/other/1")
                try await eventually("another user is answered") { !client.replies(on: "fathom/test/reply/other/1").isEmpty }
            }
        }
    }

    @Test("a user whom the topic names is answered each time while one asker sends requests under 5,000 names")
    func manyNames() async throws {
        try await GatewayFixture.run(configure: configure(nil)) { fixture in
            let flooder = BrokerClient(fixture.broker, "flooder", reading: ["fathom/+/reply/flooder/#"])
            let client = BrokerClient(fixture.broker, "analyst", reading: ["fathom/+/reply/analyst/#"])
            try await flooder.run {
                try await client.run {
                    try await ask(client) { try await $0.ask(query: "latest/analyst", replyTo: Self.reply) }
                    for round in 0..<10 {
                        try await flooder.ask(as: (0..<500).map { "user-\(round * 500 + $0)" })
                        let topic = "fathom/test/reply/analyst/round-\(round)"
                        try await client.ask(query: "latest/analyst", replyTo: topic)
                        try await eventually("the reply") { !client.replies(on: topic).isEmpty }
                    }
                    try await eventually("the status counts what was dropped") {
                        let requests = fixture.counters["requests"] as? [String: Any]
                        return (requests?["dropped"] as? NSNumber)?.intValue ?? 0 > 0
                    }
                    #expect(Set(client.received.map(\.topic)).flatMap(client.replies).allSatisfy { $0.text("error") == nil })
                }
            }
        }
    }

    @Test("with config/acl a reply reaches its user alone, and viewers get status, rejections and derived messages only")
    func accounts() async throws {
        let directory = try TemporaryDirectory()
        let (broker, gateway) = try await GatewayFixture.withAccessList(
            users: ["analyst", "viewer", "controller", "homeassistant", "d1"], configure: configure(directory.path("state")))
        let analyst = BrokerClient(broker, "analyst", reading: ["fathom/#"])
        let others = ["viewer", "controller", "homeassistant"].map {
            BrokerClient(broker, $0, reading: ["fathom/#", "wearables/+/out/#"])
        }
        let device = BrokerClient(broker, "d1", reading: ["fathom/#"])
        try await GatewayFixture.run(gateway) {
            try await analyst.run {
                try await others[0].run {
                    try await others[1].run {
                        try await others[2].run {
                            try await device.run {
                                try await eventually("the reply") {
                                    try await analyst.ask(replyTo: Self.reply)
                                    return !analyst.replies(on: Self.reply).isEmpty
                                }
                                try await analyst.ask(replyTo: "fathom/test/status")
                                for other in others {
                                    try await eventually("status and rejections") {
                                        Set(other.received.map(\.topic)).isSuperset(of: [
                                            "fathom/test/status", "fathom/test/rejected",
                                        ])
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        for other in others {
            let topics = Set(other.received.map(\.topic).filter { $0.hasPrefix("fathom/") })
            #expect(topics == ["fathom/test/status", "fathom/test/rejected"])
        }
        #expect(Set(analyst.received.map(\.topic)) == [Self.reply])
        #expect(device.received.isEmpty)
    }

    @Test("where other connections have accounts and requests have none, they are not answered, and nothing is disturbed")
    func noAccount() async throws {
        let log = CollectedLog()
        let broker = try await BrokerProcess()
        let gateway = try GatewayFixture.gateway(on: broker, logger: log.logger) { $0.lanes[.safety].account.username = "in" }
        try await GatewayFixture.run(gateway) {
            try await eventually("the log says so") { log.contains("requests are not answered") }
        }
        #expect(!broker.log.contains("test-query"))
    }
}

/// A program that asks.
extension BrokerClient {
    fileprivate convenience init(
        _ broker: BrokerProcess, _ user: String, reading filters: [String],
        version: MosquittoConfiguration.ProtocolVersion = .v5
    ) {
        var connection = GatewayFixture.connection(broker, user)
        connection.subscriptions = filters.map { .init($0) }
        connection.readsRequestProperties = true
        connection.version = version
        self.init(connection)
    }

    /// What arrived on `topic`.
    fileprivate func replies(on topic: String) -> [DerivedJSON] { messages.filter { $0.topic == topic } }

    fileprivate func ask(
        _ payload: String = "", query: String = "latest", of device: String = "d1", replyTo topic: String?,
        correlation: String? = nil
    ) async throws {
        var message = MQTTMessage(topic: "wearables/\(device)/query/\(query)", payload: Array(payload.utf8))
        message.responseTopic = topic
        message.correlationData = correlation.map { Array($0.utf8) }
        try await publish([message])
    }

    /// Asks for the latest values once under each of many names.
    fileprivate func ask(as users: [String]) async throws {
        try await publish(
            users.map { user in
                var message = MQTTMessage(topic: "wearables/d1/query/latest", payload: [])
                message.responseTopic = "fathom/test/reply/\(user)/1"
                return message
            })
    }
}
