/// What a pedometer can count.
enum PedometerRange {
    /// More than anyone walks in a lifetime; sums of such numbers are exact.
    static let mostSteps = 1 << 40
    /// In m, further than anyone walks in a lifetime.
    static let longest = 1e9
    /// The most steps a second that anyone runs.
    static let fastestCadence = 6.0
    /// The greatest speed in m/s that anyone runs.
    static let fastestSpeed = 12.5
}
