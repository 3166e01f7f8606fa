import TelemetryModel

/// Forehands and backhands.
struct StrokeCount: Codable, Sendable, Equatable {
    private(set) var forehands = 0
    private(set) var backhands = 0

    init() {}

    /// One stroke.
    init(_ stroke: Stroke) {
        switch stroke.stroke {
        case .forehand: forehands = 1
        case .backhand: backhands = 1
        }
    }

    mutating func add(_ other: Self) {
        forehands.addSaturated(other.forehands)
        backhands.addSaturated(other.backhands)
    }
}

extension StrokeCount {
    private enum CodingKeys: String, CodingKey { case forehands, backhands }

    /// Reads counts; what is not written is 0.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        forehands = try container.decodeIfPresent(Int.self, forKey: .forehands) ?? 0
        backhands = try container.decodeIfPresent(Int.self, forKey: .backhands) ?? 0
    }

    /// Writes the counts that are not 0.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(forehands, unless: 0, forKey: .forehands)
        try container.encode(backhands, unless: 0, forKey: .backhands)
    }
}
