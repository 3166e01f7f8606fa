@testable import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Samples of a head")
struct HeadSampleTests {
    @Test("A head in free fall, where the sensor measures nothing, accelerates downwards by 1 G")
    func falling() throws {
        var samples = MotionSamples()
        samples.append(100, gravity: SIMD3(0, 0, -1), user: SIMD3(0, 0, 1))
        let sample = try #require(HeadSample(HeadSample.values(samples, at: 0)))
        #expect(sample.vertical == 1)
    }
}
