import Foundation
import GatewayPipeline
import HomeAssistant
import TelemetryModel
import Testing

/// A discovery message, read.
struct Announcement {
    /// One entity.
    struct Component {
        var id: String
        var fields: [String: Any]

        func text(_ key: String) -> String? { fields[key] as? String }

        /// The path after `out/` of its messages; nil for the gateway's status.
        var kind: String? {
            guard let topic = text("state_topic"), let out = topic.firstRange(of: "/out/") else { return nil }
            return String(topic[out.upperBound...])
        }

        /// Every template, its own and those of its availability.
        var templates: [String] {
            let availability = fields["availability"] as? [[String: String]] ?? []
            return ["value_template", "json_attributes_template"].compactMap(text)
                + availability.compactMap { $0["value_template"] }
        }

        /// The lanes that the gateway's status must have as connected; nil where those of the device count.
        var lanes: [String]? {
            let template = (fields["availability"] as? [[String: String]])?.first?["value_template"]
            return template.map { Announcement.lanesAsked(by: $0) }
        }

        /// The topics on which its availability depends; nil for those of the device.
        var availabilityTopics: [String]? {
            (fields["availability"] as? [[String: String]])?.compactMap { $0["topic"] }
        }
    }

    let fields: [String: Any]

    init(_ payload: [UInt8]) throws {
        fields = try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] ?? [:]
    }

    var device: [String: Any] { fields["device"] as? [String: Any] ?? [:] }

    /// The lanes that must be connected for entities that name none themselves.
    var lanes: [String] {
        Self.lanesAsked(by: (fields["availability"] as? [[String: String]])?.first?["value_template"] ?? "")
    }

    /// The lanes that a template asks for; none unless it is guarded against a status that names no lanes.
    private static func lanesAsked(by template: String) -> [String] {
        template.matches(of: /\(value_json\.lanes \| default\(\{\}\)\)\.get\('([a-z]+)'\) == 'connected'/).map { String($0.1) }
    }

    var components: [Component] {
        (fields["components"] as? [String: [String: Any]] ?? [:]).map { Component(id: $0, fields: $1) }.sorted { $0.id < $1.id }
    }

    subscript(id: String) -> Component? { components.first { $0.id == id } }

    static func encoder(expiry: EntityExpiry = EntityExpiry()) throws -> DiscoveryEncoder {
        DiscoveryEncoder(
            prefix: "homeassistant", root: "wearables", gateway: try #require(Identifier("gateway")), version: "1.2.3",
            expiry: expiry, lane: lane)
    }

    /// Lanes as the gateway has them.
    private static let lane: @Sendable (StreamName) -> String = { stream in
        switch stream {
        case .submersion, .status, .workout: "safety"
        case .batchedIMU, .recordedAccelerometer, .movementDisorder: "bulk"
        default: "motion"
        }
    }

    /// Whether a message with this path announces an entity.
    static func announces(_ kind: String) throws -> Bool {
        try encoder().announces(kind, of: try #require(DeviceID("d1")))
    }

    /// The message for a device of these kinds.
    static func of(
        _ name: String, _ kinds: Set<String>, removed: Set<String> = [], model: String? = nil,
        expiry: EntityExpiry = EntityExpiry()
    ) throws -> Announcement {
        try Announcement(
            encoder(expiry: expiry).payload(
                of: try #require(DeviceID(name)), .init(kinds: kinds, removedKinds: removed, model: model)))
    }

    static func gateway() throws -> Announcement { try Announcement(encoder().gatewayPayload) }

    /// Every kind that a simulated device has.
    static let everyKind: Set<String> = [
        "depth-state", "water-temperature", "dive", "swing", "stroke", "head-pose", "connection/device", "connection/headphone",
        "impact", "trace/swing", "access/submersion", "orientation", "error/submersion", "gap",
    ]
}
