import GatewayPipeline
import JSONText

/// One entity in Home Assistant.
struct Component: Sendable {
    /// The kind of entity.
    enum Platform: String, CaseIterable {
        case sensor
        case binarySensor = "binary_sensor"
        case event
    }

    /// When Home Assistant shows the entity as available.
    enum Availability {
        /// At any time; for entities of the gateway alone.
        case always
        /// While the gateway is online, and receives what the kind is derived from.
        case gateway
        /// Also only while the device is connected.
        case device
        /// Also only while the depth state is of quality `valid`.
        case validDepth
    }

    /// Its key in the message, and the end of its unique id: never changed, for Home Assistant knows the entity by it.
    var id: String
    var platform: Platform
    /// The path of its messages after `out/`; nil for the gateway's status.
    var kind: String?
    var name: String
    /// The template of its state; for an event, of a JSON object with `event_type`.
    var template: String
    var deviceClass: StaticString?
    var stateClass: StaticString?
    var unit: String?
    /// The states of an `enum` sensor.
    var options: [String] = []
    var eventTypes: [String] = []
    /// The template of a JSON object with its attributes.
    var attributes: String?
    /// How many decimals are shown.
    var precision: Int?
    var icon: StaticString?
    var category: StaticString?
    var isEnabledByDefault = true
    var availability = Availability.device
    /// How long a state is shown without another, in s; nil where one may hold for any time.
    var expiry: (@Sendable (EntityExpiry) -> Int)?
    /// The kind whose first message announces it; that of its own messages where nil.
    var announcingKind: String?

    /// Whether a device with messages of these kinds has it.
    func isAnnounced(by kinds: Set<String>) -> Bool { (announcingKind ?? kind).map(kinds.contains) ?? false }
}

/// A field of a kind of message, with what its declaration says of it.
struct KindField: Sendable {
    /// The path after `out/`.
    let kind: String
    /// The key.
    let name: String
    private let field: KindDescription.Field?
    /// The values that it takes.
    var options: [String] { field?.values ?? [] }

    /// The field `name` of `body`'s kind; `path` where the kind has a level that depends on the content.
    init<Body: DerivedBody>(_ body: Body.Type, _ name: String, path: String? = nil) {
        kind = path ?? Body.kind.name
        self.name = name
        field = KindDescription(of: body).fields.first { $0.name == name }
    }

    /// The template of its value; null, and a topic that was cleared, give the state `unknown`.
    var template: String { Template.value(of: name) }

    /// Its unit as Home Assistant writes it.
    var symbol: String? { field?.symbol }
}

/// Templates in Home Assistant's language. A topic that was cleared delivers an empty payload, for which `value_json` is not defined.
enum Template {
    /// The value of one key of the message.
    static func value(of key: String) -> String { guarded("value_json.\(key)", otherwise: "None") }

    /// An expression that uses the message, and another one for an empty payload.
    static func guarded(_ expression: String, otherwise: String) -> String {
        "{{ \(expression) if value_json is defined else \(otherwise) }}"
    }

    /// `online` where `condition` holds, which an empty payload never does.
    static func online(if condition: String) -> String {
        "{{ 'online' if value_json is defined and \(condition) else 'offline' }}"
    }

    /// The condition on the gateway's status that it is online and these lanes receive. A gateway that starts names no lanes yet.
    static func isOnline(receivingIn lanes: [String]) -> String {
        let receives = lanes.map { "(value_json.lanes | default({})).get('\($0)') == 'connected'" }
        return (["value_json.state == 'online'"] + receives).joined(separator: " and ")
    }

    /// An object of keys of the message, null where a key is absent; `type` is an expression for the type of an event.
    static func object(_ keys: [String], type: String? = nil) -> String {
        let members = (type.map { ["event_type=\($0)"] } ?? []) + keys.map { "\($0)=value_json.\($0) | default(none)" }
        return guarded("dict(\(members.joined(separator: ", "))) | to_json", otherwise: "'{}'")
    }
}
