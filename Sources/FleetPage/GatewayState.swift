import GatewayPipeline
import JSONText
import LiveView

/// One gateway, by its status and the frames that it rejected of no known device.
struct GatewayState: Sendable {
    let name: String
    /// Whether it works; nil before a status.
    private(set) var pulse: GatewayPulse?
    /// `connected` when it receives on every lane.
    private(set) var ingress: String?
    private(set) var storageProblem: String?
    private(set) var registryProblem: String?
    private(set) var timeline: Ring<TimelineEntry>
    private(set) var rejected = 0
    private let limits: FleetLimits

    init(name: String, limits: FleetLimits) {
        self.name = name
        self.limits = limits
        timeline = Ring(capacity: limits.gatewayTimeline)
    }

    mutating func take(_ fields: ShownFields, at now: Double) {
        switch fields.path {
        case "status":
            let before = pulse?.state
            pulse = GatewayPulse(fields, at: now)
            ingress = fields.text("ingress").map { $0.start(scalars: 64) }
            storageProblem = fields.text("storageProblem").map { $0.start(scalars: 256) }
            registryProblem = fields.text("registryProblem").map { $0.start(scalars: 256) }
            guard let state = pulse?.state, state != before else { return }
            add(Phrase("gateway \(state.start(scalars: 32))", state == "online" ? .good : .danger), fields, now)
        case "rejected":
            rejected &+= fields.occurrences
            let reason = fields.words("reason") ?? "no reason given"
            let topic = fields.text("topic").map { " on \($0.start(scalars: 128))" } ?? ""
            add(Phrase("rejected\(topic), \(reason)", .danger), fields, now)
        default: break
        }
    }

    private mutating func add(_ phrase: Phrase, _ fields: ShownFields, _ now: Double) {
        timeline.append(TimelineEntry(phrase: phrase, fields: fields, now: now, limits: limits))
    }

    func encode(into json: inout JSONWriter) {
        json.object { json in
            json.field("name", name)
            json.field("state", pulse?.state?.start(scalars: 32))
            json.seconds("at", pulse?.at)
            json.field("problem", pulse?.problem?.start(scalars: 64))
            json.field("ingress", ingress)
            json.field("storageProblem", storageProblem)
            json.field("registryProblem", registryProblem)
            json.field("rejected", rejected)
            json.array("timeline") { json in for entry in timeline.elements { entry.encode(into: &json) } }
        }
    }
}
