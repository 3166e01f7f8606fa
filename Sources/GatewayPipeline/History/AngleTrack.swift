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

    /// Bins that no window needs any more are removed in so many at once.
    private static let removal = 4_096

    /// The bins that are complete, and the mean in each; those before the window are removed from time to time.
    private var bins: [Int] = []
    private var means: [SIMD3<Double>] = []
    /// The bin of the latest sample, with what is in it.
    private var open: Int?
    private var sum = SIMD3<Double>()
    private var count = 0
    /// The bins in the window of the one at `middle`.
    private var window = 0..<0
    private var middle = 0
    private var axes = [SlidingMedian(), SlidingMedian(), SlidingMedian()]
    /// The epoch of the last angle, with the sum and the number of the angles in it.
    private var epoch = -1
    private var total = 0.0
    private var number = 0

    /// Adds a sample; samples come in order of time. Writes the mean angle of each usable epoch into `epochs`, which have the samples so far,
    /// once the windows of its bins are complete.
    mutating func add(_ units: SIMD3<Int64>, at microseconds: Int, into epochs: inout Epochs) {
        let bin = microseconds / Self.binMicroseconds
        if open != bin {
            closeBin()
            open = bin
            advance(before: bin, into: &epochs)
        }
        sum += SIMD3(Double(units.x), Double(units.y), Double(units.z))
        count += 1
    }

    /// Writes the angles of the last epochs: there are no more samples.
    mutating func finish(into epochs: inout Epochs) {
        closeBin()
        advance(before: .max, into: &epochs)
        closeEpoch(&epochs)
    }

    private mutating func closeBin() {
        if let open, count > 0 {
            bins.append(open)
            means.append(sum / Double(count))
        }
        (open, sum, count) = (nil, SIMD3(), 0)
    }

    private mutating func closeEpoch(_ epochs: inout Epochs) {
        if epoch >= 0, number > 0, epochs.values[epoch].isUsable { epochs.angles[epoch] = total / Double(number) }
    }

    /// Finds the angle in each bin whose window ends before `bin`.
    private mutating func advance(before bin: Int, into epochs: inout Epochs) {
        while middle < bins.count, bins[middle] + Self.reach < bin {
            moveWindow()
            let own = bins[middle] / Self.binsPerEpoch
            if own != epoch {
                closeEpoch(&epochs)
                (epoch, total, number) = (own, 0, 0)
            }
            middle += 1
            guard axes[0].count >= Self.fewest, let x = axes[0].median, let y = axes[1].median, let z = axes[2].median else {
                continue
            }
            total += atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi
            number += 1
        }
        if window.lowerBound >= Self.removal { removeBins() }
    }

    private mutating func moveWindow() {
        var (first, next) = (window.lowerBound, window.upperBound)
        while next < bins.count, bins[next] <= bins[middle] + Self.reach {
            for axis in 0..<3 { axes[axis].insert(means[next][axis]) }
            next += 1
        }
        while bins[first] < bins[middle] - Self.reach {
            for axis in 0..<3 { axes[axis].remove(means[first][axis]) }
            first += 1
        }
        window = first..<next
    }

    private mutating func removeBins() {
        let count = window.lowerBound
        bins.removeFirst(count)
        means.removeFirst(count)
        window = 0..<window.upperBound - count
        middle -= count
    }
}
