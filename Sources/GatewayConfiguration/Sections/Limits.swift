import GatewayPipeline

extension GatewayConfiguration {
    /// The limits of waits, sizes and rates.
    package struct Limits: Sendable, Equatable {
        /// How long a missing frame is waited for, in seconds, 0 to 300. Then a `gap` is published.
        package var reorderSeconds = IntakeLimits().reorderSeconds
        /// How long a missing frame of `submersion` is waited for, in seconds, 0 to 300. Alarms are delayed by as much.
        package var submersionReorderSeconds = IntakeLimits().submersionReorderSeconds
        /// How many frames of a stream are held at most while one is missing, 1 to 4,096.
        package var reorderFrames = IntakeLimits().reorderFrames
        /// How old a frame may be, in seconds, 1 to 1,000,000,000; default any age. Never applies to status, workout, pedometer and history.
        package var maximumAgeSeconds: Double?
        /// The largest payload that is decoded, in bytes, 1,024 to 268,434,431.
        package var maximumPayloadBytes = DecodeLimits().maximumPayloadBytes
        /// How far a frame's time may be ahead before its messages carry `skew`, in seconds, 0 to 3,600.
        package var futureSkewSeconds = IntakeLimits().futureSkewSeconds
        /// By how much a device's clock may fall before its frames are in doubt, in seconds, 1 to 3,600.
        package var clockStepSeconds = IntakeLimits().clockStepSeconds
        /// How many devices outside the registry may have state where they are allowed, 1 to 1,000,000.
        package var unregisteredDevices = PipelineSettings.unregisteredDevices
        /// How many `rejected` messages a second a device and reason may cause, 0.01 to 100. The rest are counted.
        package var rejectedPerSecond = PipelineSettings.rejectedPerSecond
        /// What one device may cost.
        package var device = Device()

        /// Makes a section in which every setting has its default.
        package init() {}

        /// What one device may cost on each lane, in units a second of its own clock: a unit is 1,000 bytes, or 100 samples.
        package struct Device: Sendable, Equatable {
            /// The most as a mean over a minute, 0 to 1,000,000. At 0 nothing is refused, and messages are processed in the order of their
            /// arrival whichever devices they are of.
            package var unitsPerSecond = BudgetSettings().unitsPerSecond
        }
    }
}

extension GatewayConfiguration.Limits {
    static let settings: [Setting] = [
        Setting(
            "limits.reorderSeconds", \.limits.reorderSeconds, in: .from(0, to: 300), unit: "seconds",
            "How long a missing frame is waited for"),
        Setting(
            "limits.submersionReorderSeconds", \.limits.submersionReorderSeconds, in: .from(0, to: 300), unit: "seconds",
            "The same for submersion; alarms are delayed by as much"),
        Setting(
            "limits.reorderFrames", \.limits.reorderFrames, in: .from(1, to: 4_096), unit: "frames",
            "How many frames of a stream are held while one is missing"),
        Setting(
            "limits.maximumAgeSeconds", \.limits.maximumAgeSeconds, in: .from(1, to: 1e9), unit: "seconds", whenNull: "any age",
            "How old a frame may be; never applies to status, workout, pedometer and history"),
        Setting(
            "limits.maximumPayloadBytes", \.limits.maximumPayloadBytes, in: .from(1_024, to: 268_434_431), unit: "bytes",
            "The largest payload that is decoded"),
        Setting(
            "limits.futureSkewSeconds", \.limits.futureSkewSeconds, in: .from(0, to: 3_600), unit: "seconds",
            "How far ahead a frame may be before its messages carry skew"),
        Setting(
            "limits.clockStepSeconds", \.limits.clockStepSeconds, in: .from(1, to: 3_600), unit: "seconds",
            "By how much a device's clock may fall before its frames wait until it is known whether the clock was set back"),
        Setting(
            "limits.unregisteredDevices", \.limits.unregisteredDevices, in: .from(1, to: 1_000_000), unit: "devices",
            "How many devices outside the registry may have state; beyond it one silent for gateway.idleStateSeconds is dropped"),
        Setting(
            "limits.rejectedPerSecond", \.limits.rejectedPerSecond, in: .from(0.01, to: 100), unit: "messages a second",
            "How many rejected messages a device and reason may cause"),
        Setting(
            "limits.device.unitsPerSecond", \.limits.device.unitsPerSecond, in: .from(0, to: 1e6), unit: "units a second",
            "What a device may cost on each lane, mean of a minute; a unit is 1,000 bytes or 100 samples; 0 for no limit and no turns"
        ),
    ]
}
