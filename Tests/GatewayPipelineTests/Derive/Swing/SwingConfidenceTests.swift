import Testing

@testable import GatewayPipeline

@Suite("Confidence")
struct SwingConfidenceTests {
    let settings = SwingSettings()

    @Test("is nothing at the thresholds and the coverage at twice the lower and half the upper ones")
    func ends() {
        #expect(settings.confidence(peakRate: 8, rotation: 0.8, coverage: 1) == 0)
        #expect(settings.confidence(peakRate: 8, rotation: 7, coverage: 1) == 0)
        #expect(settings.confidence(peakRate: 16, rotation: 1.6, coverage: 1) == 1)
        #expect(settings.confidence(peakRate: 16, rotation: 3.5, coverage: 0.9) == 0.9)
        #expect(settings.confidence(peakRate: 12, rotation: 2, coverage: 1) == 0.75)
    }

    @Test("stays within 0-1 for any number")
    func bounds() {
        for peak in [0, 1e308, .infinity, .nan] {
            for rotation in [0, 1e-308, 1e308, .nan] {
                #expect((0...1).contains(settings.confidence(peakRate: peak, rotation: rotation, coverage: 1)))
            }
        }
    }
}
