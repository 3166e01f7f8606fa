internal import Foundation

/// The power spectrum of one window, as Welch's method takes it: detrended, with a Hann window.
package struct Welch: Sendable {
    /// Samples a second.
    package let sampleHertz: Double
    /// The samples of a window.
    package let count: Int
    private let window: [Double]
    private let cosines: [Double]
    private let lines: Int

    /// Windows of `count` samples, whose spectrum is computed up to `highest` Hz.
    package init(count: Int, sampleHertz: Double, highest: Double) {
        (self.count, self.sampleHertz) = (count, sampleHertz)
        window = (0..<count).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(count)) }
        cosines = (0..<count).map { cos(2 * .pi * Double($0) / Double(count)) }
        lines = min(Int(highest / sampleHertz * Double(count)), count / 2)
    }

    /// The distance of two lines of the spectrum in Hz.
    package var resolution: Double { sampleHertz / Double(count) }

    /// The power of each line from 0 Hz on, in the signal's unit squared: their sum over a band is the mean square of the signal in it.
    package func powers(of signal: [Double]) -> [Double] {
        guard signal.count == count, count > 1 else { return [] }
        let values = zip(detrended(signal), window).map { $0 * $1 }
        let scale = 2 / (Double(count) * window.reduce(0) { $0 + $1 * $1 })
        return (0...lines).map { line in
            var (real, imaginary) = (0.0, 0.0)
            // sin(x) is cos(x - pi/2): a quarter of the window further back in the table.
            var place = 0
            for value in values {
                real += value * cosines[place]
                imaginary += value * cosines[(place + count - count / 4) % count]
                place = (place + line) % count
            }
            return (real * real + imaginary * imaginary) * scale
        }
    }

    /// The signal without the straight line that fits it best.
    private func detrended(_ signal: [Double]) -> [Double] {
        let middle = Double(count - 1) / 2
        let mean = signal.reduce(0, +) / Double(count)
        var (slope, squares) = (0.0, 0.0)
        for (index, value) in signal.enumerated() {
            let offset = Double(index) - middle
            slope += offset * (value - mean)
            squares += offset * offset
        }
        slope /= squares
        return signal.enumerated().map { $1 - mean - slope * (Double($0) - middle) }
    }
}
