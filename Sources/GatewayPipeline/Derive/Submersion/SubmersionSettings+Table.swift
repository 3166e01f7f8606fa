extension SubmersionSettings {
    /// `derive.depth`.
    package static let table: [DerivationSetting<Self>] = [
        .number(
            "hysteresisMeters", \.hysteresisMeters, in: 0...0.9, unit: "metres",
            "How far the depth must come back past a threshold; at 0 the state may change to and fro"),
        .number(
            "staleSeconds", \.staleSeconds, in: 0.05...3_600, unit: "seconds",
            "How long a submerged device may send nothing before its state is unknown"),
        .number(
            "refreshSeconds", \.refreshSeconds, in: 0...3_600, unit: "seconds",
            "How often an unchanged state under water is published again; 0 never"),
        .number(
            "approachingFraction", \.approachingFraction, in: 0.1...1,
            "The part of the maximum depth beyond which it is approaching"),
        .number(
            "sensorErrorFraction", \.sensorErrorFraction, in: 1...2,
            "The part of the maximum depth beyond which depth is withheld"),
        .number(
            "enterWaterMeters", \.enterWaterMeters, in: 0.01...5, unit: "metres",
            "The depth that counts as in the water without events"),
        .number(
            "leaveWaterSeconds", \.leaveWaterSeconds, in: 0...60, unit: "seconds",
            "How long above it counts as out of the water without events"),
        .number(
            "maximumSpeedMetersPerSecond", \.maximumSpeed, in: 0.1...100, unit: "metres a second",
            "The vertical speed above which the sensor is at fault"),
        .choice("water", \.water, "The water by whose density pressure becomes depth: 1025 or 1000 kg/m3"),
        .number(
            "diveStartMeters", \.diveStartMeters, in: 0.1...40, unit: "metres", "The depth at which a dive starts"),
        .choice("diving", \.diving, "What ends a dive; automatic tells free dives by their speed and length"),
        .number(
            "diveEndSeconds", \.diveEndSeconds, in: 0.1...600, unit: "seconds",
            "How long at the surface ends a free dive without events"),
        .number(
            "scubaEndSeconds", \.scubaEndSeconds, in: 0.1...3_600, unit: "seconds",
            "How long at the surface ends a scuba dive, with or without events"),
        .number(
            "temperature.intervalSeconds", \.temperatureIntervalSeconds, in: 0...3_600, unit: "seconds",
            "The shortest time between two published temperatures"),
    ]

    /// What must agree.
    package static let rules = [
        DerivationRule<Self>(
            "enterWaterMeters", "diveStartMeters", agreement: "a dive must start deeper than the water does"
        ) { $0.enterWaterMeters >= $0.diveStartMeters }
    ]
}
