import Mosquitto
import Testing

@testable import GatewayRuntime
import GatewayPipeline
import TelemetryModel

@Suite("The order in which somebody is told")
struct NoticeQueueTests {
    private typealias Notice = NoticeQueue.Notice

    private let start = MonotonicInstant.now
    private var queue = NoticeQueue()

    private func notice(_ number: Int64, _ topic: String, _ severity: AlarmSeverity = .warning) -> Notice {
        Notice(number: number, topic: topic, severity: severity)
    }

    private mutating func add(_ notices: Notice...) { for notice in notices { _ = queue.add(notice) } }

    @Test("The severest first, then in the order in which they came; of one topic one after the other")
    mutating func order() {
        add(notice(1, "a"), notice(2, "a"), notice(3, "b", .info), notice(4, "c", .critical), notice(5, "d"))
        let first = (0..<3).compactMap { _ in queue.next(at: start)?.number }
        #expect(first == [4, 1, 5])
        queue.told(notice(1, "a"))
        #expect(queue.next(at: start)?.number == 2)
    }

    @Test("One place is kept for critical alarms, and no more than four commands run")
    mutating func places() {
        for index in 0..<10 { add(notice(Int64(index), "\(index)")) }
        #expect((0..<10).compactMap { _ in queue.next(at: start) }.count == 3)
        for index in 10..<14 { add(notice(Int64(index), "\(index)", .critical)) }
        #expect((0..<10).compactMap { _ in queue.next(at: start)?.number } == [10])
    }

    @Test("Commands that fail do not hold up what was never tried, of their own device and least of all of others")
    mutating func starving() {
        for index in 0..<12 { add(notice(Int64(index), "root/d1/out/alarm/a\(index)", .critical)) }
        var running = (0..<10).compactMap { _ in queue.next(at: start) }
        #expect(running.map(\.number) == [0, 1, 2, 3])
        add(notice(20, "root/d3/out/alarm/b", .critical))
        var tried: [Int64] = []
        var now = start
        // Each command fails after 10 s; by then earlier ones are due again.
        for _ in 0..<12 {
            let before = now
            now = now + 70.0
            for notice in running { _ = queue.failed(notice, at: before + 5.0) }
            running = (0..<10).compactMap { _ in queue.next(at: now) }
            tried += running.map(\.number)
        }
        #expect(tried.first == 20)
        #expect(Set(tried).isSuperset(of: (4..<12).map { $0 }))
        #expect(tried.prefix(9) == [20, 4, 5, 6, 7, 8, 9, 10, 11])
    }

    @Test("Pauses grow to 60 s for critical alarms and to 300 s for others; the other topics go on")
    mutating func pauses() {
        for (severity, longest) in [(AlarmSeverity.critical, 60.0), (.warning, 300), (.info, 300)] {
            var queue = NoticeQueue()
            let failing = notice(1, "a", severity)
            _ = queue.add(failing)
            var now = start
            var pauses: [Double] = []
            for _ in 0..<2_000 {
                #expect(queue.next(at: now) == failing)
                pauses.append(queue.failed(failing, at: now).pause)
                #expect(queue.next(at: now + (pauses.last! - 0.001)) == nil)
                #expect(queue.nextDue == now + pauses.last!)
                now = now + pauses.last!
            }
            #expect(pauses.prefix(5) == [2, 4, 8, 16, 32] && pauses.max() == longest && pauses == pauses.sorted())
            _ = queue.add(notice(2, "b", severity))
            #expect(queue.next(at: start)?.number == 2)
        }
    }

    @Test(
        "A command that fails for one alarm for ever takes a bounded place: the oldest of its topic is left out, never the one that runs"
    )
    mutating func bounds() {
        add(notice(0, "a"))
        #expect(queue.next(at: start)?.number == 0)
        let omitted = (1..<100).compactMap { queue.add(notice(Int64($0), "a"))?.number }
        #expect(omitted == Array(1...84))
        #expect(queue.count == NoticeQueue.mostOfTopic)
        queue.told(notice(0, "a"))
        #expect(queue.next(at: start)?.number == 85)
        for index in 0..<NoticeQueue.most { add(notice(Int64(1_000 + index), "t\(index)")) }
        #expect(!queue.hasRoom)
    }

    @Test("Nothing is due for ever while no more may run: the thread sleeps")
    mutating func noSpin() {
        for index in 0..<5 { add(notice(Int64(index), "\(index)")) }
        let failed = queue.next(at: start)!
        _ = queue.failed(failed, at: start)
        let running = (0..<3).compactMap { _ in queue.next(at: start) }
        #expect(running.count == 3 && queue.nextDue == nil)
        queue.told(running[0])
        #expect(queue.nextDue == start + 2.0)
    }

    @Test("What was told is gone, and a report on another message changes nothing")
    mutating func told() {
        add(notice(1, "a"))
        queue.told(notice(1, "a"))
        #expect(queue.count == 1, "it does not run")
        _ = queue.next(at: start)
        queue.told(notice(2, "a"))
        #expect(queue.count == 1)
        queue.told(notice(1, "a"))
        #expect(queue.count == 0 && queue.next(at: start) == nil)
    }
}
