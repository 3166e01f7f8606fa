import GatewayTestSupport
import Testing

@Suite("Wear in the pipeline")
struct WearPipelineTests {
    /// 2025-11-21 20:00 UTC.
    private let evening = 1_763_755_200.0

    private static var harness: PipelineHarness {
        PipelineHarness(policy: PipelineHarness.policy("watch-1", HistoryPipelineTests.policy))
    }

    private func kinds(_ messages: [DerivedJSON], _ kind: String) -> [DerivedJSON] { messages.filter { $0.kind == kind } }

    @Test("A device on a table for 8 hours is not worn, and does not sleep", .slow)
    func table() throws {
        var device = HistoryDevice(start: evening - 1_000)
        let frames = device.frames(SimulatedNight.table(from: evening + 100, hours: 8), sent: evening + 30_000)
        var harness = Self.harness
        _ = harness.send(frames)
        let messages = harness.tick(at: evening + 30_200)
        #expect(kinds(messages, "wear").map { $0.text("state") } == ["notWorn"])
        #expect(kinds(messages, "sleep").isEmpty)
        #expect(kinds(messages, "day").allSatisfy { $0.number("worn") == 0 })
    }

    /// The last revision of each change of wear, without those that were undone.
    private func wear(_ messages: [DerivedJSON]) -> [String] {
        var last: [Double: DerivedJSON] = [:]
        for message in kinds(messages, "wear") {
            let at = message.number("at") ?? 0
            if message.number("revision") ?? 0 >= last[at]?.number("revision") ?? 0 { last[at] = message }
        }
        return last.sorted { $0.key < $1.key }.map(\.value).filter { $0.text("state") != $0.text("previous") }.map {
            "\($0.text("state") ?? "") since \(($0.number("since") ?? 0) - evening) after \($0.text("previous") ?? "-") from "
                + "\(($0.number("start") ?? evening - 1) - evening)"
        }
    }

    @Test("Samples that come late revise wear, and the retained message is the latest change", .slow)
    func lateWear() throws {
        let hour = 3_600.0
        let worn = { [evening] (from: Double, hours: Double) in
            SimulatedNight.walk(from: evening + from * hour, seconds: hours * hour, cadence: 1.7, hertz: 2.5)
        }
        let table = SimulatedNight.table(from: evening + 5 * hour, hours: 3)
        let parts = [worn(0, 3), worn(3, 2), table, worn(8, 2)]
        let sent = evening + 11 * hour
        /// The messages when the parts come in `order`, half an hour from one to the next.
        func messages(_ order: [Int]) -> [DerivedJSON] {
            var harness = Self.harness
            var messages: [DerivedJSON] = []
            for (place, index) in order.enumerated() {
                var device = HistoryDevice(boot: "b\(index)", start: evening - 1_000)
                let now = sent + Double(place) * 1_800
                messages += harness.send(device.frames(parts[index], sent: now)) + harness.tick(at: now + 1_500)
            }
            return messages
        }
        let whole = wear(messages([0, 1, 2, 3]))
        #expect(
            whole == [
                "worn since 0.0 after - from -1.0", "notWorn since 18000.0 after worn from 0.0",
                "worn since 28800.0 after notWorn from 18000.0",
            ])
        for order in [[3, 2, 1, 0], [0, 2, 3, 1], [2, 0, 3, 1], [1, 3, 0, 2], [0, 3, 1, 2]] {
            let found = messages(order)
            #expect(wear(found) == whole, "\(order)")
            let retained = try #require(kinds(found, "wear").last)
            #expect(retained.number("since") == evening + 28_800 && retained.text("state") == "worn", "\(order)")
            #expect(kinds(found, "wear").contains { $0.number("revision") ?? 0 > 0 }, "\(order)")
            // Each id has one content.
            let ids = Dictionary(grouping: kinds(found, "wear")) { $0.text("id") ?? "" }
            #expect(ids.values.allSatisfy { Set($0.map { [$0.text("state"), $0.text("previous")] }).count == 1 })
        }
    }
}
