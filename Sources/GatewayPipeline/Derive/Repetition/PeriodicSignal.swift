import SignalProcessing
import TelemetryModel

/// The most periodic of the three signals in a window.
struct PeriodicSignal {
    /// Which.
    let signal: RepetitionSignal
    /// Its first principal component.
    let axis: PrincipalAxis
    /// Its period in s.
    let period: Double
    /// The height of its autocorrelation.
    let height: Double

    /// The signal with the greatest height x sqrt(explained variance); nil where none is periodic.
    init?(in kept: QuantizedSeries, _ settings: RepetitionSettings) {
        var best: (score: Double, signal: RepetitionSignal, axis: PrincipalAxis, peak: (period: Double, height: Double))?
        let candidates = RepetitionSignal.allCases.map { signal in
            let rows = kept.vectors(signal.column, newest: RepetitionSample.window)
            return (signal: signal, rows: rows, axis: PrincipalAxis(of: rows))
        }
        // At rest no autocorrelation is needed.
        guard candidates.contains(where: { $0.axis.variance.squareRoot() > $0.signal.leastAmplitude(settings) }) else {
            return nil
        }
        for (signal, rows, axis) in candidates {
            guard let peak = Self.period(of: rows.map { ($0 * axis.direction).sum() }, settings) else { continue }
            let score = peak.height * axis.explained.squareRoot()
            if score > best?.score ?? 0 { best = (score, signal, axis, peak) }
        }
        guard let best, best.peak.height > settings.periodicHeight,
            best.axis.variance.squareRoot() > best.signal.leastAmplitude(settings)
        else { return nil }
        (signal, axis, period, height) = (best.signal, best.axis, best.peak.period, best.peak.height)
    }

    /// The period of a signal in s and the height of its autocorrelation; nil where it is shorter than that of a repetition.
    static func period(of signal: [Double], _ settings: RepetitionSettings) -> (period: Double, height: Double)? {
        // The lags begin below the shortest period, so that a peak there is seen as one.
        let hertz = RepetitionSample.hertz
        let shortest = Int(settings.minimumPeriodSeconds * hertz) - 2
        let longest = min(Int(settings.maximumPeriodSeconds * hertz) + 1, signal.count * 3 / 4)
        // A signal that grows is more like itself after several periods than after one: hence the tolerance.
        guard longest > shortest + 2,
            let peak = Autocorrelation.firstPeak(signal, lags: shortest...longest, tolerance: 0.15)
        else { return nil }
        let period = Double(peak.lag) / hertz
        return period >= settings.minimumPeriodSeconds ? (period, peak.height) : nil
    }

    /// Whether the acceleration has the period of steps, which a wrist's arm swing at half their rate hides in the band of repetitions.
    static func isWalking(
        _ kept: QuantizedSeries, _ settings: RepetitionSettings, first cells: Int = RepetitionSample.window
    ) -> Bool {
        let window = kept.column(RepetitionSample.magnitude, newest: RepetitionSample.window)
        let magnitude = Array(window.prefix(cells))
        guard Statistics.deviation(magnitude) ?? 0 > settings.amplitudeG,
            let peak = Autocorrelation.firstPeak(magnitude, lags: 6...20)
        else { return false }
        return peak.height > settings.stepHeight && Double(peak.lag) / RepetitionSample.hertz < 0.7
    }
}
