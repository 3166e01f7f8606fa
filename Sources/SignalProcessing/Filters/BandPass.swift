internal import Foundation

/// A Butterworth band-pass of second order at each edge, run forwards and backwards: it shifts nothing in time.
package struct BandPass: Sendable {
    private struct Section: Sendable {
        var gain: Double
        var a1: Double
        var a2: Double
    }

    private let sections: [Section]

    /// A filter for samples at `rate` Hz that passes from `low` to `high` Hz; nil where `high` is not below half the rate.
    ///
    /// The poles of the prototype are moved to the band and to the z plane by the bilinear transform, as in Oppenheim and Schafer.
    package init?(low: Double, high: Double, rate: Double) {
        guard low > 0, high > low, high < rate / 2 else { return nil }
        let (from, to) = (2 * rate * tan(.pi * low / rate), 2 * rate * tan(.pi * high / rate))
        let (width, center) = (to - from, (from * to).squareRoot())
        // The prototype's pole in the upper half plane, exp(3/4 pi i); that in the lower one gives the conjugates.
        let half = Complex(re: cos(0.75 * .pi) * width / 2, im: sin(0.75 * .pi) * width / 2)
        let root = (half * half - Complex(re: center * center, im: 0)).squareRoot
        let z = Complex(re: cos(2 * atan(center / (2 * rate))), im: sin(2 * atan(center / (2 * rate))))
        sections = [half + root, half - root].map { pole in
            let zPole = (Complex(re: 2 * rate, im: 0) + pole) / (Complex(re: 2 * rate, im: 0) - pole)
            let (a1, a2) = (-2 * zPole.re, zPole.re * zPole.re + zPole.im * zPole.im)
            // A gain of 1 at the centre of the band.
            let square = z * z
            let top = square - Complex(re: 1, im: 0)
            let bottom = square + Complex(re: a1 * z.re + a2, im: a1 * z.im)
            return Section(gain: bottom.length / top.length, a1: a1, a2: a2)
        }
    }

    /// The filtered values. Both ends are continued by their reflection through the first and the last value, over `margin` values.
    package func filtered(_ values: [Double], margin: Int) -> [Double] {
        guard let first = values.first, let last = values.last, values.count > 1 else { return values.map { _ in 0 } }
        let margin = min(max(0, margin), values.count - 1)
        var extended: [Double] = []
        extended.reserveCapacity(values.count + 2 * margin)
        for index in stride(from: margin, to: 0, by: -1) { extended.append(2 * first - values[index]) }
        extended += values
        for index in 0..<margin { extended.append(2 * last - values[values.count - 2 - index]) }
        for _ in 0..<2 {
            for section in sections { Self.run(section, over: &extended) }
            extended.reverse()
        }
        return Array(extended[margin..<margin + values.count])
    }

    private static func run(_ section: Section, over values: inout [Double]) {
        // The reflection begins far from 0: the filter starts as if that value had always been, which a band-pass turns into 0.
        var (x1, x2) = (values[0], values[0])
        var (y1, y2) = (0.0, 0.0)
        for index in values.indices {
            let x = values[index]
            let y = section.gain * (x - x2) - section.a1 * y1 - section.a2 * y2
            (x2, x1, y2, y1) = (x1, x, y1, y)
            values[index] = y
        }
    }
}

private struct Complex {
    var re: Double
    var im: Double

    var length: Double { (re * re + im * im).squareRoot() }

    /// The root with a real part of 0 or more.
    var squareRoot: Complex {
        let length = length
        let re = ((length + self.re) / 2).squareRoot()
        let im = ((length - self.re) / 2).squareRoot()
        return Complex(re: re, im: self.im < 0 ? -im : im)
    }

    static func + (left: Self, right: Self) -> Self { Self(re: left.re + right.re, im: left.im + right.im) }
    static func - (left: Self, right: Self) -> Self { Self(re: left.re - right.re, im: left.im - right.im) }
    static func * (left: Self, right: Self) -> Self {
        Self(re: left.re * right.re - left.im * right.im, im: left.re * right.im + left.im * right.re)
    }
    static func / (left: Self, right: Self) -> Self {
        let square = right.re * right.re + right.im * right.im
        return Self(
            re: (left.re * right.re + left.im * right.im) / square, im: (left.im * right.re - left.re * right.im) / square)
    }
}
