import Foundation
import SignalProcessing
import Testing

@Suite("Periods, axes and peaks")
struct SpectrumTests {
    private func sine(_ hertz: Double, count: Int, rate: Double = 25, phase: Double = 0) -> [Double] {
        (0..<count).map { sin(2 * .pi * hertz * Double($0) / rate + phase) }
    }

    @Test("The autocorrelation of a sine is a cosine, whatever its mean, and has its first peak after a period")
    func autocorrelation() throws {
        let signal = sine(0.5, count: 200).map { $0 + 7 }
        let heights = Autocorrelation.unbiased(signal, lags: 0...100)
        #expect(abs(heights[0] - 1) < 1e-12)
        #expect(abs(heights[25] + 1) < 0.1)
        let peak = try #require(Autocorrelation.firstPeak(signal, lags: 15...150))
        #expect(abs(peak.lag - 50) <= 1)
        #expect(abs(peak.height - 1) < 0.1)
        // Twice the period fits as well, but the first one counts.
        #expect(try #require(Autocorrelation.firstPeak(sine(1, count: 200), lags: 15...150)).lag <= 26)
    }

    @Test("Axes that repeat themselves together have an autocorrelation of 1, whatever their size, and constant ones of 0")
    func greatest() {
        let axes = [sine(1, count: 125), sine(2, count: 125, phase: 1).map { 5 + 3 * $0 }]
        #expect(abs(Autocorrelation.greatest(axes, lags: 20...30) - 1) < 1e-9)
        #expect(Autocorrelation.greatest(axes, lags: 11...14) < 0.9)
        #expect(Autocorrelation.greatest([Array(repeating: 2, count: 50)], lags: 1...60) == 0)
        #expect(Autocorrelation.greatest([], lags: 1...5) == 0)
    }

    @Test("A constant signal and a falling one have no period")
    func aperiodic() {
        #expect(Autocorrelation.firstPeak(Array(repeating: 3, count: 200), lags: 15...150) == nil)
        #expect(Autocorrelation.firstPeak((0..<200).map { -Double($0) }, lags: 15...150) == nil)
    }

    @Test("The principal axis is the direction of the greatest variance")
    func axis() {
        let direction = SIMD3(0.6, -0.48, 0.64)
        let rows = sine(0.5, count: 200).enumerated().map { index, value in
            direction * value + SIMD3(0.1, 0.1, 0.1) * cos(Double(index)) + SIMD3(5, 5, 5)
        }
        let axis = PrincipalAxis(of: rows)
        #expect(abs((axis.direction * direction).sum()) > 0.99)
        #expect(abs(axis.variance - 0.5) < 0.05)
        #expect(axis.explained > 0.9 && axis.explained <= 1)
        #expect(PrincipalAxis(of: [SIMD3(1, 1, 1), SIMD3(1, 1, 1)]).explained == 0)
    }

    @Test("Peaks that are near a higher one, or do not stand out, are none")
    func peaks() {
        let signal: [Double] = [0, 1, 0.5, 0.7, 0, 3, 0, 0.2, 0.1, 2, 2, 2, 0]
        #expect(ProminentPeaks.find(in: signal, distance: 1, prominence: 0) == [1, 3, 5, 7, 10])
        #expect(ProminentPeaks.find(in: signal, distance: 1, prominence: 0.5) == [1, 5, 10])
        #expect(ProminentPeaks.find(in: signal, distance: 3, prominence: 0.1) == [1, 5, 10])
        #expect(ProminentPeaks.find(in: signal, distance: 6, prominence: 0.1) == [5])
        #expect(ProminentPeaks.find(in: [], distance: 1, prominence: 0).isEmpty)
        let equal = [0, 3, 2.9, 3, 2.9, 3, 0, 3, 3, 0]
        #expect(ProminentPeaks.find(in: equal, distance: 1, prominence: 1) == [5, 7])
        #expect(ProminentPeaks.find(in: equal, distance: 1, prominence: 0.05) == [1, 3, 5, 7])
        // The first rises from the middle of the range, the last falls to it.
        let ends = [0.0, 1, -1, 1, -1, 1, 0]
        #expect(ProminentPeaks.find(in: ends, distance: 1, prominence: 1.5) == [3])
        #expect(ProminentPeaks.find(in: ends, distance: 1, prominence: 1.5, edge: 0.6, first: 2) == [1, 3])
        #expect(ProminentPeaks.find(in: ends, distance: 1, prominence: 1.5, edge: 0.6, first: 1, last: 4) == [3, 5])
    }

    @Test("The causal band-pass passes its band, removes the rest, and its delay is that of a sine")
    func bandPass() throws {
        let filter = CausalBandPass(from: 0.15, to: 1.5, sampleHertz: 25)
        func gain(_ hertz: Double) -> Double {
            filter.filter(sine(hertz, count: 2_500)).suffix(1_000).map(abs).max() ?? 0
        }
        #expect(gain(0.5) > 0.95)
        #expect(gain(0.01) < 0.01)
        #expect(gain(8) < 0.05)
        #expect(filter.filter(Array(repeating: 3, count: 50)).allSatisfy { abs($0) < 1e-12 })
        for hertz in [0.3, 0.5, 0.9] {
            let output = Array(filter.filter(sine(hertz, count: 2_500)).suffix(1_000))
            let late = sine(hertz, count: 2_500, phase: -2 * .pi * hertz * filter.delay(hertz: hertz)).suffix(1_000)
            let scale = output.map(abs).max() ?? 1
            #expect(zip(output, late).allSatisfy { abs($0 / scale - $1) < 0.02 })
        }
    }

    @Test("Samples at any rate become the means of even cells; short gaps are filled, long ones begin anew")
    func cells() {
        var sampler = EvenSampler<SIMD2<Double>>()
        func feed(_ times: [Double]) -> [EvenSampler<SIMD2<Double>>.Cell] {
            times.flatMap { sampler.step(time: $0, SIMD2($0, 2 * $0), hertz: 25, longestGap: 12) }
        }
        let even = feed((0..<100).map { 10 + Double($0) / 100 })
        #expect(even.count == 24)
        #expect(even[0].isFirst && even.dropFirst().allSatisfy { !$0.isFirst })
        #expect(zip(even, even.dropFirst()).allSatisfy { $1.number == $0.number + 1 })
        #expect(abs(even[3].values[0] - 10.135) < 1e-9 && abs(even[3].values[1] - 20.27) < 1e-9)
        // 0.2 s are missing: five cells are filled in a straight line.
        let bridged = feed([11.2, 11.24])
        #expect(bridged.map(\.number) == Array(274...280))
        #expect(zip(bridged, bridged.dropFirst()).allSatisfy { $0.values[0] < $1.values[0] })
        #expect(feed([13, 13.04]).last?.isFirst == true)
        #expect(feed([13.04, 12, .nan]).isEmpty)
    }

    @Test("Unix times are sampled as uptimes are")
    func unixTimes() {
        let values = [10.0, 1_782_303_632].map { start in
            var sampler = EvenSampler<SIMD2<Double>>()
            return (0..<500).flatMap {
                sampler.step(time: start + Double($0) / 100, SIMD2(Double($0), 1), hertz: 25, longestGap: 12).map(\.values)
            }
        }
        #expect(values[0].count == 124)
        #expect(values[0] == values[1])
    }

    @Test("A quantized series keeps the newest rows, cuts what does not fit, and is stored and read")
    func series() throws {
        var series = QuantizedSeries(scales: [0.001, 0.5])
        for index in 0..<10 { series.append(SIMD2(Double(index) / 100, Double(index) * 1e5)) }
        series.keep(4)
        #expect(series.count == 4)
        #expect(zip(series.column(0), [0.06, 0.07, 0.08, 0.09]).allSatisfy { abs($0 - $1) < 0.0005 })
        #expect(series.column(1, newest: 2) == [16_383.5, 16_383.5])
        let read = try JSONDecoder().decode(QuantizedSeries.self, from: JSONEncoder().encode(series))
        #expect(read == series)
        var negative = QuantizedSeries(scales: [1])
        negative.append(SIMD2(-300, 0))
        #expect(try JSONDecoder().decode(QuantizedSeries.self, from: JSONEncoder().encode(negative)).column(0) == [-300])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(QuantizedSeries.self, from: Data(#"{"scales":[1],"values":[1,2,3]}"#.utf8))
        }
    }

    @Test("Percentiles are interpolated as numpy does")
    func statistics() {
        #expect(abs((Statistics.percentile(0.95, of: [1, 2, 3, 4]) ?? 0) - 3.85) < 1e-12)
        #expect(Statistics.median([3, 1, 2]) == 2)
        #expect(Statistics.median([]) == nil)
        #expect(Statistics.deviation([1, 3]) == 1)
    }
}
