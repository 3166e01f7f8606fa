import GatewayConfiguration
import GatewayPipeline
import Mosquitto
import TelemetryModel

/// Publishes messages that show what an account may publish and what the lanes receive.
struct PublishProbe: Sendable {
    /// When a message expires that no lane receives.
    private static let expirySeconds: UInt32 = 3
    private static let waitSeconds = 3.0

    let configuration: GatewayConfiguration
    /// The connection that publishes.
    let client: MosquittoClient
    let clock: any GatewayClock
    /// What makes this check's messages recognisable.
    let token = String(UInt64.random(in: .min ... .max), radix: 36)

    /// What the gateway publishes, with messages that change nothing: its status is `offline`, and on `out/` an empty one is that of
    /// a topic that was cleared.
    func rights() async -> [Finding] {
        guard client.statistics.version == .v5 else {
            return [Finding(.note, "mqtt.version", "3.1.1 does not report a refused publish: rights were not checked")]
        }
        let gateway = configuration.gateway.name
        let lanes = LanePlan.lanes(of: configuration).map(\.name.rawValue)
        let own = "topic write \(configuration.gateway.root)/+/out/#"
        var topics = lanes.map { (Heartbeat.topic(gateway: gateway, lane: $0), HeartbeatAccess.publishing, payload, true) }
        topics += [
            ("fathom/\(gateway)/status", HeartbeatAccess.publishing, offline, false),
            ("fathom/\(gateway)/rejected", HeartbeatAccess.publishing, [], false),
        ]
        // An ACL may permit some of them.
        topics += Self.kinds.map { ("\(configuration.gateway.root)/\(gateway)/out/\($0)", own, [], false) }
        var findings: [Finding] = []
        // One line of the ACL may be missing for many topics.
        var refused: [(line: String, topics: [String], error: MosquittoError)] = []
        every: for (topic, line, payload, isForLane) in topics {
            switch await publish(topic, payload, isForLane: isForLane) {
            case .accepted: continue
            case .refused(let error):
                if let place = refused.firstIndex(where: { $0.line == line && $0.error == error }) {
                    refused[place].topics.append(topic)
                } else {
                    refused.append((line, [topic], error))
                }
            case .unanswered:
                findings.append(Finding(.problem, "mqtt.out", "the broker does not answer a publish on \(topic)"))
                break every
            }
        }
        findings += refused.map { line, topics, error in
            let others = topics.count == 1 ? "" : " and \(topics.count - 1) other topics"
            let advice = HeartbeatAccess.advice(line, for: configuration.mqtt.out)
            return Finding(.problem, "mqtt.out", "may not publish on \(topics[0])\(others): \(error); \(advice)")
        }
        if findings.isEmpty { findings = [Finding(.ok, "mqtt.out", "may publish heartbeats, status and derived messages")] }
        return findings + (await size())
    }

    /// The paths of one message of each kind.
    private static let kinds =
        ["rejected", OutboundEncoder.committedKind(.submersion)]
        + KindDescription.all.map { kind in
            guard let placeholder = kind.name.firstIndex(of: "{") else { return kind.name }
            let isOfStream = kind.name[placeholder...] == "{stream}"
            return kind.name[..<placeholder] + (isOfStream ? StreamName.submersion.rawValue : "check")
        }

    /// Whether the broker accepts a message as large as the largest that the gateway makes, on a topic that nobody reads.
    private func size() async -> [Finding] {
        guard let settings = try? PipelineSettings(configuration), let largest = LargestMessage.of(settings) else { return [] }
        let topic = "fathom/\(configuration.gateway.name)/check/size"
        switch await publish(topic, Array(repeating: UInt8(ascii: "x"), count: largest.bytes)) {
        case .accepted:
            return [Finding(.ok, "mqtt.out", "may publish the largest message, \(largest.name) of \(largest.bytes) bytes")]
        case .refused(let error) where error.isTooLarge:
            let advice = OutboundAccess(configuration: configuration).advice(for: topic, .tooLarge)
            return [
                Finding(
                    .problem, "mqtt.out",
                    "the broker refuses a message of \(largest.bytes) bytes, which \(largest.name) may have: \(error); \(advice)")
            ]
        case .refused(let error):
            return [Finding(.note, "mqtt.out", "whether large messages are accepted was not checked: \(topic): \(error)")]
        case .unanswered:
            return [
                Finding(
                    .problem, "mqtt.out",
                    "the broker does not answer a publish of \(largest.bytes) bytes, which \(largest.name) may have")
            ]
        }
    }

    /// Whether the gateway may announce devices to Home Assistant: an empty message on the topic of no device removes nothing.
    func discovery() async -> [Finding] {
        guard client.statistics.version == .v5 else { return [] }
        let topic = "\(configuration.homeAssistant.prefix)/device/fathom-check_\(configuration.gateway.name)/config"
        switch await publish(topic, []) {
        case .accepted: return [Finding(.ok, "homeassistant", "discovery messages may be published")]
        case .refused(let error):
            let line = "topic write \(configuration.homeAssistant.prefix)/device/+/config"
            let advice = HeartbeatAccess.advice(line, for: configuration.mqtt.out)
            return [Finding(.problem, "homeassistant", "mqtt.out may not publish on \(topic): \(error); \(advice)")]
        case .unanswered: return [Finding(.problem, "homeassistant", "the broker does not answer a publish on \(topic)")]
        }
    }

    /// Whether the account of `requests` may publish replies.
    func replies() async -> [Finding] {
        guard client.statistics.version == .v5 else { return [] }
        let topic = "fathom/\(configuration.gateway.name)/reply/\(configuration.gateway.name)/check"
        switch await publish(topic, payload) {
        case .accepted: return [Finding(.ok, "requests", "may publish replies")]
        case .refused(let error):
            let advice = HeartbeatAccess.advice(RequestAccess.replying, for: configuration.requests.account)
            return [Finding(.problem, "requests", "may not publish on \(topic): \(error); \(advice)")]
        case .unanswered: return [Finding(.problem, "requests", "the broker does not answer a publish on \(topic)")]
        }
    }

    /// Whether heartbeats and frames reach a connected lane. A broker may grant a subscription and deliver nothing to it.
    func deliveries(
        to plan: LanePlan, identity: GatewayConfiguration.MQTT.Identity, _ deliveries: ProbeHandler.Deliveries
    ) async -> [Finding] {
        let path = "lanes.\(plan.name.rawValue)"
        let heartbeat = Heartbeat.topic(gateway: configuration.gateway.name, lane: plan.name.rawValue)
        var findings = await deliver(
            "heartbeats", on: heartbeat, line: HeartbeatAccess.reading, path: path, identity: identity, deliveries)
        guard let frame = frameTopic(of: plan) else { return findings }
        findings += await deliver(
            "frames", on: frame, line: "topic read \(configuration.gateway.root)/+/in/#", path: path, identity: identity,
            deliveries)
        return findings
    }

    /// Whether messages on the topics of apps reach a connected lane.
    func deliveries(
        of producers: Producers, to plan: LanePlan, identity: GatewayConfiguration.MQTT.Identity,
        _ deliveries: ProbeHandler.Deliveries
    ) async -> [Finding] {
        var findings: [Finding] = []
        // Where the ACL takes every user for a device of that name, the account of mqtt.out may write on its own topic.
        let own = configuration.mqtt.out.username ?? "check"
        for subscription in producers.subscriptions where plan.share.streams.contains(subscription.stream) {
            let levels = subscription.filter.split(separator: "/", omittingEmptySubsequences: false)
            let topic = levels.map { $0 == "+" || $0 == "#" ? own[...] : $0 }.joined(separator: "/")
            findings += await deliver(
                "messages on \(subscription.filter)", on: topic, line: "topic read \(subscription.filter)",
                path: "lanes.\(plan.name.rawValue)", identity: identity, deliveries)
        }
        return findings
    }

    /// A topic on which the account of `mqtt.out` may write, where the ACL takes every user for a device of that name.
    private func frameTopic(of plan: LanePlan) -> String? {
        guard configuration.gateway.mountPrefix == nil, let user = configuration.mqtt.out.username, Identifier(user) != nil,
            let stream = StreamName.allCases.first(where: plan.share.streams.contains)
        else { return nil }
        return "\(configuration.gateway.root)/\(user)/in/\(stream.rawValue)"
    }

    private func deliver(
        _ what: String, on topic: String, line: String, path: String, identity: GatewayConfiguration.MQTT.Identity,
        _ deliveries: ProbeHandler.Deliveries
    ) async -> [Finding] {
        switch await publish(topic, payload, isForLane: true) {
        case .accepted: break
        case .refused:
            return [Finding(.note, path, "whether \(what) are delivered was not checked: mqtt.out may not publish on \(topic)")]
        case .unanswered:
            return [
                Finding(
                    .note, path, "whether \(what) are delivered was not checked: the broker does not answer a publish on \(topic)"
                )
            ]
        }
        do {
            let isDelivered = try await clock.wait(within: Self.waitSeconds) { deliveries.contain(topic) }
            if isDelivered { return [Finding(.ok, path, "\(what) are delivered")] }
        } catch {
            return []
        }
        guard deliveries.count < configuration.mqtt.receiveMaximum else {
            return [Finding(.note, path, "whether \(what) are delivered was not checked: the broker's queue is full")]
        }
        let advice = HeartbeatAccess.advice(line, for: identity)
        return [Finding(.problem, path, "the broker grants the subscription and delivers no \(what): \(advice)")]
    }

    private var offline: [UInt8] {
        guard let settings = try? PipelineSettings(configuration) else { return [] }
        let status = GatewayStatus(gateway: settings.gateway, state: .offline, version: GatewayVersion.current)
        return OutboundEncoder(settings).encode(status).payload
    }

    private enum Answer { case accepted, unanswered, refused(MosquittoError) }

    /// The payload of what the lanes should receive.
    var payload: [UInt8] { Array("{\"check\":\"\(token)\"}".utf8) }

    /// What `isForLane` does not expire: mosquitto may deliver out of order what a session receives after a message that has expired.
    private func publish(_ topic: String, _ payload: [UInt8], isForLane: Bool = false) async -> Answer {
        var message = MQTTMessage(topic: topic, payload: payload, messageExpirySeconds: isForLane ? nil : Self.expirySeconds)
        message.isExpendable = true
        do {
            try await Egress(client: client).settle(
                client.enqueue([message], priority: .urgent), within: Self.waitSeconds, clock: clock)
        } catch {
            return .unanswered
        }
        return client.expendableRefusal(of: .urgent).map(Answer.refused) ?? .accepted
    }
}
