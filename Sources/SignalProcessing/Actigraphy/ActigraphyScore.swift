internal import Foundation

/// Sleep or wake of each minute by the counts of an ActiGraph on its vertical axis, as ActiLife scores them.
package enum ActigraphyScore {
    /// Whether each minute is sleep by Sadeh (1994): PS = 7.601 - 0.065 m - 1.08 n - 0.056 s - 0.703 ln(c + 1) is greater than -4.
    ///
    /// Counts are cut at 300. m is the mean of 11 min, n the number of minutes of those with 50 up to 100 counts, s the standard deviation of
    /// this minute and the five before it. Minutes before and after the recording count as 0.
    package static func sadeh(_ counts: [Double]) -> [Bool] {
        let cut = counts.map { min($0, 300) }
        return cut.indices.map { index in
            let around = (index - 5...index + 5).map { cut.indices.contains($0) ? cut[$0] : 0 }
            let before = (index - 5...index).map { $0 >= 0 ? cut[$0] : 0 }
            let mean = around.reduce(0, +) / 11
            let natural = Double(around.count { $0 >= 50 && $0 < 100 })
            return 7.601 - 0.065 * mean - 1.08 * natural - 0.056 * deviation(before) - 0.703 * log(cut[index] + 1) > -4
        }
    }

    /// Whether each minute is sleep by Cole and Kripke (1992) with the weights for minutes; counts are divided by 100 and cut at 300.
    package static func coleKripke(_ counts: [Double]) -> [Bool] {
        let weights = [106.0, 54, 58, 76, 230, 74, 67]
        let scaled = counts.map { min($0 / 100, 300) }
        return scaled.indices.map { index in
            let sum = weights.enumerated().reduce(0.0) { sum, weight in
                let place = index - 4 + weight.offset
                return sum + weight.element * (scaled.indices.contains(place) ? scaled[place] : 0)
            }
            return 0.001 * sum < 1
        }
    }

    private static func deviation(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)).squareRoot()
    }
}
