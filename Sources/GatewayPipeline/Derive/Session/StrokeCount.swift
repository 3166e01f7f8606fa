import StateCoding
import TelemetryModel

/// Forehands and backhands.
struct StrokeCount: Codable, Sendable, Equatable {
    private(set) var forehands = 0
    private(set) var backhands = 0

    init() {}

    /// One stroke.
    init(_ stroke: TelemetryModel.Stroke) {
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

extension StrokeCount: FieldEncodable {
    /// Writes every field.
    func write(to fields: FieldWriter) throws {
        try fields.write("forehands", forehands)
        try fields.write("backhands", backhands)
    }
}
