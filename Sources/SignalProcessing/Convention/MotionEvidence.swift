/// Measures the units and signs of motion samples.
package struct MotionEvidence: Sendable, Equatable, Codable {
    /// How far a direction may be off to agree with another, on the unit sphere: 3 degrees.
    private static let tolerance = 0.05

    /// The possible relations of gravity and attitude.
    package enum Frame: String, Sendable, Codable, CaseIterable {
        /// Core Motion's: both as Apple defines them.
        case apple
        /// Gravity and acceleration reversed, the attitude as Apple defines it.
        case reversed
        /// Gravity and acceleration reversed, and yaw and pitch too.
        case reversedAndTurned
    }

    private var lengths: [Double] = []
    private var distances: [Frame: [Double]] = [:]

    /// No sample yet.
    package init() {}

    /// How many samples there were.
    package var count: Int { lengths.count }

    /// Adds an unconverted sample.
    package mutating func add(gravity: SIMD3<Double>, attitude: SIMD4<Double>) {
        let length = (gravity * gravity).sum().squareRoot()
        guard length > 0 else { return }
        lengths.append(length)
        let direction = gravity / length
        let attitude = attitude / (attitude * attitude).sum().squareRoot()
        for frame in Frame.allCases {
            let expected =
                switch frame {
                case .apple: Attitude.gravity(in: attitude)
                case .reversed: -Attitude.gravity(in: attitude)
                case .reversedAndTurned: -Attitude.gravity(in: MotionConvention.turned(attitude))
                }
            let difference = direction - expected
            distances[frame, default: []].append((difference * difference).sum().squareRoot())
        }
    }

    /// Adds an unconverted sample of total acceleration, which shows the unit alone: its median length is about that of gravity.
    package mutating func add(acceleration: SIMD3<Double>) { lengths.append((acceleration * acceleration).sum().squareRoot()) }

    /// G for each unit of the input; nil when |gravity| is neither about 1 nor about 9.81.
    package var gravityScale: Double? {
        switch length {
        case 0.9...1.1: 1
        case 9...10.6: 1 / MotionConvention.standardGravity
        default: nil
        }
    }

    /// The median of |gravity| in the unit of the input; 0 when there is no sample.
    package var length: Double { Self.median(lengths) ?? 0 }

    /// The frames that the samples agree with, Apple's first; none when gravity and attitude contradict each other.
    package var frames: [Frame] { Frame.allCases.filter { distance($0) < Self.tolerance } }

    /// The median distance between gravity and the one that the attitude gives in that frame, on the unit sphere (0-2).
    package func distance(_ frame: Frame) -> Double { Self.median(distances[frame] ?? []) ?? 2 }

    private static func median(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.sorted()[values.count / 2]
    }
}
