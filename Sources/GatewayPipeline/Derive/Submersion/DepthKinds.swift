import TelemetryModel

extension DepthStateChange: DerivedBody {
    /// `depth-state`.
    ///
    /// What a line, a cell and an event say of a depth, and its entities, is code of the views: it depends on what is current.
    package static let kind = DerivedKind<Self>(
        "depth-state", retained: true, "How deep the device is, in Core Motion's steps; published when state or quality changes.",
        fields: [
            .text("state", values: DepthState.allCases.map(\.name), "The state from now on.", \.state.name),
            .integer("rawValue", "Core Motion's number of the state.", \.state.rawValue),
            .text("previous", values: DepthState.allCases.map(\.name), "The state until now; null where `early`.") {
                $0.isEarly ? nil : $0.previous.name
            },
            .text(
                "cause", "Why it changed; a restart is the gateway's, as is a handover, a reboot the device's.", \.cause.rawValue),
            .number("depth", unit: "m", "Depth under water; null where it is not known or withheld.", \.depth),
            .number("maximumDepth", unit: "m", "The limit of the device's entitlement; null without one.", \.maximumDepth),
            .number(
                "surfacePressure", unit: "kPa", "Absolute pressure of the air at the surface; null where it was not measured.",
                \.surfacePressure),
            .init(
                "early", type: .flag,
                "True where it is read from a frame while the broker may still deliver frames before it; absent else."
            ) { $0.isEarly ? .flag(true) : .absent },
        ],
        view: KindView(.water, details: [.plot(["depth", "rawValue"])], trend: "depth")
    ) { "\($0.isEarly ? "early" : "\($0.previous.rawValue)")>\($0.state.rawValue):\($0.cause.rawValue)" }
}

extension WaterTemperature: DerivedBody {
    /// `water-temperature`.
    package static let kind = DerivedKind<Self>(
        "water-temperature", retained: true, "The temperature of the water.",
        fields: [
            .number("temperature", unit: "C", "The temperature.", \.temperature),
            .number("uncertainty", unit: "C", "How far it may be off: a difference.", \.uncertainty),
            .flag("converged", "Whether the uncertainty has come down to the configured limit.", \.converged),
        ],
        view: KindView(
            .water,
            cell: .init(.temperature) { fields in
                let text = fields["temperature", 1]
                return [fields.isCurrent ? .text(text) : .text("was \(text)", .was)]
            },
            entities: [
                .init(
                    "water_temperature", "Water temperature", .field("temperature"), stateClass: "measurement", precision: 1)
            ])
    ) { _ in "" }
}

extension Dive: DerivedBody {
    /// `dive`.
    package static let kind = DerivedKind<Self>(
        "dive", retained: false, "One dive, published when the diver is back at the surface to stay.",
        fields: [
            .instant("start", "The first crossing of the entry depth.", \.start),
            .instant("end", "The last crossing of the entry depth.", \.end),
            .seconds("duration", "From start to end, in device time.", \.duration),
            .number("deepest", unit: "m", "The greatest depth; null once depth was withheld.", \.deepest),
            .number(
                "averageDepth", unit: "m", "The mean depth over the time under water; null once depth was withheld.",
                \.averageDepth),
            .number(
                "minimumTemperature", unit: "C", "The lowest water temperature; null where none was measured.",
                \.minimumTemperature),
            .number("ascentRate", unit: "m/s", "The fastest ascent over the configured window.", \.ascentRate),
            .seconds("surfaceInterval", "Time at the surface since the dive before; null for the first.", \.surfaceInterval),
            .seconds("surfaceTime", "Time at the surface between start and end, where a dive was interrupted.", \.surfaceTime),
            .init("profile", "How deep it was from the start on; null where that was not collected.") {
                $0.profile.map { .profile(interval: $0.interval, values: $0.depth) } ?? .text(nil)
            },
        ],
        view: KindView(
            .water,
            event: { Phrase("dive over: \(phrase($0).text)", .good) }, episode: .init("Dives", phrase),
            // Announced with the depth state: at the first message of a dive it is over, and Home Assistant would not have received it.
            entities: [
                .init(
                    "dive", "Dive", .event(types: ["dive"], type: "'dive'", without: ["profile"]), icon: "mdi:diving-scuba",
                    announcedBy: DepthStateChange.name),
                .init("dive_deepest", "Last dive deepest", .field("deepest"), precision: 1, announcedBy: DepthStateChange.name),
                .init(
                    "dive_duration", "Last dive duration", .field("duration"), precision: 0, announcedBy: DepthStateChange.name),
            ])
    ) { "\($0.start.microseconds)" }

    @Sendable private static func phrase(_ fields: ShownFields) -> Phrase {
        let bottom = fields.measure("deepest", 1).map { "\($0) deep" } ?? "deeper than can be measured"
        let ascent = fields.measure("ascentRate", 1).map { "up at \($0)" }
        return Phrase(list: [bottom, fields.measure("duration", 0), ascent])
    }
}

extension SubmersionErrorReport: DerivedBody {
    /// `error/submersion`.
    package static let kind = DerivedKind<Self>(
        "error/submersion", retained: true, "What the device could not measure; ends with the next measurement.",
        fields: [
            .integer("code", "Core Motion's error code; null once a measurement has come again.", \.code),
            .text("name", "The name of the code; null for one that Core Motion does not define.") {
                $0.code.flatMap { Self.names[$0] }
            },
            .integer("count", "How many errors came since the last measurement.", \.count),
            .instant("since", "When the first of them came; null once a measurement has come again.", \.since),
        ]
    ) { "\($0.code ?? 0):\($0.count)" }

    /// `CMErrorDomain`.
    static let names = [
        100: "null", 101: "deviceRequiresMovement", 102: "trueNorthNotAvailable", 103: "unknown",
        104: "motionActivityNotAvailable", 105: "motionActivityNotAuthorized", 106: "motionActivityNotEntitled",
        107: "invalidParameter", 108: "invalidAction", 109: "notAvailable", 110: "notEntitled", 111: "notAuthorized",
        112: "nilData", 113: "size",
    ]
}

extension ViewColumn {
    /// The temperature of the water.
    static let temperature = ViewColumn("temperature", "Water", isNumber: true, place: 1)
}
