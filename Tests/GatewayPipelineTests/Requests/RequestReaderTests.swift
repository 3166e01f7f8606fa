import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Requests as they are read")
struct RequestReaderTests {
    private let reader = RequestReader(PipelineHarness.settings)
    private static let reply = "fathom/test/reply/analyst/1"

    private func read(
        _ payload: String = "", to topic: String = "wearables/d1/query/latest", reply: String? = RequestReaderTests.reply,
        correlation: [UInt8]? = [1, 0, 255], retained: Bool = false, policy: AccessPolicy = AccessPolicy(unknown: .everything)
    ) -> RequestOutcome {
        reader.read(
            RequestMessage(
                topic: topic, payload: Array(payload.utf8), isRetained: retained, responseTopic: reply,
                correlationData: correlation),
            policy: policy)
    }

    private func request(_ outcome: RequestOutcome, _ location: SourceLocation = #_sourceLocation) throws -> Request {
        guard case .accepted(let request) = outcome else {
            Issue.record("\(outcome)", sourceLocation: location)
            throw CancellationError()
        }
        return request
    }

    private func kinds(_ request: Request) -> [String] {
        switch request.query {
        case .latest(let query): query.kinds.names
        case .events, .samples, .profile, .acknowledge: []
        }
    }

    private func failure(_ outcome: RequestOutcome) -> RequestFailure? {
        guard case .failed(_, let failure) = outcome else { return nil }
        return failure
    }

    private func reason(_ outcome: RequestOutcome) -> RejectionReason? {
        guard case .unanswerable(let rejection) = outcome else { return nil }
        return rejection.reason
    }

    @Test("a request names device, query and reply; its correlation data are kept")
    func accepted() throws {
        let request = try request(read(#"{"kinds":["depth-state","connection","access/submersion"]}"#))
        #expect(request.device.rawValue == "d1")
        #expect(request.address.topic == Self.reply)
        #expect(request.address.user.rawValue == "analyst")
        #expect(request.address.correlationData == [1, 0, 255])
        #expect(kinds(request) == ["depth-state", "connection", "access/submersion"])
    }

    @Test(
        "an empty payload, an empty object and an empty list ask for all kinds",
        arguments: ["", "{}", #"{"kinds":[]}"#, #"{"kinds":null}"#])
    func all(payload: String) throws {
        #expect(kinds(try request(read(payload))).isEmpty)
    }

    @Test(
        "no reply is published but below the user's reply topic",
        arguments: [
            "wearables/d1/out/depth-state", "$SYS/x", "fathom/test/status", "fathom/test/reply/+/x",
            "fathom/test/reply/analyst/+",
            "fathom/test/reply/#", "fathom/test/reply/analyst", "fathom/test/reply/analyst/", "fathom/test/reply//x",
            "fathom/other/reply/analyst/1", "fathom/test/reply/an alyst/1", "fathom/test/reply/../status",
            "fathom/test/reply/analyst/a b", "fathom/test/reply/analyst/\u{202E}", "fathom/test/reply/analyst/\u{0}",
            "/fathom/test/reply/analyst/1", "", "fathom/test/heartbeat/safety", "fathom/test/replyanalyst/1",
            "fathom/test/reply/" + String(repeating: "a", count: 65) + "/1",
            "fathom/test/reply/analyst/" + String(repeating: "a", count: 128),
        ])
    func otherTopics(topic: String) {
        #expect(reason(read(reply: topic)) == .invalidTopic)
    }

    @Test("a request that is retained or has no reply topic gets no reply, whatever it holds", arguments: ["", "{}", "nonsense"])
    func unanswerable(payload: String) {
        #expect(read(payload, retained: true) == .ignored)
        #expect(reason(read(payload, reply: nil)) == .invalidTopic)
        #expect(reason(read(payload, correlation: Array(repeating: 1, count: 513))) == .invalidValue)
    }

    @Test("on MQTT 3.1.1 'reply' and 'correlation' stand in the payload, under the same rule")
    func withoutProperties() throws {
        let request = try request(read(#"{"reply":"analyst/1","correlation":"q-7"}"#, reply: nil, correlation: nil))
        #expect(request.address.topic == Self.reply)
        #expect(request.address.correlation == "q-7")
        for other in ["../status", "+/1", "analyst", "/analyst/1", "analyst/#"] {
            #expect(reason(read(#"{"reply":"\#(other)"}"#, reply: nil)) == .invalidTopic, "\(other)")
        }
        #expect(reason(read(#"{"reply":7}"#, reply: nil)) == .wrongType)
    }

    @Test(
        "what cannot be read is an error reply with its place",
        arguments: [
            ("nonsense", ""), ("[]", ""), (#"{"kinds":"depth-state"}"#, "/kinds"), (#"{"kinds":[7]}"#, "/kinds/0"),
            (#"{"kinds":["depth-stat"]}"#, "/kinds/0"), (#"{"kinds":["depth-state","\u202e"]}"#, "/kinds/1"),
            (#"{"a":1,"a":2}"#, "/a"),
            (#"{"x":""# + String(repeating: "x", count: 4_096) + #""}"#, ""),
            (#"{"kinds":["# + Array(repeating: #""dive""#, count: 65).joined(separator: ",") + "]}", "/kinds"),
        ])
    func badRequests(payload: String, pointer: String) {
        let failure = failure(read(payload))
        #expect(failure?.reason == .badRequest, "\(payload)")
        #expect(failure?.pointer == pointer, "\(payload)")
    }

    @Test("a request that is nested too deep is refused")
    func nesting() { #expect(failure(read(#"{"kinds":[[[[[]]]]]}"#))?.reason == .badRequest) }

    @Test("a misspelled kind comes with the one that was meant")
    func misspelled() {
        #expect(failure(read(#"{"kinds":["depth-stat"]}"#))?.detail.contains(#"did you mean "depth-state"?"#) == true)
    }

    @Test("an unknown query is an error reply that lists what exists")
    func unknownQuery() throws {
        let outcome = read(to: "wearables/d1/query/latst")
        guard case .failed(let address, let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let reply = Reply(to: address, failure, at: UnixTime(1_763_749_000))
        #expect(
            String(decoding: reply.payload, as: UTF8.self)
                == #"{"schema":"wearables/1","at":1763749000,"error":"unknownQuery","detail":"no query is called \"latst\"","queries":["latest","events","samples","profile","acknowledge"]}"#
        )
        #expect(reply.isError)
    }

    @Test("unknown and denied devices get the same error, so that nobody finds out which are registered")
    func unknownDevices() {
        let registered = PipelineHarness.policy("d1", DevicePolicy(entitlement: .full))
        let denied = PipelineHarness.policy("d1", DevicePolicy(authorization: .denied))
        #expect(failure(read(policy: registered)) == nil)
        let failures = [read(policy: denied), read(policy: AccessPolicy())].map(failure)
        #expect(failures[0] == failures[1])
        #expect(failures[0]?.reason == .unknownDevice)
        #expect(failure(read(to: "wearables/d+1/query/latest"))?.reason == .badRequest)
    }

    @Test("a topic that names the user is for that user's reply topics alone")
    func namedUser() throws {
        let named = try request(read(to: "wearables/d1/query/latest/analyst"))
        #expect(named == (try request(read())))
        #expect(reason(read(to: "wearables/d1/query/latest/other")) == .invalidTopic)
        #expect(reason(read(to: "wearables/d1/query/latest/")) == .invalidTopic)
        #expect(reason(read(to: "wearables/d1/query/latest/Analyst")) == .invalidTopic)
        let older = #"{"reply":"analyst/1"}"#
        #expect(try request(read(older, to: "wearables/d1/query/latest/analyst", reply: nil)).address.user.rawValue == "analyst")
        #expect(reason(read(older, to: "wearables/d1/query/latest/other", reply: nil)) == .invalidTopic)
        #expect(failure(read(to: "wearables/d1/query/latest/analyst/more"))?.reason == .badRequest)
        for (topic, user) in [
            ("part/7/site/wearables/d1/query/latest/analyst", "analyst"), ("part/7/site/wearables/d1/query/latest", nil),
            ("site/wearables/d1/query/latest", nil), ("part/7/site/wearables/d1/query/latest/a/b", nil),
        ] {
            let layout = TopicLayout(root: "site/wearables", mountLevels: 2)
            #expect(RequestTopic(topic, layout: layout).user.map(String.init) == user)
        }
    }

    @Test("a reply topic is compared by its bytes: the sign of Kelvin is no K, and no mark joins a level to another")
    func equivalentTopics() throws {
        var settings = PipelineHarness.settings
        settings.gateway = try #require(Identifier("K1"))
        let reader = RequestReader(settings)
        func outcome(_ topic: String) -> RequestOutcome {
            reader.read(
                RequestMessage(topic: "wearables/d1/query/latest", payload: [], responseTopic: topic),
                policy: AccessPolicy(unknown: .everything))
        }
        #expect(try request(outcome("fathom/K1/reply/analyst/1")).address.user.rawValue == "analyst")
        for topic in ["fathom/\u{212A}1/reply/analyst/1", "fathom/K1/reply/analyst/\u{301}1", "fathom/K1/reply/\u{301}analyst/1"]
        {
            #expect(reason(outcome(topic)) == .invalidTopic, "\(topic)")
        }
    }

    @Test("a mount prefix and a root of several levels stand before the device")
    func layout() throws {
        let settings = PipelineSettings.with { $0.topics = TopicLayout(root: "site/wearables", mountLevels: 2) }
        let message = RequestMessage(topic: "part/7/site/wearables/d1/query/latest", payload: [], responseTopic: Self.reply)
        let outcome = RequestReader(settings).read(message, policy: AccessPolicy(unknown: .everything))
        #expect(try request(outcome).device.rawValue == "d1")
    }
}
