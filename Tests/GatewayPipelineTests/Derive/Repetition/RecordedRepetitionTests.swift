import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Repetitions from recorded acceleration", .slow)
struct RecordedRepetitionTests {
    /// 2025-11-21 23:00 UTC.
    private static let start = 1_763_766_000.0

    private static func settings(_ streams: [StreamName]) -> PipelineSettings {
        var settings = PipelineHarness.settings
        settings.derive.setEnabled(RepetitionDerivation.self, true)
        settings.derive[RepetitionDerivation.self].streams = streams
        return settings
    }

    /// A wrist at 50 Hz that rests, and turns by `range` rad `count` times in `period` s each from every one of `starts` on, in unix s; from
    /// `first` s after the start until `seconds` after it.
    private func curls(
        _ seconds: Double, _ starts: [Double], from first: Double = 0, count: Int = 8, period: Double = 2, range: Double = 1.2
    ) -> [HistoryDevice.Sample] {
        (Int(first * 50)..<Int(seconds * 50)).map { index in
            let time = Self.start + Double(index) / 50
            let since = starts.map { time - $0 }.first { $0 >= 0 && $0 < Double(count) * period }
            let phase = 2 * Double.pi * (since ?? 0) / period
            let (angle, rate) = (range / 2 * (1 - cos(phase)), range * Double.pi / period * sin(phase))
            return HistoryDevice.Sample(time, 0, -sin(angle) + 0.025 * rate * rate, -cos(angle))
        }
    }

    /// The sets that each of several bursts gives.
    private func sets(
        _ bursts: [[HistoryDevice.Sample]], _ streams: [StreamName] = [.recordedAccelerometer], seed: UInt64? = nil,
        clearsStatus: Bool = false
    ) -> [[DerivedJSON]] {
        var harness = PipelineHarness(settings: Self.settings(streams))
        var device = HistoryDevice(start: Self.start - 1_000)
        var sent = Self.start + 7_200
        return bursts.map { burst in
            var frames = device.frames(burst, sent: sent)
            if let seed {
                var random = SeededGenerator(seed: seed)
                frames = (frames + frames).shuffled(using: &random)
                for index in frames.indices { frames[index].at = sent + Double(index) * 0.01 }
            }
            let messages = harness.send(frames) + harness.tick(at: sent + 1_000)
            sent += 1_100
            let cleared = InboundMessage(topic: "wearables/watch-1/in/status", payload: [], retain: true)
            if clearsStatus { _ = harness.send(RecordedMessage(at: sent - 50, message: cleared)) }
            return messages.filter { $0.kind == "set" || $0.kind == "repetition" }
        }
    }

    @Test("Sets are counted at their own times, numbered in each UTC day, also over midnight")
    func counted() throws {
        // The last begins 10 s before midnight.
        let starts = [Self.start + 600, Self.start + 900, Self.start + 3_590, Self.start + 4_000]
        let found = sets([curls(4_200, starts)])[0]
        #expect(found.allSatisfy { $0.kind == "set" })
        #expect(found.map { $0.number("repetitions") ?? 0 }.allSatisfy { abs($0 - 8) <= 1 } && found.count == 4)
        #expect(found.map { $0.number("set") } == [1, 2, 3, 1])
        for (message, start) in zip(found, starts) {
            #expect(abs((message.number("start") ?? 0) - start) < 2)
            #expect(abs((message.number("end") ?? 0) - start - 16) < 2.5)
        }
        #expect(found.allSatisfy { $0.number("deviceTime") == nil && $0.isNull("rangeOfMotion") && $0.number("revision") == 0 })
    }

    @Test("Shuffled, and sent twice, they are the same")
    func shuffled() {
        let samples = curls(4_000, [Self.start + 3_200, Self.start + 3_590], from: 3_000)
        let inOrder = sets([samples])[0].map(\.lasting)
        #expect(inOrder.count == 2)
        for seed in 1...3 as ClosedRange<UInt64> { #expect(sets([samples], seed: seed)[0].map(\.lasting) == inOrder) }
    }

    @Test("Samples that come late revise a set, or change nothing")
    func revised() throws {
        let samples = curls(1_800, [Self.start + 600], count: 12)
        // The second half of the set comes late.
        let isLate = (50 * 612)...(50 * 700)
        let late = samples[isLate]
        let first = samples.indices.filter { !isLate.contains($0) }.map { samples[$0] }
        let found = sets([first, Array(late), samples])
        #expect(found.map(\.count) == [1, 1, 0])
        #expect((found[0][0].number("repetitions") ?? 99) < 9)
        #expect(abs((found[1][0].number("repetitions") ?? 0) - 12) <= 1)
        #expect(found[0][0].text("id") != found[1][0].text("id"))
        #expect(found[1][0].number("revision") == 1)
        let cleared = sets([first, Array(late)], clearsStatus: true)
        #expect(cleared[1].map { $0.number("revision") } == [1], "the revisions go on after the status was cleared")
    }

    @Test("Only where the stream is one that repetitions are counted from")
    func asked() {
        let samples = curls(1_200, [Self.start + 600])
        #expect(sets([samples], [.deviceMotion, .batchedIMU])[0].isEmpty)
        #expect(sets([samples], StreamName.allCases)[0].count == 1)
    }
}
