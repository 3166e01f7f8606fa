@testable import FleetSimulator
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("The query latest")
struct LatestQueryTests {
    private let reader = RequestReader(PipelineHarness.settings)

    private func reply(
        _ messages: [StoredMessage], to payload: String = "", at now: Double = 1_763_749_000
    ) throws -> Reply {
        let message = RequestMessage(
            topic: "wearables/d1/query/latest", payload: Array(payload.utf8), responseTopic: "fathom/test/reply/analyst/1")
        guard case .accepted(let request) = reader.read(message, policy: AccessPolicy(unknown: .everything)) else {
            throw CancellationError()
        }
        switch request.query {
        case .latest(let query): return query.reply(to: request, messages, at: UnixTime(now))
        case .events, .samples, .profile, .acknowledge: throw CancellationError()
        }
    }

    private func stored(_ kind: String, _ payload: String) -> StoredMessage {
        StoredMessage(kind: kind, payload: Array(payload.utf8))
    }

    @Test("the messages come as they were published, in the order of their kinds")
    func verbatim() throws {
        let messages = [stored("dive", #"{"b": 1.50}"#), stored("access/submersion", #"{"a":"\u00e9"}"#)]
        let text = String(decoding: try reply(messages).payload, as: UTF8.self)
        #expect(
            text
                == #"{"schema":"wearables/1","at":1763749000,"device":"d1","messages":[{"a":"\u00e9"},{"b": 1.50}],"notCurrent":[]}"#
        )
        #expect(try String(decoding: reply([]).payload, as: UTF8.self).hasSuffix(#""messages":[],"notCurrent":[]}"#))
    }

    @Test("values past validUntil, or of another quality than valid, are marked")
    func marks() throws {
        let messages = [
            stored("depth-state", #"{"quality":"fault","validUntil":1763749000}"#),
            stored("head-pose", #"{"quality":"valid","validUntil":1763749000.5}"#),
            stored("orientation", #"{"quality":"valid","validUntil":1763748999}"#),
            stored("connection/device", #"{"quality":"stale"}"#), stored("dive", #"{"quality":"valid"}"#),
        ]
        let text = String(decoding: try reply(messages).payload, as: UTF8.self)
        #expect(
            text.hasSuffix(
                #""notCurrent":[{"kind":"connection/device","reasons":["stale"]},"#
                    + #"{"kind":"depth-state","reasons":["expired","fault"]},{"kind":"orientation","reasons":["expired"]}]}"#))
    }

    @Test("kinds select, a kind with those below it")
    func kinds() throws {
        let messages = ["connection/device", "connection/headphone", "dive", "depth-state"].map { stored($0, #"{"k":"\#($0)"}"#) }
        let text = String(decoding: try reply(messages, to: #"{"kinds":["connection","dive"]}"#).payload, as: UTF8.self)
        #expect(text.contains(#""messages":[{"k":"connection/device"},{"k":"connection/headphone"},{"k":"dive"}]"#))
    }

    @Test("of two messages of a kind the one received later counts")
    func twice() throws {
        let messages = [
            stored("gap", #"{"received":5,"n":1}"#), stored("gap", #"{"received":7,"n":2}"#),
            stored("gap", #"{"received":6,"n":3}"#),
        ]
        #expect(try String(decoding: reply(messages).payload, as: UTF8.self).contains(#""messages":[{"received":7,"n":2}]"#))
    }

    @Test("a reply that would be too large is an error")
    func tooLarge() throws {
        let reply = try reply([stored("dive", #"{"x":""# + String(repeating: "x", count: 300_000) + #""}"#)])
        #expect(reply.isError)
        #expect(String(decoding: reply.payload, as: UTF8.self).contains(#""error":"tooLarge""#))
    }

    /// The last message of each kind that was published of `device`, and those that it keeps.
    private func kept(_ device: String, _ harness: PipelineHarness, _ published: [DerivedJSON]) throws -> Set<String> {
        let id = try #require(Identifier(device))
        let messages = try #require(harness.pipeline.state(of: id)).messages
        for message in messages {
            let last = try #require(published.last { $0.kind == message.kind })
            #expect(DerivedJSON(topic: last.topic, payload: message.payload, retain: last.retain).lasting == last.lasting)
        }
        return Set(messages.map(\.kind))
    }

    @Test("a device keeps its last message of each kind, retained or not")
    func keeps() throws {
        var device = TestDevice()
        var harness = PipelineHarness()
        var published = harness.send([device.depth(3, uptime: 100), device.depth(4, uptime: 101, seq: 5)])
        published += harness.tick(at: 1_763_744_110)
        let kinds = Set(published.map(\.kind))
        #expect(kinds.isSuperset(of: ["depth-state", "gap", "access/submersion"]))
        #expect(try kept("d1", harness, published) == kinds)
    }

    @Test("samples are not kept")
    func samples() throws {
        let swings = [Swing(start: 3, timeToContact: 0.24, peakRotationRate: 17, impactAcceleration: 28)]
        let batter = Batter(
            DeviceOrigin(device: "d1", unix: 1_763_749_000, uptime: 5_321, seed: 1, duration: 10),
            options: BatterOptions(swings: .listed(swings)))
        var harness = PipelineHarness(settings: .with { $0.derive.setEnabled(SwingTraceDerivation.self, true) })
        let published = harness.send(Fleet([batter]).map { RecordedMessage($0) })
        let kinds = Set(published.map(\.kind))
        #expect(kinds.isSuperset(of: ["swing", "impact", "trace/swing"]))
        #expect(try kept("d1", harness, published) == kinds.subtracting(["trace/swing"]))
    }
}
