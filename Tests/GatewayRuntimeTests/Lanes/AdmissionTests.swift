import GatewayPipeline
import GatewayTestSupport
import Synchronization
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("The admission of several lanes")
struct AdmissionTests {
    private let settings = PipelineHarness.settings
    private let share = StreamShare(streams: [.submersion], takesUnknown: false)
    private let known = InboundMessage(topic: "wearables/d1/in/submersion", payload: [1])
    private let unknown = InboundMessage(topic: "wearables/d2/in/submersion", payload: [1])

    private func admit(_ message: InboundMessage, by door: inout LaneDoor, at unix: Double) -> (
        known: Int, published: [DerivedJSON]
    ) {
        var messages: [OutboundMessage] = []
        return (door.admit([(message, nil)], at: .at(unix), into: &messages).count, messages.map(DerivedJSON.init))
    }

    @Test("A policy that changes is in force from the next batch on")
    func policy() {
        let admission = Admission(policy: PipelineHarness.policy("d1", .everything))
        var door = LaneDoor(admission, for: share, settings: settings)
        #expect(admit(known, by: &door, at: 1).known == 1)
        #expect(admit(unknown, by: &door, at: 2).known == 0)
        admission.policy = PipelineHarness.policy("d2", .everything)
        #expect(admit(known, by: &door, at: 3).known == 0)
        #expect(admit(unknown, by: &door, at: 4).known == 1)
        #expect(door.check.rejected == [.unknownDevice: 2])
    }

    @Test("Lanes report one rejected message a second together, with the number of all; each counts its own")
    func limit() {
        let admission = Admission(policy: PipelineHarness.policy("d1", .everything))
        var doors = (0..<3).map { _ in LaneDoor(admission, for: share, settings: settings) }
        var published: [DerivedJSON] = []
        for step in 0..<30 { published += admit(unknown, by: &doors[step % 3], at: 100 + Double(step) / 10).published }
        #expect(published.map { $0.number("count") } == [1, 10, 10])
        #expect(doors.map(\.check.rejected) == Array(repeating: [.unknownDevice: 10], count: 3))
    }

    @Test("Threads that admit at once lose no count, while the policy changes")
    func threads() async {
        let admission = Admission(policy: PipelineHarness.policy("d1", .everything))
        let counts = await withTaskGroup(of: (known: Int, rejected: Int, reported: Int).self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var door = LaneDoor(admission, for: share, settings: settings)
                    var (admitted, reported) = (0, 0)
                    for step in 0..<2_000 {
                        let result = admit(step.isMultiple(of: 2) ? known : unknown, by: &door, at: 100 + Double(step))
                        admitted += result.known
                        reported += result.published.reduce(0) { $0 + Int($1.number("count") ?? 0) }
                    }
                    return (admitted, door.check.rejected[.unknownDevice] ?? 0, reported)
                }
            }
            group.addTask {
                for _ in 0..<500 { admission.policy = PipelineHarness.policy("d1", .everything) }
                return (0, 0, 0)
            }
            return await group.reduce(into: (known: 0, rejected: 0, reported: 0)) { sum, more in
                sum = (sum.known + more.known, sum.rejected + more.rejected, sum.reported + more.reported)
            }
        }
        #expect(counts.known == 4_000)
        #expect(counts.rejected == 4_000)
        #expect(counts.reported <= 4_000 && counts.reported > 0)
    }
}
