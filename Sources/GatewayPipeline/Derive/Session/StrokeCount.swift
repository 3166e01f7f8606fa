import TelemetryModel

/// Forehands and backhands.
struct StrokeCount: SparseValue {
    @Sparse private(set) var forehands = 0
    @Sparse private(set) var backhands = 0

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
