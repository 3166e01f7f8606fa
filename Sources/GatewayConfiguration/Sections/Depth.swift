extension GatewayConfiguration.Derive {
    /// Depth state, dives and water temperature. `M` is the maximum depth of the device's entitlement: 6 m or 40 m.
    package struct Depth: Sendable, Equatable {
        /// How far past a threshold the depth must come back before the state is shallower again, in metres, 0 to 0.9; default 0.2.
        /// At 0 the state may chatter.
        package var hysteresisMeters = 0.2
        /// How long a submerged device may send nothing before its state is `unknown`, in seconds, 0.05 to 3,600; default 5.
        package var staleSeconds = 5.0
        /// How often an unchanged state under water is published again, in seconds; default 0, never. Less than `staleSeconds`
        /// keeps the retained state from expiring while data come.
        package var refreshSeconds = 0.0
        /// The part of `M` beyond which the state is `approachingMaxDepth`, 0.1 to 1; default 0.875.
        package var approachingFraction = 0.875
        /// The part of `M` beyond which the depth is withheld as `sensorDepthError`, 1 to 2; default 1.1.
        package var sensorErrorFraction = 1.1
        /// The depth at which a device that reports no submersion events is in the water, in metres, 0.01 to 5; default 0.2.
        package var enterWaterMeters = 0.2
        /// How long it must then stay above that depth to be out of the water, in seconds, 0 to 60; default 2.
        package var leaveWaterSeconds = 2.0
        /// The vertical speed above which the sensor is held to be at fault, in metres a second, 0.1 to 100; default 4.
        package var maximumSpeedMetersPerSecond = 4.0
        /// The shortest time over which speed is judged, in seconds, 0.01 to 10; default 0.25.
        package var minimumIntervalSeconds = 0.25
        /// The depth under which the sensor is held to be at fault, in metres, -100 to 0; default -1. Between it and 0 is the surface.
        package var minimumDepthMeters = -1.0
        /// The water by whose density pressure becomes depth; default sea.
        package var water = Water.sea
        /// The depth at which a dive starts, in metres, 0.1 to 40; default 1.
        package var diveStartMeters = 1.0
        /// How long a device without submersion events must stay at the surface to end a dive, in seconds, 0.1 to 600; default 5.
        package var diveEndSeconds = 5.0
        /// The time over which a dive's ascent rate is measured, in seconds, 0.5 to 60; default 3.
        package var ascentWindowSeconds = 3.0
        /// The temperature of the water.
        package var temperature = Temperature()

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.Derive.Depth {
    /// What is dived in.
    package enum Water: String, Sendable, CaseIterable {
        /// Sea water.
        case sea
        /// Fresh water: a lake or a pool.
        case fresh

        /// The density in kilograms per cubic metre: 1,025 or 1,000.
        package var density: Double {
            switch self {
            case .sea: 1025
            case .fresh: 1000
            }
        }
    }

    /// The temperature of the water.
    package struct Temperature: Sendable, Equatable {
        /// The uncertainty up to which a temperature has converged, in degrees Celsius, 0.01 to 20; default 0.5.
        package var convergedCelsius = 0.5
        /// The shortest device time between two published temperatures, in seconds, 0 to 3,600; default 1.
        package var intervalSeconds = 1.0

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.Derive.Depth {
    static let settings: [Setting] = [
        Setting(
            "derive.depth.hysteresisMeters", \.derive.depth.hysteresisMeters, in: .from(0, to: 0.9), unit: "metres",
            "How far the depth must come back past a threshold"),
        Setting(
            "derive.depth.staleSeconds", \.derive.depth.staleSeconds, in: .from(0.05, to: 3_600), unit: "seconds",
            "How long a submerged device may be silent before its state is unknown"),
        Setting(
            "derive.depth.refreshSeconds", \.derive.depth.refreshSeconds, in: .from(0, to: 3_600), unit: "seconds",
            "How often an unchanged state under water is published again; 0 never"),
        Setting(
            "derive.depth.approachingFraction", \.derive.depth.approachingFraction, in: .from(0.1, to: 1),
            "The part of the maximum depth beyond which it is approaching"),
        Setting(
            "derive.depth.sensorErrorFraction", \.derive.depth.sensorErrorFraction, in: .from(1, to: 2),
            "The part of the maximum depth beyond which depth is withheld"),
        Setting(
            "derive.depth.enterWaterMeters", \.derive.depth.enterWaterMeters, in: .from(0.01, to: 5), unit: "metres",
            "The depth that counts as in the water without events"),
        Setting(
            "derive.depth.leaveWaterSeconds", \.derive.depth.leaveWaterSeconds, in: .from(0, to: 60), unit: "seconds",
            "How long above it counts as out of the water without events"),
        Setting(
            "derive.depth.maximumSpeedMetersPerSecond", \.derive.depth.maximumSpeedMetersPerSecond, in: .from(0.1, to: 100),
            unit: "metres a second", "The vertical speed above which the sensor is at fault"),
        Setting(
            "derive.depth.minimumIntervalSeconds", \.derive.depth.minimumIntervalSeconds, in: .from(0.01, to: 10),
            unit: "seconds",
            "The shortest time over which speed is judged"),
        Setting(
            "derive.depth.minimumDepthMeters", \.derive.depth.minimumDepthMeters, in: .from(-100, to: 0), unit: "metres",
            "The depth under which the sensor is at fault"),
        Setting(
            "derive.depth.water", \.derive.depth.water, "The water by whose density pressure becomes depth: 1025 or 1000 kg/m3"),
        Setting(
            "derive.depth.diveStartMeters", \.derive.depth.diveStartMeters, in: .from(0.1, to: 40), unit: "metres",
            "The depth at which a dive starts"),
        Setting(
            "derive.depth.diveEndSeconds", \.derive.depth.diveEndSeconds, in: .from(0.1, to: 600), unit: "seconds",
            "How long at the surface ends a dive without events"),
        Setting(
            "derive.depth.ascentWindowSeconds", \.derive.depth.ascentWindowSeconds, in: .from(0.5, to: 60), unit: "seconds",
            "The time over which the ascent rate is measured"),
        Setting(
            "derive.depth.temperature.convergedCelsius", \.derive.depth.temperature.convergedCelsius, in: .from(0.01, to: 20),
            unit: "degrees Celsius", "The uncertainty up to which a temperature has converged"),
        Setting(
            "derive.depth.temperature.intervalSeconds", \.derive.depth.temperature.intervalSeconds, in: .from(0, to: 3_600),
            unit: "seconds", "The shortest time between two published temperatures"),
    ]
}
