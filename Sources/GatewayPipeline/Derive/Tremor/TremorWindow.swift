import SignalProcessing

/// Whether there is tremor in 4 s of acceleration.
enum TremorWindow: Sendable, Equatable {
    /// The motion is too violent to tell, or as likely something else, such as brushing teeth.
    case unknown
    /// There is none.
    case none
    /// There is: its frequency in Hz, its amplitude in cm from peak to peak, and whether the arm moves besides.
    case tremor(hertz: Double, centimeters: Double, isMoving: Bool)

    /// Cells a second.
    static let hertz = 50.0
    /// The length of a window in cells: 4 s.
    static let cells = 200
    private static let welch = Welch(count: cells, sampleHertz: hertz, highest: 12.5)

    /// The window of three axes in G.
    init(_ rows: [SIMD3<Double>], _ settings: TremorSettings) {
        let axes = (0..<3).map { axis in rows.map { $0[axis] } }
        let variance = axes.reduce(0) { sum, axis in
            let deviation = Statistics.deviation(axis) ?? 0
            return sum + deviation * deviation
        }
        guard variance <= 1 else {
            self = .unknown
            return
        }
        let spectra = axes.map(Self.welch.powers)
        let powers = spectra[0].indices.map { spectra[0][$0] + spectra[1][$0] + spectra[2][$0] }
        self = Self.tremor(in: powers, settings) ?? TremorWindow.none
    }

    private static func tremor(in powers: [Double], _ settings: TremorSettings) -> Self? {
        func line(_ hertz: Double) -> Int { Int((hertz / welch.resolution).rounded()) }
        func power(from: Double, to: Double) -> Double {
            powers[min(line(from), powers.count - 1)...min(line(to), powers.count - 1)].reduce(0, +)
        }
        let all = power(from: 0.5, to: 7.5)
        let peaks = (line(3)...line(7.5)).filter { powers[$0] > powers[$0 - 1] && powers[$0] >= powers[$0 + 1] }
        guard all > 0, power(from: 3, to: 7.5) > settings.bandShare * all,
            let peak = peaks.max(by: { powers[$0] < powers[$1] })
        else { return nil }
        let hertz = Double(peak) * welch.resolution
        let around = power(from: hertz - 0.75, to: hertz + 0.75)
        let rms = around.squareRoot()
        guard around > settings.peakShare * power(from: 3, to: 12), rms > settings.leastG else { return nil }
        for divisor in [2.0, 3] {
            let below = line(hertz / divisor)
            let greatest = powers[(below - 1)...(below + 1)].max() ?? 0
            guard greatest <= settings.subharmonicShare * powers[peak] else { return nil }
        }
        let isMoving = power(from: welch.resolution, to: 2.5).squareRoot() > settings.activityG
        if isMoving, rms > settings.greatestActionG { return .unknown }
        // Of a sine the acceleration is (2 pi f)^2 times the way; from peak to peak is twice the amplitude.
        let circular = 2 * Double.pi * hertz
        return .tremor(
            hertz: hertz, centimeters: 200 * 9.80665 * 2.0.squareRoot() * rms / (circular * circular), isMoving: isMoving)
    }
}
