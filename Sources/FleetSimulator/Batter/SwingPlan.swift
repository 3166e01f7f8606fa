/// Which swings a batter makes.
package enum SwingPlan: Sendable, Hashable {
    /// These, in order of time and not overlapping; `repeatsEvery` seconds they start over.
    case listed([Swing], repeatsEvery: Double? = nil)

    /// One in each `interval` (1.5 s or more), different every time; `missShare` of them, 0 to 1, miss.
    case random(interval: Double = 4, missShare: Double = 0.3)

    /// No swing at all.
    package static let none = SwingPlan.listed([])

    /// The swings that start in a range of seconds since the device's start.
    func swings(startingIn range: Range<Double>, chance: Chance) -> [Swing] {
        switch self {
        case .listed(let swings, nil):
            return swings.filter { range.contains($0.start) }
        case .listed(let swings, let period?):
            return Self.slots(of: period, in: range)
                .flatMap { slot in swings.map { $0.moved(by: Double(slot) * period) } }
                .filter { range.contains($0.start) }
        case .random(let interval, let missShare):
            return Self.slots(of: interval, in: range)
                .map { Self.swing(in: $0, of: interval, missShare: missShare, chance: chance) }
                .filter { range.contains($0.start) }
        }
    }

    private static func slots(of period: Double, in range: Range<Double>) -> ClosedRange<Int> {
        Int((range.lowerBound / period).rounded(.down))...Int((range.upperBound / period).rounded(.down))
    }

    private static func swing(in slot: Int, of interval: Double, missShare: Double, chance: Chance) -> Swing {
        func draw(_ index: Int, _ range: ClosedRange<Double>) -> Double {
            chance.uniform(.swing, 5 * slot + index, in: range)
        }
        let misses = draw(0, 0...1) < missShare
        return Swing(
            start: Double(slot) * interval + draw(1, 0.4...max(0.4, interval - 1)),
            timeToContact: draw(2, 0.17...0.3),
            peakRotationRate: draw(3, 13...20),
            impactAcceleration: misses ? nil : draw(4, 16...40)
        )
    }
}

extension Swing {
    fileprivate func moved(by seconds: Double) -> Swing {
        var copy = self
        copy.start += seconds
        return copy
    }
}
