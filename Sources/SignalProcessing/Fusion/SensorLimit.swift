/// Finds samples at the limit of a sensor's range: the greatest value of an axis so far, several times in a row.
struct SensorLimit: Sendable, Equatable, Codable {
    /// The smallest limits that sensors have: 1.5 G, and 125 degrees/s in rad/s. Below them, values that repeat are those of rest.
    static let leastAcceleration = 1.4
    static let leastRate = 2.0
    /// How many equal values in a row are no coincidence.
    private static let enough = 3.0

    private let least: Double
    private var greatest: SIMD3<Double>
    private var run = SIMD3<Double>(repeating: 0)

    /// No sample yet; values below `least` are no limit.
    init(least: Double) {
        self.least = least
        greatest = SIMD3(repeating: least)
    }

    /// Forgets all samples.
    mutating func forget() { self = Self(least: least) }

    /// Adds a sample; returns whether an axis is at its limit.
    mutating func reached(by sample: SIMD3<Double>) -> Bool {
        let size = SIMD3(abs(sample.x), abs(sample.y), abs(sample.z))
        guard size.x >= greatest.x || size.y >= greatest.y || size.z >= greatest.z else {
            run = SIMD3(repeating: 0)
            return false
        }
        for axis in 0..<3 {
            // A greater value begins a run. A limit is never exceeded: one that was found stays.
            run[axis] = size[axis] == greatest[axis] ? run[axis] + 1 : size[axis] > greatest[axis] ? 1 : 0
            greatest[axis] = max(greatest[axis], size[axis])
        }
        return run.max() >= Self.enough
    }
}
