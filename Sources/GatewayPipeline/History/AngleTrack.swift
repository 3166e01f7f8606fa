internal import Foundation
internal import SignalProcessing

/// The angle of the forearm: of means over 0.2 s, the rolling median of 5 s on each axis gives the direction of gravity (van Hees 2015).
struct AngleTrack {
    private static let binMicroseconds = 200_000
    /// Bins before and behind the one in the middle of a window.
    private static let reach = 12
    /// The fewest bins of a window.
    private static let fewest = 5
    private static let binsPerEpoch = Epoch.seconds * 1_000_000 / binMicroseconds

    private var bins: [Int] = []
    private var means: [SIMD3<Double>] = []
    private var sum = SIMD3<Double>()
    private var count = 0

    /// Adds a sample; samples come in order of time.
    mutating func add(_ units: SIMD3<Int64>, at microseconds: Int) {
        let bin = microseconds / Self.binMicroseconds
        if bins.last != bin {
            closeBin()
            bins.append(bin)
        }
        sum += SIMD3(Double(units.x), Double(units.y), Double(units.z))
        count += 1
    }

    private mutating func closeBin() {
        if count > 0 { means.append(sum / Double(count)) }
        (sum, count) = (SIMD3(), 0)
    }

    /// Writes the mean angle of each usable epoch.
    mutating func finish(into epochs: inout Epochs) {
        closeBin()
        var axes = [SlidingMedian(), SlidingMedian(), SlidingMedian()]
        var (first, next) = (0, 0)
        var (epoch, total, number) = (-1, 0.0, 0)
        func close(_ epochs: inout Epochs) {
            if epoch >= 0, number > 0, epochs.values[epoch].isUsable { epochs.angles[epoch] = total / Double(number) }
        }
        for index in bins.indices {
            while next < bins.count, bins[next] <= bins[index] + Self.reach {
                for axis in 0..<3 { axes[axis].insert(means[next][axis]) }
                next += 1
            }
            while bins[first] < bins[index] - Self.reach {
                for axis in 0..<3 { axes[axis].remove(means[first][axis]) }
                first += 1
            }
            let own = bins[index] / Self.binsPerEpoch
            if own != epoch {
                close(&epochs)
                (epoch, total, number) = (own, 0, 0)
            }
            guard axes[0].count >= Self.fewest, let x = axes[0].median, let y = axes[1].median, let z = axes[2].median else {
                continue
            }
            total += atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi
            number += 1
        }
        close(&epochs)
    }
}
