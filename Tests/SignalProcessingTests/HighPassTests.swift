import Foundation
import SignalProcessing
import Testing

@Suite("A high-pass filter of order 2")
struct HighPassTests {
    let section = FilterSection.highPass(hertz: 20, sampleHertz: 800)

    private func amplitude(at hertz: Double) -> Double {
        var state = HighPassState(settledAt: 0, section)
        let outputs = (0..<8000).map { state.step(sin(2 * .pi * hertz * Double($0) / 800), section) }
        return outputs.suffix(4000).map(abs).max() ?? 0
    }

    @Test("has the coefficients that the bilinear transform gives")
    func coefficientValues() {
        // scipy.signal.butter(2, 20, "high", fs=800)
        #expect(abs(section.b0 - 0.89485861) < 1e-8)
        #expect(abs(section.a1 + 1.77863178) < 1e-8)
        #expect(abs(section.a2 - 0.80080265) < 1e-8)
    }

    @Test("is 3 dB down at its corner, 40 dB a decade below it, and flat above")
    func response() {
        #expect(abs(amplitude(at: 20) - 0.5.squareRoot()) < 0.005)
        #expect(abs(amplitude(at: 2) - 0.01) < 0.001)
        #expect(abs(amplitude(at: 200) - 1) < 0.01)
    }

    @Test("settled at a value gives nothing for it", arguments: [0, 1, -34.4, 1e4])
    func settled(value: Double) {
        var state = HighPassState(settledAt: value, section)
        for _ in 0..<1000 { #expect(abs(state.step(value, section)) < 1e-9) }
    }
}
