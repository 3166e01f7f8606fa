extension GatewayConfiguration.Derive {
    /// Forehand and backhand.
    package struct Stroke: Sendable, Equatable {
        /// The game whose thresholds apply; default tennis.
        package var preset = Preset.tennis
        /// The wrist that the watch is on; default what its `status` says.
        package var wrist = Wrist.status
        /// The streams that strokes are counted from; default both that hold a wrist's motion. A device that sends both counts twice.
        package var streams = GatewayConfiguration.StreamList(names: ["device-motion", "batched-imu"])

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
        Setting("derive.stroke.preset", \.derive.stroke.preset, "The game whose thresholds apply"),
        Setting(
            "derive.stroke.wrist", \.derive.stroke.wrist,
            "The wrist the watch is on; status is the registry's or the device's word"),
        Setting(
            "derive.stroke.streams", \.derive.stroke.streams,
            "The streams that strokes are counted from: device-motion, batched-imu or both"),
    ]
}
