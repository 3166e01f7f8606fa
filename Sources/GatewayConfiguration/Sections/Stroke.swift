extension GatewayConfiguration.Derive {
    /// Forehand and backhand. Accepted and checked now; nothing is derived from it yet.
    package struct Stroke: Sendable, Equatable {
        /// The game whose thresholds apply; default tennis.
        package var preset = Preset.tennis
        /// The wrist that the watch is on; default what its `status` says.
        package var wrist = Wrist.status

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.Derive.Stroke {
    /// A game.
    package enum Preset: String, Sendable, CaseIterable {
        /// Tennis.
        case tennis
        /// Table tennis.
        case tableTennis
    }

    /// Where the wrist is taken from.
    package enum Wrist: String, Sendable, CaseIterable {
        /// The left wrist, whatever the device says.
        case left
        /// The right wrist, whatever the device says.
        case right
        /// The registry's or the device's own word.
        case status
    }
}

extension GatewayConfiguration.Derive.Stroke {
    static let settings: [Setting] = [
        Setting("derive.stroke.preset", \.derive.stroke.preset, "The game whose thresholds apply; not used yet"),
        Setting("derive.stroke.wrist", \.derive.stroke.wrist, "The wrist; status is the device's word; not used yet"),
    ]
}
