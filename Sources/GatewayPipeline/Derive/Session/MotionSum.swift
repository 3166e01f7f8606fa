package import TelemetryModel

/// `session/motion`: what is counted from single samples of motion.
package struct MotionSum: SessionSum {
    private var strokes = StrokeCount()

    /// Nothing.
    package init() {}

    /// `device-motion`.
    package static let stream = StreamName.deviceMotion

    /// Strokes. Another kind needs a line here, its counts in the sum, and its fields in the kind.
    package static let sources: [SessionSource<Self>] = [
        SessionSource(TelemetryModel.Stroke.self, ofItsStream: true) { stroke, sum in sum.strokes = StrokeCount(stroke) }
    ]

    /// Adds another sum.
    package mutating func add(_ other: Self) {
        strokes.add(other.strokes)
    }

    /// `session/motion`.
    package static let kind = DerivedKind<SessionReport<Self>>.session(
        "session/motion", "The strokes of a session that are counted from `device-motion`; retained until it has ended.",
        fields: [
            .init("forehands", "The number of forehands from this stream.") { .integer($0.sum.strokes.forehands) },
            .init("backhands", "The number of backhands from this stream.") { .integer($0.sum.strokes.backhands) },
        ])
}
