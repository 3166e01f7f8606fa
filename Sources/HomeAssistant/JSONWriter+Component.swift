import GatewayPipeline
import JSONText
import TelemetryModel

/// The topics that a device's entities read.
struct ComponentTopics {
    /// The topic above the kinds.
    var state: String
    /// The gateway's status.
    var status: String
    /// Whether the connection of the device was derived: without a message on that topic nothing would be available.
    var hasConnection: Bool
    /// The lanes that derive a kind, in order.
    var lanesOfKind: (String) -> [String]

    /// The lanes that derive the messages of a kind; none of the gateway's status.
    func lanes(of kind: String?) -> [String] { kind.map(lanesOfKind) ?? [] }

    /// The topic of a kind; the gateway's status without one.
    func topic(of kind: String?) -> String { kind.map { "\(state)/\($0)" } ?? status }
}

extension JSONWriter {
    /// Writes one entity of the device `id`.
    mutating func write(_ component: Component, of id: String, _ topics: ComponentTopics, _ expiry: EntityExpiry) {
        object(named: component.id) { json in
            json.field("platform", component.platform.rawValue)
            json.field("unique_id", "\(id)_\(component.id)")
            json.field("name", component.name)
            json.field("state_topic", topics.topic(of: component.kind))
            json.field("value_template", component.template)
            if let attributes = component.attributes {
                json.field("json_attributes_topic", topics.topic(of: component.kind))
                json.field("json_attributes_template", attributes)
            }
            if let deviceClass = component.deviceClass { json.field("device_class", "\(deviceClass)") }
            if let stateClass = component.stateClass { json.field("state_class", "\(stateClass)") }
            if let unit = component.unit { json.field("unit_of_measurement", unit) }
            if let precision = component.precision { json.field("suggested_display_precision", precision) }
            if let own = component.expiry { json.field("expire_after", own(expiry)) }
            if !component.options.isEmpty { json.field("options", component.options) }
            if !component.eventTypes.isEmpty { json.field("event_types", component.eventTypes) }
            if let category = component.category { json.field("entity_category", "\(category)") }
            if let icon = component.icon { json.field("icon", "\(icon)") }
            if !component.isEnabledByDefault { json.field("enabled_by_default", false) }
            let lanes = topics.lanes(of: component.kind)
            switch component.availability {
            case .always: break
            // That of the device counts, unless the kind is derived in other lanes.
            case .device where lanes == topics.lanes(of: Components.deviceConnection): break
            case .device, .gateway, .validDepth: json.availability(component.availability, of: lanes, topics)
            }
        }
    }

    /// Writes the topics on which the availability of a kind that `lanes` derive depends; all of them must report `online`. A
    /// state that nobody would change any more must not be shown as one that holds.
    mutating func availability(_ availability: Component.Availability, of lanes: [String], _ topics: ComponentTopics) {
        array("availability") { json in
            json.availability(on: topics.status, Template.isOnline(receivingIn: lanes))
            guard availability != .gateway else { return }
            if topics.hasConnection {
                json.availability(on: topics.topic(of: Components.deviceConnection), "value_json.state == 'connected'")
            }
            guard availability == .validDepth else { return }
            json.availability(on: topics.topic(of: DepthStateChange.kind.name), "value_json.quality == 'valid'")
        }
    }

    private mutating func availability(on topic: String, _ condition: String) {
        object { json in
            json.field("topic", topic)
            json.field("value_template", Template.online(if: condition))
        }
    }
}
