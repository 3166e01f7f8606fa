@testable import GatewayPipeline
import GatewayTestSupport
import TelemetryModel

extension Examples {
    /// What a program may ask about a diver who has been silent for a minute, and the replies.
    mutating func addRequests() throws {
        var harness = PipelineHarness(settings: settings)
        var device = TestDevice("ultra-3")
        _ = harness.send([device.status(uptime: 99), device.depth(3, uptime: 100), device.depth(4, uptime: 101)])
        _ = harness.tick(at: device.offset + 160)
        let messages = DeviceID("ultra-3").flatMap { harness.pipeline.state(of: $0) }?.messages ?? []
        let now = UnixTime(device.offset + 160.5)
        let requests = [
            ("all", "{}"), ("kinds", #"{"kinds":["depth-state","connection"]}"#),
            ("mqtt3", #"{"kinds":["depth-state"],"reply":"analyst/1","correlation":"7"}"#),
        ]
        for (name, payload) in requests {
            keep("query/latest/\(name)", Array(payload.utf8))
            guard case .accepted(let request) = outcome(of: payload), case .latest(let query) = request.query else { continue }
            keep("reply/latest/\(name)", query.reply(to: request, messages, at: now).payload)
        }
        try addHistoryRequests(messages, at: now)
        let outcomes = [
            outcome(of: #"{"kinds":["depth"]}"#), outcome(of: #"{"kind":["dive"]}"#),
            outcome(of: "{}", on: "wearables/ultra-3/query/oldest"),
            outcome(of: #"{"alarm":"past-limits","by":"Ada"}"#, on: "wearables/ultra-3/query/acknowledge"),
            outcome(of: "{}", on: "wearables/ultra-9/query/latest"), outcome(of: #"{"kinds":["depth-state","sleep"]}"#),
        ]
        for case .failed(let address, let failure) in outcomes { keep(Reply(to: address, failure, at: now), failure) }
        let address = try ReplyAddress(topic: "fathom/gateway/reply/analyst/1", gateway: settings.gateway)
        for failure in [RequestFailure.tooMany(address.user), .tooLarge(Reply.mostBytes), .notStored, .unavailable] {
            keep(Reply(to: address, failure, at: now), failure)
        }
    }

    /// What a program may ask about the last days of a device, and the replies.
    private mutating func addHistoryRequests(_ messages: [StoredMessage], at now: UnixTime) throws {
        let range = #""from":1763744100,"to":1763744160"#
        let day = UnixTime(1_763_744_100)
        func events(_ kind: String, _ payloads: [String]) -> [StoredEvent] {
            payloads.enumerated().map { index, payload in
                StoredEvent(
                    kind: kind, at: day + Double(index), id: String(repeating: "\(index)", count: 32),
                    payload: Array(payload.utf8))
            }
        }
        let requests = [
            ("events/range", #"{\#(range),"kinds":["depth-state"],"limit":1}"#),
            ("samples/range", #"{"stream":"recorded-accelerometer",\#(range)}"#), ("profile/range", "{\(range)}"),
            ("acknowledge/alarm", #"{"alarm":"past-limit","by":"Ada"}"#),
        ]
        for (name, payload) in requests {
            keep("query/\(name)", Array(payload.utf8))
            let topic = "wearables/ultra-3/query/\(name.prefix { $0 != "/" })"
            guard case .accepted(let request) = outcome(of: payload, on: topic) else { continue }
            switch request.query {
            case .latest: break
            case .acknowledge(let query):
                var alarm = Alarm(
                    name: query.level, part: nil, severity: .critical, since: .wall(day), value: .text("pastMaxDepth"),
                    sourceKind: "depth-state", field: "state")
                (alarm.state, alarm.acknowledgedBy, alarm.acknowledgedAt) = (.acknowledged, query.person, now)
                keep("reply/\(name)", query.reply(to: request, alarm, at: now).payload)
                if let address = try? ReplyAddress(topic: "fathom/gateway/reply/analyst/1", gateway: settings.gateway) {
                    keep(Reply(to: address, query.notRaised, at: now), query.notRaised)
                }
            case .events(let query):
                let shown = messages.filter { $0.kind == "depth-state" }.map {
                    StoredEvent(kind: $0.kind, at: day, id: String(repeating: "0", count: 32), payload: $0.payload)
                }
                keep("reply/\(name)", query.reply(to: request, shown, hasMore: true, at: now).payload)
            case .profile(let query):
                let altitudes = events("altitude", [#"{"altitude":401.2,"relativeAltitude":0}"#, #"{"relativeAltitude":0.6}"#])
                var points = ProfilePoints()
                for event in altitudes + events("pace", [#"{"distance":120}"#]) { points.add(event) }
                keep("reply/\(name)", query.reply(to: request, points, at: now).payload)
            case .samples(let query):
                var minute = HistoryMinute(minute: HistoryMinute.minute(of: day))
                let samples = RecordedAcceleration(
                    identifier: [7, 8], startDate: [day, day + 0.02],
                    acceleration: VectorColumns(x: [0, 0.01], y: [0.5, 0.5], z: [-0.87, -0.86]))
                _ = minute.add(samples, 0..<2)
                var parts = SampleParts(query, of: request)
                _ = parts.add(minute, at: now)
                keep("reply/\(name)", parts.finish(at: now).payload)
            }
        }
    }

    private mutating func keep(_ reply: Reply, _ failure: RequestFailure) {
        keep("reply/error/\(failure.reason.rawValue)", reply.payload)
    }

    private func outcome(of payload: String, on topic: String = "wearables/ultra-3/query/latest") -> RequestOutcome {
        let isMQTT3 = payload.contains("reply")
        let message = RequestMessage(
            topic: topic, payload: Array(payload.utf8), responseTopic: isMQTT3 ? nil : "fathom/gateway/reply/analyst/1")
        return RequestReader(settings).read(message, policy: PipelineHarness.policy("ultra-3", .everything))
    }
}
