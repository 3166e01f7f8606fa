import FleetSimulator
import GatewayTestSupport
import Testing
import WearableFrames

@Suite("A sleeper")
struct SleeperTests {
    private func options() -> SleeperOptions {
        var options = SleeperOptions()
        options.awakeBefore = 300
        options.asleep = 3_600
        options.awakenings = [.init(after: 1_200, seconds: 360)]
        options.awakeAfter = 120
        options.burstInterval = 30
        return options
    }

    @Test("sends the whole night in one burst, and later what was recorded since, each sample once and in order")
    func bursts() throws {
        let sleeper = Sleeper(origin(duration: 100), options: options())
        let frames = try Array(sleeper).frames(.recordedAccelerometer)
        #expect(frames.allSatisfy { $0.column("samples.identifier").isEmpty })
        let dates = frames.flatMap { $0.column("samples.startDate") }
        #expect(abs((dates.first ?? 0) - sleeper.truth.start) < 1e-5)
        let steps = zip(dates, dates.dropFirst()).map { $1 - $0 }.filter { abs($0 - 0.2) > 1e-5 }
        #expect(steps.count == 1)
        #expect(steps.allSatisfy { $0 > 3_600 })
        #expect(abs((dates.last ?? 0) - start - 90) < 11)
        let times = frames.map(\.message.at)
        let burst = times.prefix { $0 < start + 20 }
        // 33 whole frames and a half of the night, and what was recorded meanwhile.
        #expect(burst.count == 35)
        #expect(zip(burst, burst.dropFirst()).allSatisfy { $1 - $0 < 0.11 })
        #expect(zip(frames, times).allSatisfy { ($0.column("samples.startDate").last ?? .infinity) <= $1 })
        #expect(frames.count > burst.count)
    }

    @Test("moves while awake, and lies still but for its turns while asleep")
    func motion() throws {
        let sleeper = Sleeper(origin(duration: 20), options: options())
        let truth = sleeper.truth
        let frames = try Array(sleeper).frames(.recordedAccelerometer)
        let samples = frames.flatMap { frame in zip(frame.column("samples.startDate"), frame.column("samples.z")) }
        func spread(_ range: Range<Double>) -> Double {
            let values = samples.filter { range.contains($0.0) }.map(\.1)
            return (values.max() ?? 0) - (values.min() ?? 0)
        }
        #expect(spread(truth.start..<truth.onset) > 1)
        #expect(spread(truth.onset..<truth.onset + 1_190) < 0.1)
        #expect(spread(truth.onset + 1_210..<truth.onset + 1_550) > 1)
        #expect(truth.awakenings == 1)
    }

    @Test("is the same for the same seed", .slow)
    func repeats() {
        let one = Array(Sleeper(origin(duration: 5, seed: 3), options: options())).map(\.payload)
        let other = Array(Sleeper(origin(duration: 5, seed: 3), options: options())).map(\.payload)
        #expect(one == other)
        #expect(one != Array(Sleeper(origin(duration: 5, seed: 4), options: options())).map(\.payload))
    }
}
