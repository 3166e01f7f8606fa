/// Presence conventions of well-known programs.
enum PresencePreset: String, CaseIterable, Sendable {
    /// `owntracks/{user}/{device}`: the last will has `_type` `lwt`, every other message means online.
    case owntracks
    /// `homie/5/{device}/$state`, retained, `lost` as last will.
    case homie
    /// `{device}/status`, birth and last will.
    case esphome
    /// `ble/presence/{device}`, with and without a slash before it; the device is a Bluetooth address.
    case espruinohub

    /// The topics.
    var topics: [String] {
        switch self {
        case .owntracks: ["owntracks/{user}/{device}"]
        case .homie: ["homie/5/{device}/$state"]
        case .esphome: ["{device}/status"]
        case .espruinohub: ["ble/presence/{device}", "/ble/presence/{device}"]
        }
    }

    /// The place of the word in a JSON payload; nil where it is the payload.
    var pointer: String? { self == .owntracks ? "/_type" : nil }

    /// The words that mean online.
    var online: [String] {
        switch self {
        case .owntracks: [PresenceRule.anything]
        case .homie: ["ready"]
        case .esphome: ["online"]
        case .espruinohub: ["1"]
        }
    }

    /// The words that mean offline.
    var offline: [String] {
        switch self {
        case .owntracks: ["lwt"]
        case .homie: ["disconnected", "sleeping", "lost"]
        case .esphome: ["offline"]
        case .espruinohub: ["0"]
        }
    }

    /// The words that are ignored.
    var ignored: [String] { self == .homie ? ["init"] : [] }

    /// Whether characters that a device id cannot have are removed from the topic's level.
    var strips: Bool { self == .espruinohub }
}
