internal import Foundation

/// A wrist that is awake, lies down, sleeps with turns and two awakenings, and gets up; with its truth.
package struct SimulatedNight: Sendable {
    /// The samples.
    package let samples: [HistoryDevice.Sample]
    /// When the sleep begins and ends, unix s.
    package let onset: Double
    package let end: Double

    /// A night that is recorded from `start` on, at `hertz`: an hour awake, `hours` in bed, `after` s awake.
    ///
    /// The sleeper stirs for 6 min at each of `stirring`, in s before the end.
    package init(
        from start: Double, hours: Double = 7, hertz: Double = 2.5, seed: UInt64 = 7, after: Double = 1_800,
        stirring: [Double] = []
    ) {
        var random = SeededGenerator(seed: seed)
        let (onset, end) = (start + 3_600, start + 3_600 + hours * 3_600)
        // Somebody who sleeps turns every 40 min; 12 min are awake after each third of the night.
        let awakenings = [1.0, 2].map { onset + $0 * hours * 1_200 }
        let stirs = stirring.map { end - $0 }
        var samples: [HistoryDevice.Sample] = []
        var angle = 0.2
        var nextTurn = onset
        for index in 0..<Int((end - start + after) * hertz) {
            let time = start + Double(index) / hertz
            let isAwake =
                time < onset || time >= end || awakenings.contains { time >= $0 && time < $0 + 720 }
                || stirs.contains { time >= $0 && time < $0 + 360 }
            let noise = { (size: Double) in Double.random(in: -size...size, using: &random) }
            if isAwake {
                // The forearm moves through a wide range, a few seconds for each movement.
                let phase = time / 7 + sin(time / 23)
                samples.append(
                    .init(
                        time, 0.5 * sin(phase) + noise(0.15), 0.5 * cos(phase / 2) + noise(0.15), 0.7 * cos(phase) + noise(0.15)))
                nextTurn = max(nextTurn, time + 1)
                continue
            }
            if time >= nextTurn {
                angle = Double.random(in: -1...1, using: &random)
                nextTurn = time + 2_400
            }
            // Breathing moves an arm by 20 mG.
            let breath = 0.02 * sin(time * 1.6)
            samples.append(.init(time, cos(angle) + noise(0.006), breath + noise(0.03), sin(angle) + breath + noise(0.006)))
        }
        self.samples = samples
        self.onset = onset
        self.end = end
    }

    /// A device on a table.
    package static func table(from start: Double, hours: Double, hertz: Double = 2.5) -> [HistoryDevice.Sample] {
        (0..<Int(hours * 3_600 * hertz)).map { index in
            .init(start + Double(index) / hertz, 0.002 * Double(index % 3), 0, -1)
        }
    }

    /// A wrist that walks at `cadence` steps a second for `seconds`.
    package static func walk(from start: Double, seconds: Double, cadence: Double, hertz: Double = 50) -> [HistoryDevice.Sample] {
        (0..<Int(seconds * hertz)).map { index in
            let time = Double(index) / hertz
            return .init(start + time, 0.1 * sin(.pi * cadence * time), 0.05, -1 - 0.3 * sin(2 * .pi * cadence * time))
        }
    }
}
