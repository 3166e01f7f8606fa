import FleetSimulator
import Foundation
import GatewayConfiguration
@testable import GatewayPipeline
@testable import GatewayRuntime
import GatewayTestSupport
import Mosquitto
import TelemetryModel

/// The examples of the contract: frames, and what the gateway publishes for them.
struct Examples {
    /// The text of each by its path below `docs/contract`.
    private(set) var texts: [String: String] = [:]
    /// The examples as the code gives them now.
    static let shared = Result { try Examples() }

    /// All settings as they are by default, and every derivation enabled, with ten samples a second in each series.
    let settings: PipelineSettings

    /// Runs a simulated fleet and the scenarios through the pipeline.
    init() throws {
        let enabled =
            Derivations.declarations.filter { !$0.isOnByDefault }.map { "derive.\($0.name).enabled=true" }
            + Derivations.declarations.filter { $0.kinds.contains { $0.name.hasSuffix("/series") } }
            .map { "derive.\($0.name).seriesHertz=10" }
        var settings = try PipelineSettings(GatewayConfiguration.load(file: nil, overrides: enabled).configuration)
        // Fixed, so that a new setting changes no example.
        settings.configurationFingerprint = "c679"
        self.settings = settings
        addFleet()
        for scenario in Scenario.all {
            let (frames, messages) = try scenario.run(settings)
            for frame in frames { add(frame.message.topic, frame.message.payload) }
            for message in messages { add(message.topic, message.payload) }
        }
        try addGateway()
        try addRequests()
        try addDiscovery()
    }

    /// Half a minute of every kind of simulated device but the sleeper, whose frames are long; then a diver who may go to 40 m, and a batter with the watch on the other wrist.
    private mutating func addFleet() {
        let start = 1_763_749_000.0
        func origin(_ device: String) -> DeviceOrigin {
            DeviceOrigin(device: device, unix: start, uptime: 5321.25, seed: 7, duration: 30)
        }
        let kinds = DeviceKind.allCases.filter { $0 != .sleeper }
        replay(Fleet(kinds: kinds, count: kinds.count, startingAt: start, duration: 30, seed: 7), settings)
        var other = settings
        other.derive[StrokeDerivation.self].wrist = .right
        other.derive[StrokeDerivation.self].always = true
        replay(Fleet([Diver(origin("ultra-2")), Batter(origin("batter-2"))]), other)
        let raw = Fleet(kinds: [.headphones, .batter, .lifter], count: 3, startingAt: start, duration: 3, seed: 7, rawBias: 0.01)
        for message in raw { add(message.topic(), message.payload) }
    }

    private mutating func replay(_ fleet: Fleet, _ settings: PipelineSettings) {
        var published: [InboundMessage] = []
        let replay = Replay(settings: settings, policy: AccessPolicy(unknown: .everything)) { line in
            if let recorded = try? RecordedMessage(line: line[...]) { published.append(recorded.message) }
        }
        for message in fleet {
            let inbound = InboundMessage(topic: message.topic(), payload: message.payload, retain: message.retain)
            add(inbound.topic, inbound.payload)
            replay.take(RecordedMessage(at: message.at + 0.02, message: inbound))
        }
        replay.end()
        for message in published { add(message.topic, message.payload) }
    }

    /// What the gateway publishes about itself, and up to which frame it has committed.
    private mutating func addGateway() throws {
        let encoder = OutboundEncoder(settings)
        var status = GatewayStatus(gateway: settings.gateway, state: .offline, version: "1.0.0")
        status.instance = "3w5e11264sgsf"
        texts["examples/gateway/status/offline.json"] = PrettyJSON().text(encoder.encode(status).payload)
        var harness = PipelineHarness(settings: settings)
        var device = TestDevice("ultra-3")
        _ = harness.send([
            device.depth(3, uptime: 100), device.depth(4, uptime: 101), device.raw("submersion", at: 1_763_744_102, "{"),
        ])
        status.state = .online
        status.at = UnixTime(1_763_744_110)
        status.uptime = 110.5
        status.ingress = "connected"
        for lane in GatewayConfiguration.Lanes.Name.allCases { status.lanes[lane.rawValue] = "connected" }
        status.isDurable = true
        status.deadLetters = 0
        status.mqttVersion = "5"
        status.maximumPacketBytes = 300_000
        var broker = BrokerReport(address: "127.0.0.1:1883")
        broker.sessionExpirySeconds = 86_400
        (broker.maximumQoS, broker.retains, broker.allowsWildcards) = (2, true, true)
        broker.deliversRetainedToWildcards = true
        status.broker = broker
        status.registeredDevices = 4
        status.activeDevices = 1
        status.costliest = [DeviceID("ultra-3")].compactMap(\.self).map { .init(device: $0, units: 0.35) }
        status.counters = harness.pipeline.counters
        status.notAdmitted = [.unknownDevice: 2]
        texts["examples/gateway/status/online.json"] = PrettyJSON().text(encoder.encode(status).payload)
        texts["examples/gateway/rejected/publishRefused.json"] = PrettyJSON().text(
            encoder.encode(
                .notAuthorized, .publishRefused,
                detail:
                    "Not authorized (reasonCode 135); add \"topic write wearables/+/out/#\" below \"user gateway-out\" in the "
                    + "broker's ACL",
                topic: "wearables/ultra-3/out/depth-state", gateway: settings.gateway, count: 1, at: UnixTime(1_763_744_110)
            ).payload)
        let heartbeat = Heartbeat(instance: .init(id: "3w5e11264sgsf", started: 1_763_744_000), number: 12)
        texts["examples/gateway/heartbeat/example.json"] = PrettyJSON().text(
            heartbeat.message(gateway: "gateway", lane: "safety").payload)
        let claim = Claim(
            instance: "3w5e11264sgsf", epoch: 7, number: 12, state: .owned, host: "pool", started: 1_763_744_000)
        texts["examples/gateway/claim/example.json"] = PrettyJSON().text(claim.message(gateway: "gateway").payload)
        if let boot = BootID("b7f3"), let id = DeviceID("ultra-3") {
            add(encoder.encodeCommitted(.submersion, boot: boot, sequence: 41, of: id))
        }
    }

    private mutating func add(_ message: OutboundMessage) { add(message.topic, message.payload) }

    /// Adds the message under the name of what it shows, unless there is an example of that.
    private mutating func add(_ topic: String, _ payload: [UInt8]) {
        guard !payload.isEmpty, let value = try? JSONValue(parsing: payload) else { return }
        let levels = topic.split(separator: "/")
        guard let direction = levels.firstIndex(where: { $0 == "in" || $0 == "out" }) else {
            if levels.count == 3, levels[0] == "fathom" { keep("gateway/\(levels[2])/\(Self.name(of: value))", payload) }
            return
        }
        let kind = levels[(direction + 1)...].joined(separator: "/")
        if levels[direction] == "in" { return keep("in/\(kind)/\(Self.name(of: value))", payload) }
        guard let described = KindDescription.all.first(where: { $0.covers(kind) }) else {
            return keep(
                "out/\(levels[direction + 1])/\(levels.last.map { kind.contains("/") ? String($0) : "example" } ?? "")", payload)
        }
        let folder = SchemaTests.file(of: described).dropLast(".json".count)
        let level = described.name.contains("{") ? levels.last.map { "\($0)-" } ?? "" : ""
        keep("\(folder)/\(level)\(Self.name(of: value))", payload)
    }

    /// Keeps the message unless there is an example of that path.
    mutating func keep(_ path: String, _ payload: [UInt8]) {
        let path = "examples/\(path).json"
        if texts[path] == nil { texts[path] = PrettyJSON().text(payload) + "\n" }
    }

    /// What distinguishes the message from others of its kind: its state, cause, reason and quality; `example` without any.
    private static func name(of message: JSONValue) -> String {
        var words = ["state", "event", "command", "cause", "reason", "stroke", "unit"].compactMap { message[$0]?.text }
        if message["state"] == .string("offline"), message["seq"] == nil, message["kind"] == nil { words.append("lastWill") }
        if (message["samples"] ?? message["deviceMotion"])?["acceleration"] != nil { words.append("raw") }
        if let contact = message["contact"]?.flag { words.append(contact ? "hit" : "miss") }
        if let code = message["code"], message["name"] != nil { words.append(code == .null ? "cleared" : "reported") }
        words += ["data", "events", "measurements", "temperatures", "errors"].filter { message[$0]?.elements.isEmpty == false }
        if message["deepest"] == .null { words.append("withheld") }
        if let quality = message["quality"]?.text, quality != "valid" { words.append(quality) }
        return words.isEmpty ? "example" : words.joined(separator: "-")
    }
}
