import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Gaps of one stream are published once a second")
struct GapMergeTests {
    /// Frames of submersion of which every second `seq` is missing, all received at one instant.
    private func everySecond(_ count: Int, at: Double, boot: String = "b", from first: Int = 0) -> [RecordedMessage] {
        (first..<first + count).map { number -> RecordedMessage in
            let uptime: Double = 100 + Double(number) * 0.01
            return TestDevice.submersion(boot: boot, sequence: UInt64(2 * number), uptime: uptime, at: at)
        }
    }

    private func gaps(_ messages: [DerivedJSON]) -> [DerivedJSON] { messages.filter { $0.kind == "gap" } }

    /// The `seq` that messages name as missing.
    private func missing(_ messages: [DerivedJSON]) -> Set<UInt64> {
        messages.reduce(into: []) { missing, message in
            for range in message.ranges("ranges") ?? [message.sequence].compactMap(\.self) { missing.formUnion(range) }
        }
    }

    @Test("the first is published as before, the others of the second as one with their ranges")
    func merged() throws {
        var harness = PipelineHarness()
        let messages = harness.send(everySecond(40, at: TestDevice.start)) + harness.tick(at: TestDevice.start + 1.2)
        let first = try #require(gaps(messages).first)
        #expect(first.has("count") == false && first.has("ranges") == false)
        #expect(first.number("expected") == 1)
        let second = try #require(gaps(messages + harness.tick(at: TestDevice.start + 2.3)).dropFirst().first)
        #expect(second.number("count") == 38)
        let odd = stride(from: UInt64(3), through: 77, by: 2).map { $0...$0 }
        #expect(second.ranges("ranges") == odd)
        #expect((second.number("expected"), second.number("receivedCount")) == (38, 0))
        #expect(second.sequence == 3...77)
        #expect(harness.pipeline.counters.missingFrames == 39)
    }

    @Test("of more than 64 ranges the nearest are joined, and receivedCount counts the frames between them")
    func joined() throws {
        var harness = PipelineHarness()
        var messages = harness.send(everySecond(300, at: TestDevice.start))
        for second in 1...4 { messages += harness.tick(at: TestDevice.start + Double(second) * 1.1) }
        let merged = gaps(messages).filter { $0.has("ranges") }
        let all: [ClosedRange<UInt64>] = merged.flatMap { $0.ranges("ranges") ?? [] }
        #expect(merged.allSatisfy { $0.ranges("ranges")?.count ?? 0 <= MergedGap.mostRanges })
        let odd = Set(stride(from: UInt64(1), through: 597, by: 2))
        #expect(odd.isSubset(of: missing(gaps(messages))))
        let expected: Double = merged.reduce(0) { $0 + ($1.number("expected") ?? 0) }
        let received: Double = merged.reduce(0) { $0 + ($1.number("receivedCount") ?? 0) }
        let covered: Int = all.reduce(0) { $0 + $1.count }
        #expect(expected == Double(covered))
        #expect(expected - received == 298)
    }

    @Test("any order of ranges gives their union")
    func unions() throws {
        var chance = SeededGenerator(seed: 43)
        for _ in 0..<300 {
            var merged: MergedGap?
            var missing: Set<UInt64> = []
            for _ in 0..<Int.random(in: 2...90, using: &chance) {
                let start = UInt64.random(in: 0..<500, using: &chance)
                let range = start...(start + UInt64.random(in: 0..<9, using: &chance))
                missing.formUnion(range)
                let gap = try #require(Self.gap(range))
                if merged == nil { merged = gap } else { merged?.add(gap) }
            }
            let gap = try #require(merged?.gap)
            let united = Set(gap.ranges.flatMap(\.self))
            #expect(missing.isSubset(of: united))
            #expect(gap.ranges.count <= MergedGap.mostRanges)
            #expect(zip(gap.ranges, gap.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
            #expect(gap.expected == united.count && gap.expected - gap.received == missing.count)
        }
    }

    @Test("ranges at the ends of the numbers do not overflow")
    func extremes() throws {
        var merged = try #require(Self.gap(0...UInt64.max - 2))
        merged.add(try #require(Self.gap(UInt64.max...UInt64.max)))
        merged.add(try #require(Self.gap(UInt64.max - 1...UInt64.max)))
        #expect(merged.gap.ranges == [0...UInt64.max])
        #expect(merged.gap.expected == .max)
    }

    @Test("gaps of another cause are not merged")
    func causes() throws {
        var track = GapTrack(publishedAt: 0)
        for gap in [Self.gap(1...2), Self.gap(5...6, .damaged), Self.gap(9...9)] { #expect(track.add(try #require(gap))) }
        #expect(track.waiting.map(\.gap.cause) == [nil, .damaged])
        #expect(track.waiting.map(\.gap.count) == [2, 1])
    }

    private static func gap(_ range: ClosedRange<UInt64>, _ cause: Gap.Cause? = nil) -> MergedGap? {
        guard let device = DeviceID("d"), let boot = BootID("b") else { return nil }
        let gap = Gap(
            stream: .submersion, unit: .frames, expected: min(.max - 1, Int(clamping: range.upperBound - range.lowerBound)) + 1,
            received: 0,
            from: DeviceTime(0), to: DeviceTime(1), firstSequence: range.lowerBound, cause: cause)
        return MergedGap(
            gap,
            DerivedMessage(
                device: device, event: DerivedEvent(time: DeviceTime(1), body: gap),
                source: .init(stream: .submersion, boot: boot, sequence: range), offset: 0, received: UnixTime(0)))
    }

    @Test("what waits goes on waiting in a gateway that reads the state, and is published by it")
    func kept() throws {
        var harness = PipelineHarness()
        _ = harness.send(everySecond(40, at: TestDevice.start))
        _ = harness.tick(at: TestDevice.start + 1.2)
        let waiting = try #require(
            harness.pipeline.state(of: try TestDevice.name)?.budgets.gaps?[.submersion]?.waiting.first?.gap)
        #expect(waiting.count > 1)
        var next = try harness.restarted(at: TestDevice.start + 1.3, keepsWaiting: false)
        #expect(gaps(next.tick(at: TestDevice.start + 2.5)).map { $0.number("count") } == [Double(waiting.count)])
    }

    @Test("at a stop nothing is left")
    func stop() throws {
        var harness = PipelineHarness()
        var messages = harness.send(everySecond(40, at: TestDevice.start))
        messages += harness.end()
        #expect(missing(gaps(messages)) == Set(stride(from: UInt64(1), through: 77, by: 2)))
    }

    @Test("gaps of many boots in a second are published of four, and counted of the others", .slow)
    func boots() throws {
        var harness = PipelineHarness()
        var messages: [DerivedJSON] = []
        for boot in 0..<50 { messages += harness.send(everySecond(70, at: TestDevice.start, boot: "b\(boot)", from: 70 * boot)) }
        for second in 1...9 { messages += harness.tick(at: TestDevice.start + Double(second) * 1.1) }
        #expect(gaps(messages).count <= 1 + GapTrack.mostWaiting * 9)
        #expect(harness.pipeline.counters.messagesOverLimit > 0)
        #expect(messages.contains { $0.kind == "rejected" && $0.text("reason") == "messageLimit" })
    }

    @Test("of a stream that is refused nothing is missing")
    func refused() throws {
        var harness = PipelineHarness(policy: AccessPolicy(unknown: .with { $0.authorization = .denied }))
        var messages = harness.send(everySecond(100, at: TestDevice.start))
        messages += harness.tick(at: 1_010)
        #expect(gaps(messages).isEmpty)
        #expect(messages.contains { $0.kind == "access/submersion" })
    }

    @Test("a gap that waits is not published after the device was revoked")
    func revoked() {
        var harness = PipelineHarness()
        var messages = harness.send(everySecond(40, at: TestDevice.start)) + harness.tick(at: TestDevice.start + 1.2)
        let before = gaps(messages).count
        messages += harness.replace(policy: AccessPolicy(unknown: .with { $0.authorization = .denied }))
        messages += harness.tick(at: TestDevice.start + 3)
        #expect(gaps(messages).count == before)
    }

    @Test("ranges that were stored out of order do not trap")
    func unordered() throws {
        var gap = try #require(Self.gap(10...12)).gap
        gap.ranges = [10...12, 1...2]
        let device = try TestDevice.name
        let boot = try #require(BootID("b"))
        var merged = try #require(
            MergedGap(
                gap,
                DerivedMessage(
                    device: device, event: DerivedEvent(time: DeviceTime(1), body: gap),
                    source: .init(stream: .submersion, boot: boot, sequence: 10...12), offset: 0, received: UnixTime(0))))
        for start in stride(from: UInt64(20), through: 400, by: 3) { merged.add(try #require(Self.gap(start...start))) }
        #expect(merged.gap.ranges.count <= MergedGap.mostRanges)
    }
}
