import Testing

@testable import Mosquitto

@Suite("The window of messages that are not urgent")
struct OrdinaryWindowTests {
    /// A broker that reads one message after another, and a sender that always has one more; times are in s.
    private struct Simulation {
        /// The time of a message and its receipt on the way, and of one message in the broker.
        var travel: Double
        var service: Double
        /// By how much receipts are late, one after the other and then from the first again; they stay in order.
        var delays = [0.0]
        var window = OrdinaryWindow()
        let share = 150
        private let start = MonotonicInstant.now
        private var now = 0.0
        private var served = 0.0
        private var underWay: [(packetID: Int32, publishedAt: Double, answeredAt: Double)] = []
        private var nextID: Int32 = 1

        init(travel: Double, service: Double) {
            (self.travel, self.service) = (travel, service)
        }

        /// Runs for `seconds`; how many receipts came in a second, and the longest wait for one.
        mutating func run(_ seconds: Double) -> (rate: Double, longest: Double) {
            let end = now + seconds
            var (count, longest) = (0, 0.0)
            while now < end {
                while underWay.count < min(share, window.limit) {
                    served = max(served, now + travel / 2) + service
                    let late = delays[Int(nextID) % delays.count]
                    underWay.append((nextID, now, max(underWay.last?.answeredAt ?? 0, served + travel / 2 + late)))
                    window.published(nextID, inFlightCount: underWay.count, window: share, at: start + .seconds(now))
                    nextID += 1
                }
                let first = underWay.removeFirst()
                now = first.answeredAt
                window.answered(first.packetID, at: start + .seconds(now))
                count += 1
                longest = max(longest, now - first.publishedAt)
            }
            return (Double(count) / seconds, longest)
        }

        /// Receives what is under way, and sends nothing for `seconds`.
        mutating func rest(_ seconds: Double) {
            for each in underWay { window.answered(each.packetID, at: start + .seconds(each.answeredAt)) }
            now = max(now, underWay.last?.answeredAt ?? now) + seconds
            underWay = []
        }
    }

    @Test("A slow broker has few messages waiting, and is always busy", arguments: [0.0002, 0.02])
    func queueing(travel: Double) {
        var simulation = Simulation(travel: travel, service: 0.0005)
        _ = simulation.run(1)
        let (rate, longest) = simulation.run(100)
        #expect(longest < 1.5 * travel + 0.015, "for a moment half more than can be under way is tried")
        #expect(rate > 0.95 * 2000)
    }

    @Test("A broker that is far away and not busy gets as many as may be under way")
    func distance() {
        var simulation = Simulation(travel: 0.1, service: 0.00001)
        #expect(simulation.run(100).rate > 0.9 * 150 / 0.1)
    }

    @Test("A longer way is measured again, and does not count as waiting")
    func longerWay() {
        var simulation = Simulation(travel: 0.005, service: 0.00001)
        _ = simulation.run(60)
        simulation.travel = 0.06
        _ = simulation.run(40)
        #expect(simulation.run(60).rate > 0.9 * 150 / 0.06)
    }

    @Test("A broker whose times begin to vary does not get fewer and fewer")
    func varyingTimes() {
        var simulation = Simulation(travel: 0.005, service: 0.00001)
        _ = simulation.run(60)
        simulation.delays = [0, 0.02, 0.1, 0, 0.05, 0.08, 0.01]
        #expect(simulation.run(60).rate > 200)
    }

    @Test("Receipts that are late now and then do not let more messages wait", arguments: [20, 300])
    func lateNowAndThen(every count: Int) {
        var simulation = Simulation(travel: 0.0002, service: 0.0005)
        _ = simulation.run(10)
        simulation.delays = Array(repeating: 0, count: count - 1) + [0.043]
        var limits: [Int] = []
        for _ in 0..<100 {
            _ = simulation.run(1)
            limits.append(simulation.window.limit)
        }
        // What the broker reads in 10 ms.
        #expect(limits.sorted()[95] <= 20)
    }

    @Test("A broker that became busy while nothing was sent has few messages waiting from the first on")
    func busyAfterRest() {
        var simulation = Simulation(travel: 0.0002, service: 0.00002)
        _ = simulation.run(30)
        #expect(simulation.window.limit > 100)
        simulation.rest(3)
        simulation.service = 0.0015
        #expect(simulation.run(1).longest < 0.03, "150 messages took 0.2 s")
    }

    @Test("The window is back soon after a rest")
    func fullAfterRest() {
        var simulation = Simulation(travel: 0.05, service: 0.00001)
        _ = simulation.run(30)
        simulation.rest(3)
        _ = simulation.run(1)
        #expect(simulation.window.limit > 100)
    }

    @Test("After the beginning nothing is measured and nothing limited where few messages are under way")
    func few() {
        var window = OrdinaryWindow()
        let start = MonotonicInstant.now
        for round in Int32(0)..<1000 {
            let now = start + .milliseconds(Int(round))
            for count in Int32(1)...15 {
                window.published(round * 15 + count, inFlightCount: Int(count), window: 150, at: now)
                #expect(round < 4 || !window.isMeasuring && window.limit > 15)
            }
            for count in Int32(1)...15 { window.answered(round * 15 + count, at: now + .microseconds(300)) }
        }
    }

    @Test("A message without a receipt is not timed")
    func withoutReceipt() {
        var outboxes = Outboxes(window: 4)
        outboxes[.normal].append((0..<3).map { MQTTMessage(topic: "t", payload: [UInt8($0)], qos: .atMostOnce) })
        while let next = outboxes.next(at: .now) {
            outboxes.published(next.message, at: next.place, as: Int32(next.place.sequence), at: .now)
        }
        #expect(outboxes.inFlightCount == 3 && outboxes[.control].count == 0)
        #expect(outboxes.needsReceipts, "they fill half the window")
        outboxes.accepted(1, at: .now)
        outboxes.accepted(2, at: .now)
        #expect(!outboxes.needsReceipts)
    }
}
