/// How far the values of columns may be off that a frame holds as scaled integers: half of the scale. Nil for columns that are not scaled.
public struct Quantization: Sendable, Equatable, Codable {
    /// Of total accelerations, in G.
    public var acceleration: Double?
    /// Of rotation rates, in rad/s.
    public var rotationRate: Double?
    /// Of the acceleration without gravity, in G.
    public var userAcceleration: Double?
    /// Of gravity, in G.
    public var gravity: Double?

    /// No scaled column.
    public init() {}

    /// Whether no column is scaled.
    public var isEmpty: Bool { self == Self() }
}
