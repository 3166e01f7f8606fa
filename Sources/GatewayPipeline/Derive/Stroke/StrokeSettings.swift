internal import SignalProcessing
package import TelemetryModel

/// The settings of strokes.
package struct StrokeSettings: DerivationSettings {
    /// A game, whose thresholds apply.
    package enum Preset: String, Sendable, CaseIterable {
        /// Tennis.
        case tennis
        /// Table tennis.
        case tableTennis
    }

    /// Where the wrist is taken from.
    package enum Wrist: String, Sendable, CaseIterable {
        /// The left wrist, whatever the device reports.
        case left
        /// The right wrist, whatever the device reports.
        case right
        /// The wrist in the registry or the device's status.
        case status

        /// The wrist, where it is known.
        var side: Side? { Side(rawValue: rawValue) }

        init(_ side: Side) { self = side == .left ? .left : .right }
    }

    /// How one stroke is kept from counting twice.
    package enum Counting: Sendable, Equatable {
        /// The first turn counts, at once; the next only after |mean rotation rate| over the newer half of the window was
        /// under `rate` in rad/s, which also empties the window.
        case untilStill(rate: Double)
        /// The fastest of the turns within `seconds` of the first counts, and none within `seconds` after it; above 0.
        case fastest(seconds: Double)
    }

    /// The activities in which strokes are counted. HealthKit has no padel, but apps do.
    package var activities: [ActivityName] = [
        "tennis", "tableTennis", "squash", "badminton", "racquetball", "pickleball", "padel",
    ]
    /// Whether strokes are counted whatever the workout.
    package var always = false
    /// The game whose thresholds apply.
    package var preset = Preset.tennis
    /// Where the wrist is taken from.
    package var wrist = Wrist.status
    /// The streams that strokes are counted from.
    package var streams: [StreamName] = [.deviceMotion, .batchedIMU]

    /// The defaults.
    package init() {}

    /// The defaults for a game.
    package init(_ preset: Preset) { self.preset = preset }

    /// `derive.stroke`.
    package static let table: [DerivationSetting<Self>] = [
        .activities(\.activities, of: "strokes"),
        .always(\.always, of: "strokes"),
        .choice("preset", \.preset, "The game whose thresholds apply"),
        .choice("wrist", \.wrist, "The wrist the watch is on; status is the registry's or the device's"),
        .streams(
            "streams", \.streams,
            "The streams that strokes are counted from: device-motion, batched-imu or both; a device that sends both counts in each"
        ),
    ]

    /// The wrist is the device's, unless it is set.
    package func resolved(for device: DeviceFacts) -> Self {
        guard wrist == .status, let side = device.traits.wrist else { return self }
        var settings = self
        settings.wrist = Wrist(side)
        return settings
    }
}

/// The thresholds of the presets.
///
/// Tennis: WWDC16 session 713, a stroke, then a pause. Table tennis: found on two recordings of topspin strokes against a ball robot
/// at 50 Hz, also at 0.4 to 1.5 times their speed. The fast part of a stroke lasts 0.2 s, turns 1.6-3.5 rad and reaches 15-25 rad/s.
/// The backswing just before it turns up to 2 rad the other way at up to 11 rad/s, the return at up to 7: only the speed distinguishes
/// them. So the threshold of speed is half that of the player's last turns.
extension StrokeSettings {
    /// The length of the window that rotation is summed over, in seconds.
    package var windowSeconds: Double { preset == .tennis ? 1 : 0.25 }

    /// The threshold of |rotation about gravity| in the window, in rad.
    package var yawThreshold: Double { preset == .tennis ? 1.95 : 0.85 }

    /// The threshold of the fastest rotation in the window, in the same sense, in rad/s, after the last turns; `recent` are their speeds.
    func rateThreshold(after recent: [Double]) -> Double {
        guard preset == .tableTennis else { return 5.5 }
        // Returns may be among the last turns, but are not the fastest quarter of them.
        guard recent.count >= 3, let usual = Statistics.percentile(0.75, of: recent) else { return 9 }
        return max(leastRate, 0.5 * usual)
    }

    /// The least rotation of a stroke, in rad/s, whoever plays.
    var leastRate: Double { preset == .tennis ? 5.5 : 6 }

    /// How one stroke is kept from counting twice.
    package var counting: Counting { preset == .tennis ? .untilStill(rate: 5.5 * 0.05) : .fastest(seconds: 0.5) }

    /// The longest interval between samples, in seconds, that rotation is summed across.
    package var longestGapSeconds: Double { 0.125 }

    /// How long an undecided stroke waits for more samples, and for a workout that allows it, in seconds of device time.
    package var waitSeconds: Double { 2.5 }
}
