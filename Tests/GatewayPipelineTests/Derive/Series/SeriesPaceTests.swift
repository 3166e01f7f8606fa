@testable import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("The pace of a series")
struct SeriesPaceTests {
    /// The times that a series of `hertz` has of `times`.
    private func taken(_ times: [Double], hertz: Double) -> [Double] {
        var due: DeviceTime?
        return times.filter { DeviceTime($0).joinsSeries(hertz: hertz, due: &due) }
    }

    @Test(
        "A series of the stream's rate, or a greater one, has every sample, though the times vary",
        arguments: [25.0, 26, 100, 1_000])
    func everySample(hertz: Double) {
        var random = SeededGenerator(seed: 5)
        let times = (0..<2_000).map { 86_399 + Double($0) / 25 + Double.random(in: -0.009...0.009, using: &random) }
        #expect(taken(times, hertz: hertz) == times)
    }

    @Test("A slower series has as many a second as it says, evenly", arguments: [1.0, 7, 10, 12.5, 24])
    func slower(hertz: Double) {
        let times = (0..<5_000).map { 10 + Double($0) / 50 }
        let found = taken(times, hertz: hertz)
        #expect(abs(Double(found.count) - 100 * hertz) <= 1)
        let steps = zip(found, found.dropFirst()).map { $1 - $0 }
        // The second may come half an interval early.
        #expect(steps.dropFirst().allSatisfy { abs($0 - 1 / hertz) <= 0.02 + 1e-9 })
    }

    @Test("After a pause it goes on with the first sample, without more than before")
    func pause() {
        let times = (0..<50).map { 10 + Double($0) / 25 } + (0..<50).map { 1_000.013 + Double($0) / 25 }
        let found = taken(times, hertz: 5)
        #expect(found.contains(1_000.013))
        #expect(found.count { $0 > 500 } == 11 && found.count { $0 < 500 } == 11)
    }

    @Test("None at 0 Hz, and another setting applies at once")
    func settings() {
        var due: DeviceTime?
        #expect(!DeviceTime(5).joinsSeries(hertz: 0, due: &due) && due == nil)
        #expect(DeviceTime(5).joinsSeries(hertz: 0.001, due: &due))
        #expect(!DeviceTime(6).joinsSeries(hertz: 0.001, due: &due))
        #expect(DeviceTime(7).joinsSeries(hertz: 25, due: &due))
    }
}
