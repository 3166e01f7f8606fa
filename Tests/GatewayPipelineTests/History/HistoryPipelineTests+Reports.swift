import Foundation
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

/// When what has changed in a history is derived, and which revisions that gives.
extension HistoryPipelineTests {
    /// Three devices with a sample in each of `minutes` minutes, whose bursts are over at the returned time.
    private func dueTogether(_ harness: inout PipelineHarness, minutes: Int) -> Double {
        let sent = evening + Double(minutes) * 60
        for name in ["watch-1", "watch-2", "watch-3"] {
            var device = HistoryDevice(name, start: evening - 1_000)
            _ = harness.send(device.frames((0..<minutes).map { .init(evening + Double($0) * 60, 0, 0, -1) }, sent: sent))
        }
        return sent + 200
    }

    @Test(
        "Of devices that are due together one is derived after the other, in as many calls as the time of each makes necessary",
        .slow)
    func manyDue() throws {
        for steps in [1, 40, .max] {
            var harness = PipelineHarness(policy: AccessPolicy(unknown: .everything))
            let due = dueTogether(&harness, minutes: 150)
            var (days, calls): ([String], Int) = ([], 0)
            repeat {
                _ = try harness.pipeline.takeChanges()
                days += kinds(harness.tick(at: due, steps: steps), "day").map { $0.text("device") ?? "" }
                // A device that has to wait is not stored again.
                #expect(try steps == .max || harness.pipeline.takeChanges().count <= 2)
                calls += 1
            } while harness.pipeline.leavesReport && calls < 1_000
            #expect(days.sorted() == ["watch-1", "watch-2", "watch-3"])
            #expect(steps == 1 ? calls > 450 : steps == 40 ? (12...18).contains(calls) : calls == 1)
            #expect(harness.pipeline.nextDeadline().map { $0 > due } ?? true)
        }
    }

    @Test("What is due is derived before samples that come later are stored, whatever else is due", .slow)
    func dueBeforeLater() throws {
        var undisturbed = PipelineHarness(policy: AccessPolicy(unknown: .everything))
        let due = dueTogether(&undisturbed, minutes: 150)
        let expected = (0..<3).flatMap { _ in kinds(undisturbed.tick(at: due), "day") }
        for device in ["watch-1", "watch-2", "watch-3"] {
            var harness = PipelineHarness(policy: AccessPolicy(unknown: .everything))
            _ = dueTogether(&harness, minutes: 150)
            var later = HistoryDevice(device, boot: "b2", start: evening - 1_000)
            let messages = harness.send(later.frames([HistoryDevice.Sample(evening - 60, 0, 0, -1)], sent: due))
            func isOfDevice(_ message: DerivedJSON) -> Bool { message.text("device") == device }
            let days = kinds(messages, "day").filter(isOfDevice)
            #expect(days.map { $0.number("revision") } == [0])
            #expect(days.map { $0.number("coverage") } == expected.filter(isOfDevice).map { $0.number("coverage") })
        }
    }

    @Test("Of days far apart those of two days are derived at once, the rest at once after them")
    func daysApart() {
        var track = HistoryTrack()
        let now = UnixTime(evening)
        track.lastArrival = now
        track.noteChange(of: [20_000, 20_001, 20_002, 20_006], at: now)
        let noon = DevicePolicy.everything.noon
        var reports: [Set<Int>] = []
        while let due = track.reportDue(noon, interval: 900), due <= now + 60, reports.count < 9 {
            _ = track.beginReport(at: now + 60)
            reports.append(track.nextDays)
            track.endReport(of: track.nextDays)
        }
        #expect(reports == [[20_000, 20_001], [20_002], [20_006]])
        #expect(!track.isChanged && track.changedSince == nil)
    }

    @Test("A report that has begun is due whatever the clock says, and one that is put off a minute later")
    func putOffReport() {
        var track = HistoryTrack()
        let now = UnixTime(evening)
        let noon = DevicePolicy.everything.noon
        track.lastArrival = now
        track.noteChange(of: [20_000, 20_006], at: now)
        _ = track.beginReport(at: now + 60)
        // A sample that comes meanwhile does not end the report, nor does a clock that is set back.
        track.noteChange(of: [20_007], at: now + 61)
        track.lastArrival = now + 61
        #expect(track.reportDue(noon, interval: 0).map { $0 <= now - 1e6 } == true)
        track.endReport(of: track.nextDays)
        #expect(track.nextDays == [20_006])
        track.putOffReport(at: now + 61)
        #expect(track.nextDays.isEmpty)
        #expect(track.reportDue(noon, interval: 0) == now + 121)
        _ = track.beginReport(at: now + 121)
        #expect(track.nextDays == [20_006, 20_007])
        track.endReport(of: track.nextDays)
        #expect(!track.isChanged)
    }

    @Test("The revisions of a day go on after the status was cleared", .slow)
    func clearedStatus() throws {
        let (all, sent) = morning(SimulatedNight(from: evening, hours: 2))
        var frames = all
        var late = frames.remove(at: 3)
        var harness = harness()
        _ = harness.send(frames)
        #expect(kinds(harness.tick(at: sent + 200), "day").map { $0.number("revision") } == [0])
        _ = harness.send(
            RecordedMessage(
                at: sent + 300, message: InboundMessage(topic: "wearables/watch-1/in/status", payload: [], retain: true)))
        late.at = sent + 1_200
        _ = harness.send(late)
        #expect(kinds(harness.tick(at: sent + 1_300), "day").map { $0.number("revision") } == [1])
    }

    @Test("Late samples revise the day with another id, at the same instant", .slow)
    func revision() throws {
        let night = SimulatedNight(from: evening, hours: 2)
        let (all, sent) = morning(night)
        var frames = all
        let late = frames.remove(at: 3)
        var harness = harness()
        _ = harness.send(frames)
        let first = kinds(harness.tick(at: sent + 200), "day")
        var again = late
        again.at = sent + 300
        _ = harness.send(again)
        // Derived a minute after the burst, but not more often than every 15 min.
        let soon = kinds(harness.tick(at: sent + 500), "day")
        #expect(soon.isEmpty)
        let second = kinds(harness.tick(at: sent + 1_100), "day")
        #expect(first.map { $0.number("revision") } == [0])
        #expect(second.map { $0.number("revision") } == [1])
        #expect(second.first?.number("at") == first.first?.number("at"))
        #expect(second.first?.text("id") != first.first?.text("id"))
        #expect((second.first?.number("coverage") ?? 0) > (first.first?.number("coverage") ?? 1))
    }

    @Test("A device that sends each minute by itself is derived every quarter of an hour, with the figures of one burst", .slow)
    func everyMinute() throws {
        let night = SimulatedNight(from: evening, hours: 1)
        let count = 60
        let samples = night.samples
        let end = night.end + 1_800
        let first = end - Double(count) * 60
        func days(_ reportSeconds: Double) -> [DerivedJSON] {
            let settings = PipelineSettings.with { $0.history.reportSeconds = reportSeconds }
            var harness = PipelineHarness(settings: settings, policy: PipelineHarness.policy("watch-1", Self.policy))
            var device = HistoryDevice(start: evening - 1_000)
            var messages = harness.send(device.frames(samples.filter { $0.time < first }, sent: first + 2))
            let last = samples.drop { $0.time < first }
            for minute in 0..<count {
                let start = first + 61 * Double(minute)
                let part = Array(
                    last.drop { $0.time < first + 60 * Double(minute) }.prefix { $0.time < first + 60 * Double(minute + 1) })
                messages += harness.tick(at: start + 60.5) + harness.send(device.frames(part, sent: start + 61))
            }
            messages += harness.tick(at: end + 2_000)
            return kinds(messages, "day")
        }
        let (each, coalesced) = (days(0), days(900))
        // A minute that the sleeper does not move changes `coverage` alone.
        #expect(each.count >= count - 2)
        #expect((4...6).contains(coalesced.count))
        func figures(_ message: DerivedJSON?) -> [Double?] {
            ["at", "coverage", "worn", "meanENMO", "sedentary", "light", "moderate", "vigorous"].map { message?.number($0) }
        }
        #expect(figures(each.last) == figures(coalesced.last))
        let (frames, sent) = morning(night)
        var harness = harness()
        _ = harness.send(frames)
        #expect(figures(kinds(harness.tick(at: sent + 500), "day").last) == figures(coalesced.last))
    }
}
