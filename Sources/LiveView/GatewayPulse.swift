package import GatewayPipeline
import TelemetryModel

/// What a gateway's status says about what is shown: whether it is current.
package struct GatewayPulse: Sendable, Equatable {
    /// `online` or `offline`, safe to print; nil while not known.
    package let state: String?
    /// When the gateway wrote the status, unix seconds; of a last will, which holds no time, when it was received.
    package let at: Double
    /// Why it receives no depths, or not known of which devices: the state of the connection of the safety lane; nil where it does.
    package let problem: String?
    /// The partitions of devices that it derives; nil for all devices.
    let partitions: PartitionSet?

    /// What the status `fields` says, received at `now`.
    package init(_ fields: ShownFields, at now: Double) {
        state = fields.text("state")
        at = fields.written(atMost: now)
        var lane = fields.text("ingress")
        if case .object(let lanes)? = fields.values["lanes"], let safety = lanes["safety"]?.text { lane = safety.printable }
        let owned = fields.text("partitions")
        partitions = owned.flatMap { PartitionSet($0) }
        problem = owned != nil && partitions == nil ? "unreadable partitions" : lane == "connected" ? nil : lane
    }

    /// Whether it is online, has said so lately and receives frames.
    package func works(at now: Double, silentSeconds: Double) -> Bool {
        state == "online" && now - at < silentSeconds && problem == nil
    }

    /// What it does, in words.
    func text(at now: Double, silentSeconds: Double) -> String {
        guard state == "online" else { return state ?? "unknown" }
        if now - at >= silentSeconds { return "silent for \((now - at).clock)" }
        return problem.map { "not receiving: \($0)" } ?? "online"
    }
}
