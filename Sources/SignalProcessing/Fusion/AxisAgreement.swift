/// Finds from raw samples whether gyroscope and accelerometer have the same axes.
///
/// What the sensor feels, turned back by the rotation since a window began, must have a mean of 1 G in a constant direction, as the changes
/// of velocity are small over seconds. With a wrong assignment of the axes gravity is smeared. Each of the 48 signed permutations of the
/// rotation rate is compared; the best must be better than the second best over enough windows with rotation.
///
/// If P = d Q has the determinant d, the rotation by P rate is Q R Q', where R is the rotation by d rate. So two rotations and the
/// sums of their products with the acceleration are enough for all 48.
///
/// A rate in another unit of angle fits no assignment. So the same is done with rates in degrees and in radians of a degree: one of them must
/// fit where the rate as it is does not.
package struct AxisAgreement: Sendable, Equatable, Codable {
    /// Length of a window in s. Its halves are compared.
    private static let windowSeconds = 6.0
    /// How far apart the permutations must be in a window that counts, in G^2: at rest all are alike.
    private static let leastSpread = 0.005
    /// How far off the best permutation may be in a window that counts, in G^2: the rest have shocks or lost samples.
    private static let greatestError = 0.03
    /// The greatest error that a window may give a permutation, in G^2.
    private static let bound = 0.1
    /// How many windows must count.
    private static let enough = 10.0
    /// How many times worse the second best permutation must be.
    private static let leastRatio = 1.8
    /// How many times better another unit must fit a window.
    private static let leastUnitRatio = 3.0
    /// What a bias of 0.8 degrees/s and noise can make, in G^2.
    private static let noise = 0.0005

    /// What is known of the axes.
    package enum Verdict: Sendable, Equatable, Codable {
        /// There was too little rotation so far, or it was about too few axes.
        case undecided
        /// Both sensors have the same axes.
        case agrees
        /// The rotation rate agrees with the acceleration after this assignment.
        case rotationRate(SignedPermutation)
        /// Both sensors have the same axes, and these are left-handed: any one axis must be reversed in both.
        case leftHanded
        /// The rotation rate is in another unit: it must be multiplied by this.
        case rotationUnit(Double)
    }

    /// The sums of one rotation: column j of its matrix times component k of the acceleration, at 3 j + k.
    private struct Turned: Sendable, Equatable, Codable {
        var attitude = Quaternion.identity
        var earlier = [SIMD3<Double>](repeating: SIMD3(repeating: 0), count: 9)
        var later = [SIMD3<Double>](repeating: SIMD3(repeating: 0), count: 9)

        mutating func add(_ turn: SIMD4<Double>, _ acceleration: SIMD3<Double>, isLater: Bool) {
            attitude = Quaternion.product(attitude, turn)
            let (x, y, z, w) = (attitude.x, attitude.y, attitude.z, attitude.w)
            let columns = (
                SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
                SIMD3(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
                SIMD3(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
            )
            if isLater {
                Self.add(columns, acceleration, to: &later)
            } else {
                Self.add(columns, acceleration, to: &earlier)
            }
        }

        private static func add(
            _ columns: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>), _ acceleration: SIMD3<Double>,
            to sums: inout [SIMD3<Double>]
        ) {
            for k in 0..<3 {
                sums[k] += columns.0 * acceleration[k]
                sums[3 + k] += columns.1 * acceleration[k]
                sums[6 + k] += columns.2 * acceleration[k]
            }
        }

        /// The sum of the accelerations, turned by Q R Q' and seen in Q's axes.
        static func sum(_ sums: [SIMD3<Double>], _ axes: SIMD3<Int>, _ signs: SIMD3<Double>) -> SIMD3<Double> {
            sums[3 * axes.x] * signs.x + sums[3 * axes.y + 1] * signs.y + sums[3 * axes.z + 2] * signs.z
        }
    }

    /// The rotation by a rate and by its opposite.
    private struct Turns: Sendable, Equatable, Codable {
        var forward = Turned()
        var backward = Turned()

        mutating func add(_ turn: SIMD4<Double>, _ acceleration: SIMD3<Double>, isLater: Bool) {
            forward.add(turn, acceleration, isLater: isLater)
            backward.add(Quaternion.conjugate(turn), acceleration, isLater: isLater)
        }
    }

    /// What the rate may have to be multiplied by.
    private static let scales = [1, Double.pi / 180, 180 / Double.pi]

    /// The rotations by the rate in each unit.
    private var turns: [Turns] = scales.map { _ in Turns() }
    private var earlierSeconds = 0.0
    private var laterSeconds = 0.0
    /// The sum over the windows that count of each permutation's error in G^2.
    private var errors = [Double](repeating: 0, count: SignedPermutation.all.count)
    private var windows = 0.0
    /// How many windows each unit alone fits.
    private var unitWindows: [Double] = scales.map { _ in 0 }

    /// The verdict. It is looked for again until the axes agree: a producer may be mended.
    package private(set) var verdict = Verdict.undecided

    /// No sample yet.
    package init() {}

    /// Adds a sample: acceleration in G of either sign, the rotation rate in rad/s less `restingRate` of
    /// `OrientationFilter`, and the seconds since the sample before.
    package mutating func add(acceleration: SIMD3<Double>, rotationRate: SIMD3<Double>, interval: Double) {
        guard verdict != .agrees else { return }
        guard
            interval > 0, interval <= OrientationFilter.gapSeconds,
            OrientationFilter.isUsable(acceleration, rotationRate * Self.scales[1])
        else { return beginWindow() }
        let isLater = earlierSeconds >= Self.windowSeconds / 2
        let weighted = acceleration * interval
        for (index, scale) in Self.scales.enumerated() {
            turns[index].add(Quaternion.rotation(by: rotationRate * (scale * interval)), weighted, isLater: isLater)
        }
        if isLater { laterSeconds += interval } else { earlierSeconds += interval }
        guard laterSeconds >= Self.windowSeconds / 2 else { return }
        endWindow()
        if verdict == .agrees {
            // Nothing more is measured, and what was need not be stored.
            (turns, errors, unitWindows) = ([], [], [])
        } else {
            beginWindow()
        }
    }

    private mutating func beginWindow() {
        guard earlierSeconds > 0 else { return }
        turns = Self.scales.map { _ in Turns() }
        (earlierSeconds, laterSeconds) = (0, 0)
    }

    private mutating func endWindow() {
        let found = fit(turns[0])
        if let index = fittingUnit(found.least) {
            unitWindows[index] += 1
            if unitWindows[index] >= Self.enough, unitWindows[index] >= 2 * windows { decide(.rotationUnit(Self.scales[index])) }
            return
        }
        guard found.least <= Self.greatestError, found.worst >= Self.leastSpread else { return }
        windows += 1
        for index in errors.indices { errors[index] += found.errors[index] }
        guard windows >= Self.enough else { return }
        let order = errors.indices.sorted { errors[$0] < errors[$1] }
        let noise = Self.noise * windows
        guard errors[order[1]] + noise >= Self.leastRatio * (errors[order[0]] + noise) else { return }
        let best = SignedPermutation.all[order[0]]
        decide(best == .identity ? .agrees : best == .reversed ? .leftHanded : .rotationRate(best))
    }

    /// Another unit of the rate that fits the window several times as well as the rate as it is, whose error is `least`.
    private func fittingUnit(_ least: Double) -> Int? {
        // At rest, rotation that is not there fits anything.
        guard least >= Self.leastSpread else { return nil }
        return turns.indices.dropFirst().first { index in
            let found = fit(turns[index])
            return found.least <= min(Self.greatestError, least / Self.leastUnitRatio) && found.worst >= Self.leastSpread
        }
    }

    private mutating func decide(_ verdict: Verdict) {
        self.verdict = verdict
        windows = 0
        for index in errors.indices { errors[index] = 0 }
        for index in unitWindows.indices { unitWindows[index] = 0 }
    }

    /// The error in G^2 of each permutation of a rotation, the least and the greatest.
    private func fit(_ turns: Turns) -> (errors: [Double], least: Double, worst: Double) {
        let found = SignedPermutation.all.map { error($0, turns) }
        return (found, found.min() ?? 0, found.max() ?? 0)
    }

    /// How far the means of both halves are from gravity, in G^2; bounded, so that no window outweighs the others.
    private func error(_ permutation: SignedPermutation, _ turns: Turns) -> Double {
        let (axes, determinant) = (permutation.axes, permutation.determinant)
        let signs = permutation.signs * determinant
        let turned = determinant > 0 ? turns.forward : turns.backward
        let earlier = Turned.sum(turned.earlier, axes, signs) / earlierSeconds
        let later = Turned.sum(turned.later, axes, signs) / laterSeconds
        let mean = (earlier + later) / 2
        let length = (mean * mean).sum().squareRoot()
        guard length > 0.1 else { return Self.bound }
        let gravity = mean / length
        let (first, second) = (earlier - gravity, later - gravity)
        return min(((first * first).sum() + (second * second).sum()) / 2, Self.bound)
    }
}
