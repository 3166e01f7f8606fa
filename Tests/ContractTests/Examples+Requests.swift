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
        let outcomes = [
            outcome(of: #"{"kinds":["depth"]}"#), outcome(of: "{}", on: "wearables/ultra-3/query/oldest"),
            outcome(of: "{}", on: "wearables/ultra-9/query/latest"),
        ]
        for case .failed(let address, let failure) in outcomes { keep(Reply(to: address, failure, at: now), failure) }
        let address = try ReplyAddress(topic: "fathom/gateway/reply/analyst/1", gateway: settings.gateway)
        for failure in [RequestFailure.tooMany(address.user), .tooLarge(Reply.mostBytes), .unavailable] {
            keep(Reply(to: address, failure, at: now), failure)
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
