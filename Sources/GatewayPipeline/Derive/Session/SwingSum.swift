package import TelemetryModel

/// `session/swing`: swings, impacts, and strokes from batches.
package struct SwingSum: SessionSum {
    private var hits = 0
    private var misses = 0
    private var impacts = 0
    private var strokes = StrokeCount()
    private var bestTimeToContact: Double?
    private var timeToContact = 0.0
    private var peakAcceleration: Double?
    private var bestBatSpeed: Double?

    /// Nothing.
    package init() {}

    /// `batched-imu`.
    package static let stream = StreamName.batchedIMU

    /// Swings, impacts and strokes.
    package static let sources: [SessionSource<Self>] = [
        SessionSource(Swing.self) { swing, sum in
            sum.hits = swing.contact ? 1 : 0
            sum.misses = swing.contact ? 0 : 1
            sum.bestTimeToContact = swing.timeToContact
            sum.timeToContact = swing.timeToContact ?? 0
            sum.peakAcceleration = swing.peakAcceleration
            sum.bestBatSpeed = swing.batSpeed
        },
        SessionSource(Impact.self) { impact, sum in
            sum.impacts = 1
            sum.peakAcceleration = impact.peakAcceleration
        },
        SessionSource(Stroke.self, ofItsStream: true) { stroke, sum in sum.strokes = StrokeCount(stroke) },
    ]

    /// Adds another sum.
    package mutating func add(_ other: Self) {
        hits.addSaturated(other.hits)
        misses.addSaturated(other.misses)
        impacts.addSaturated(other.impacts)
        strokes.add(other.strokes)
        bestTimeToContact = bestTimeToContact.least(other.bestTimeToContact)
        timeToContact += other.timeToContact
        peakAcceleration = peakAcceleration.greatest(other.peakAcceleration)
        bestBatSpeed = bestBatSpeed.greatest(other.bestBatSpeed)
    }

    /// `session/swing`.
    package static let kind = DerivedKind<SessionReport<Self>>.session(
        "session/swing", "The swings of a session; retained until it has ended.",
        fields: [
            .integer("hits", "The number of `swing`s with contact.", \.sum.hits),
            .integer("misses", "The number of `swing`s without.", \.sum.misses),
            .integer("impacts", "The number of `impact`s.", \.sum.impacts),
            .integer("forehands", "The number of forehands from this stream.", \.sum.strokes.forehands),
            .integer("backhands", "The number of backhands from this stream.", \.sum.strokes.backhands),
            .seconds("bestTimeToContact", "The shortest time to contact; null without a hit.", \.sum.bestTimeToContact),
            .seconds("meanTimeToContact", "The mean time to contact; null without a hit.") {
                $0.sum.hits > 0 ? $0.sum.timeToContact / Double($0.sum.hits) : nil
            },
            .number(
                "peakAcceleration", unit: "G", "The greatest acceleration of swings and impacts; null without any.",
                \.sum.peakAcceleration),
            .number(
                "bestBatSpeed", unit: "m/s", "The greatest speed of the bat; null unless the bat is described.",
                \.sum.bestBatSpeed),
        ])
}

extension SwingSum {
    private enum CodingKeys: String, CodingKey {
        case hits, misses, impacts, strokes, bestTimeToContact, timeToContact, peakAcceleration, bestBatSpeed
    }

    /// Reads a sum; what is not written is 0.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        hits = try container.decodeIfPresent(Int.self, forKey: .hits) ?? 0
        misses = try container.decodeIfPresent(Int.self, forKey: .misses) ?? 0
        impacts = try container.decodeIfPresent(Int.self, forKey: .impacts) ?? 0
        strokes = try container.decodeIfPresent(StrokeCount.self, forKey: .strokes) ?? StrokeCount()
        bestTimeToContact = try container.decodeIfPresent(Double.self, forKey: .bestTimeToContact)
        timeToContact = try container.decodeIfPresent(Double.self, forKey: .timeToContact) ?? 0
        peakAcceleration = try container.decodeIfPresent(Double.self, forKey: .peakAcceleration)
        bestBatSpeed = try container.decodeIfPresent(Double.self, forKey: .bestBatSpeed)
    }

    /// Writes the fields that are not 0.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hits, unless: 0, forKey: .hits)
        try container.encode(misses, unless: 0, forKey: .misses)
        try container.encode(impacts, unless: 0, forKey: .impacts)
        try container.encode(strokes, unless: StrokeCount(), forKey: .strokes)
        try container.encodeIfPresent(bestTimeToContact, forKey: .bestTimeToContact)
        try container.encode(timeToContact, unless: 0, forKey: .timeToContact)
        try container.encodeIfPresent(peakAcceleration, forKey: .peakAcceleration)
        try container.encodeIfPresent(bestBatSpeed, forKey: .bestBatSpeed)
    }
}
