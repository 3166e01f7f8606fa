import GatewayTestSupport
import StateCoding
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("The budget of a device")
struct BudgetMeterTests {
    /// A meter, and a device whose clock is behind the gateway's by a fixed time.
    private struct Device {
        var meter: BudgetMeter
        var boot = "b1"
        /// The gateway's monotonic clock less the uptime.
        var behind = 1_000.0

        init(at uptime: Double = 100) {
            meter = BudgetMeter(.motion, Self.header("b1", uptime), at: uptime + 1_000)
        }

        static func header(_ boot: String, _ uptime: Double) -> FrameHeader {
            FrameHeader(boot: Identifier(boot) ?? Self.fallback, sequence: nil, uptime: DeviceTime(uptime), sent: nil)
        }

        private static var fallback: Identifier { preconditionFailure("an identifier") }

        var header: (Double) -> FrameHeader { { [boot] in Self.header(boot, $0) } }

        /// Sends a frame of so many units at `uptime`.
        mutating func send(
            _ units: Double, at uptime: Double, arriving: Double? = nil, _ stream: StreamName = .deviceMotion,
            _ limits: BudgetLimits? = BudgetMeterTests.limits
        ) -> BudgetMeter.Outcome {
            meter.count(
                .init(stream: stream, bytes: Int(units * 1_000), samples: 0), of: header(uptime), limits,
                at: arriving ?? uptime + behind)
        }
    }

    private static let limits = BudgetLimits(unitsPerSecond: 400, over: 60, burst: 3)

    @Test("a byte costs a thousandth of a unit and a sample a hundredth: a second of batches about 63")
    func cost() {
        var device = Device()
        for second in 0..<60 {
            let outcome = device.meter.count(
                .init(stream: .batchedIMU, bytes: 53_000, samples: 1_003), of: device.header(100 + Double(second)), Self.limits,
                at: 1_100 + Double(second))
            #expect(!outcome.isOver && outcome.usage == nil)
        }
        let usage = device.send(0, at: 160).usage
        #expect(usage?.units == 63.03)
        #expect(usage?.frames == 60)
        #expect(usage?.bytes == 3_180_000)
        #expect(usage?.samples == 60_180)
        #expect(usage?.busiest == .batchedIMU)
        #expect(usage?.limit == 400)
        #expect(usage?.refused == 0)
    }

    @Test("just under the limit nothing is refused, however long; a little over it is within a minute or so")
    func mean() {
        var device = Device()
        for second in 0..<600 { #expect(!device.send(395, at: 100 + Double(second)).isOver) }
        var other = Device()
        let refused = (0..<600).first { other.send(420, at: 100 + Double($0)).isOver }
        #expect((56...62).contains(refused ?? 0), "\(String(describing: refused))")
    }

    @Test("three times the limit is allowed within a second, more is not")
    func burst() {
        var device = Device()
        #expect((0..<20).allSatisfy { !device.send(1_200, at: 100 + Double($0)).isOver })
        var flood = Device()
        let refused = (0..<600).first { flood.send(70, at: 100 + Double($0) / 1_000).isOver }
        #expect(refused == 18, "1,200 units and the frame behind them")
    }

    @Test("after a burst a device is used again when five seconds have passed without one, and not while it goes on")
    func afterBurst() throws {
        var device = Device()
        while !device.send(70, at: 100.5).isOver {}
        #expect(device.meter.resumesAt == 106)
        // It goes on at twice the limit of a second: all is refused unread.
        for frame in 0..<3_000 {
            let header = device.header(101 + Double(frame) / 100)
            #expect(device.meter.refuses(header, at: header.uptime.seconds + device.behind))
            _ = device.meter.countRefused(header, bytes: 24_000, Self.limits, at: header.uptime.seconds + device.behind)
        }
        let resumesAt = try #require(device.meter.resumesAt)
        #expect(resumesAt == 136)
        #expect(device.send(1, at: 135.9).isOver)
        #expect(!device.send(1, at: 136).isOver)
    }

    @Test("a frame that holds more than a second may cost is used, if the ones before it have passed")
    func longFrames() {
        var device = Device()
        for frame in 0..<30 { #expect(!device.send(2_000, at: 100 + Double(frame) * 10).isOver) }
    }

    @Test("a device is refused until the mean is under 80 %, and that instant is told beforehand")
    func release() throws {
        var device = Device()
        var second = 100.0
        while !device.send(1_000, at: second).isOver { second += 1 }
        let resumesAt = try #require(device.meter.resumesAt)
        #expect(device.meter.refuses(device.header(resumesAt - 0.1), at: resumesAt + 999.9))
        #expect(!device.meter.refuses(device.header(resumesAt), at: resumesAt + 1_000))
        var refused = 1
        while device.send(1, at: second + 1).isOver {
            second += 1
            refused += 1
        }
        #expect(second + 1 == resumesAt)
        #expect(refused > 10)
        // At once after that it is far from the limit.
        #expect((0..<4).allSatisfy { !device.send(400, at: resumesAt + Double($0)).isOver })
    }

    @Test("below a burst what was refused adds nothing: up to the limit all is used")
    func tooMuchMean() {
        var device = Device()
        var used = 0.0
        for frame in 0..<6_000 where !device.send(70, at: 100 + Double(frame) / 10).isOver { used += 70 }
        #expect((300...440).contains(used / 600), "\(used / 600) units a second")
    }

    @Test("of a flood that goes on one second's burst is used")
    func flood() {
        var device = Device()
        var used = 0.0
        for frame in 0..<60_000 where !device.send(70, at: 100 + Double(frame) / 100).isOver { used += 70 }
        #expect(used == 1_260)
    }

    @Test("a single frame greater than the whole budget is used where nothing came before")
    func greatFrame() {
        var device = Device()
        let small = BudgetLimits(unitsPerSecond: 1, over: 60, burst: 3)
        #expect(!device.send(500, at: 100, .deviceMotion, small).isOver)
        #expect(device.send(1, at: 101, .deviceMotion, small).isOver)
        #expect(!device.send(500, at: 200, .deviceMotion, small).isOver)
    }

    @Test(
        "safety streams are never refused and cost the others nothing",
        arguments: [StreamName.submersion, .status, .workout, .command])
    func safety(stream: StreamName) {
        var device = Device()
        for frame in 0..<5_000 { #expect(!device.send(100, at: 100 + Double(frame) / 1_000, stream).isOver) }
        #expect(!device.send(1, at: 105.1).isOver)
        while !device.send(1_000, at: 106).isOver {}
        #expect(!device.send(1, at: 106, stream).isOver)
        #expect(device.send(1, at: 106).isOver)
        #expect(device.send(0, at: 161, stream).usage.map { $0.units > 8_000 } == true)
    }

    @Test("without a limit nothing is refused, and a limit that is lifted ends a refusal")
    func noLimit() {
        var device = Device()
        while !device.send(1_000, at: 100).isOver {}
        #expect(!device.send(1_000, at: 100, .deviceMotion, nil).isOver)
        #expect(device.meter.resumesAt == nil)
        #expect(device.send(0, at: 160, .deviceMotion, nil).usage?.limit == .some(nil))
    }

    @Test("what was kept while nothing could be sent costs what it would have cost then")
    func backlog() {
        var device = Device()
        #expect(!device.send(300, at: 100).isOver)
        // An hour, sent within 6 s.
        for second in 1..<3_600 {
            #expect(!device.send(300, at: 100 + Double(second), arriving: 4_700 + Double(second) / 600).isOver)
        }
        #expect(!device.meter.isClockTooFast)
    }

    @Test("one stream's hour after another's is counted within the last minute, and no more")
    func lateStream() {
        var device = Device()
        for second in 0..<600 { #expect(!device.send(100, at: 100 + Double(second), arriving: 2_000).isOver) }
        for second in 0..<600 { #expect(!device.send(20, at: 100 + Double(second), arriving: 2_001, .headphoneMotion).isOver) }
        // A flood of old frames is a flood.
        #expect((0..<400).contains { _ in device.send(70, at: 100, arriving: 2_002, .headphoneMotion).isOver })
    }

    @Test("a clock more than ten times too fast for a minute makes the cost count by arrival, until it is not")
    func liar() {
        var device = Device()
        var found: Double?
        // 7,000 units a second by the gateway's clock, 70 by its own.
        for frame in 0..<20_000 where found == nil {
            let arriving = 1_100 + Double(frame) / 100
            let outcome = device.send(70, at: 100 + Double(frame), arriving: arriving)
            #expect(!outcome.isOver)
            if outcome.isFoundTooFast { found = arriving }
        }
        #expect(found.map { $0 - 1_100 } == 60)
        #expect(device.meter.isClockTooFast)
        let refused = (0..<1_000).count { device.send(70, at: 7_000 + Double($0), arriving: 1_160.01 + Double($0) / 100).isOver }
        #expect(refused > 700)
        // A minute in which it runs as the gateway's does.
        for second in 0..<70 { _ = device.send(1, at: 8_000 + Double(second), arriving: 1_200 + Double(second)) }
        for second in 70..<140 { _ = device.send(1, at: 8_000 + Double(second), arriving: 1_200 + Double(second)) }
        #expect(!device.meter.isClockTooFast)
    }

    @Test("one wrong uptime does not refuse what a device sends within its budget")
    func wrongUptime() {
        var device = Device()
        var refused = 0
        for frame in 0..<3_000 {
            let uptime = 200 + Double(frame)
            let stated = frame == 100 ? uptime * 1_000 : uptime
            if device.send(63, at: stated, arriving: uptime + device.behind).isOver { refused += 1 }
        }
        #expect(refused == 0)
        #expect(device.meter.resumesAt == nil)
    }

    @Test("neither new boots nor clocks that jump back and forth escape the budget")
    func escapes() {
        var boots = Device()
        let refused = (0..<3_000).count { frame in
            boots.boot = "b\(frame)"
            return boots.send(70, at: 5, arriving: 1_100 + Double(frame) / 100).isOver
        }
        #expect(refused > 2_000)
        var jumping = Device()
        var used = 0.0
        for frame in 0..<30_000 {
            let uptime = frame % 2 == 0 ? 1_000_000 + Double(frame) * 60 : 1
            if !jumping.send(70, at: uptime, arriving: 1_100 + Double(frame) / 100).isOver { used += 70 }
        }
        #expect(used < 60 * 7_000 + 240 * 500, "but for the first minute")
    }

    @Test("hostile clocks and sizes trap nowhere", .slow, arguments: 0..<50)
    func hostile(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let times: [Double] = [0, -1, 1e-300, 1e9, 1e15, 1e300, .infinity, -.infinity, .nan, 5, 100, 1e12]
        var device = Device()
        for _ in 0..<2_000 {
            device.boot = "b\(Int.random(in: 0..<3, using: &generator))"
            let uptime = times.randomElement(using: &generator) ?? 0
            let arrivals: [Double] = [0, 5, 1e9, 1e9 + 70, -1e9]
            let arriving = arrivals.randomElement(using: &generator) ?? 0
            let sizes: [Int] = [0, 1, .max, 1 << 40]
            let size = sizes.randomElement(using: &generator) ?? 0
            let choices: [BudgetLimits?] = [
                nil, Self.limits, BudgetLimits(unitsPerSecond: 1e6, over: 60, burst: 100),
                BudgetLimits(unitsPerSecond: .leastNonzeroMagnitude, over: 60, burst: nil),
            ]
            let limits = choices.randomElement(using: &generator) ?? nil
            let header = device.header(uptime)
            _ = device.meter.refuses(header, at: arriving)
            _ = device.meter.count(
                .init(stream: StreamName.allCases.randomElement(using: &generator) ?? .status, bytes: size, samples: size),
                of: header, limits, at: arriving)
            #expect(device.meter.secondsToResume(after: header, at: arriving).map { $0 >= 0 } ?? true)
        }
    }

    @Test("stored and read again at any point it goes on as if it had not been", .slow, arguments: 0..<20)
    func restart(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var (whole, restarted) = (Device(), Device())
        var uptime = 100.0
        for _ in 0..<800 {
            uptime += Double.random(in: 0...1, using: &generator)
            let units = Double.random(in: 0...900, using: &generator)
            let stream: StreamName = Bool.random(using: &generator) ? .deviceMotion : .headphoneMotion
            let expected = whole.send(units, at: uptime, stream)
            let found = restarted.send(units, at: uptime, stream)
            #expect(found.isOver == expected.isOver && found.usage == expected.usage)
            restarted.meter = try StateCoder.decode(BudgetMeter.self, from: StateCoder.encode(restarted.meter))
            #expect(restarted.meter == whole.meter)
        }
    }

    @Test("after a restart of the machine its monotonic clock is another")
    func shifted() {
        var (device, other) = (Device(), Device())
        for second in 0..<50 { _ = (device.send(100, at: 100 + Double(second)), other.send(100, at: 100 + Double(second))) }
        other.meter.shiftMonotonic(by: -900)
        other.behind -= 900
        for second in 50..<200 {
            let (left, right) = (device.send(500, at: 100 + Double(second)), other.send(500, at: 100 + Double(second)))
            #expect(left.isOver == right.isOver && left.usage == right.usage)
        }
    }

    @Test("in the state of a device it takes little room")
    func room() throws {
        var device = Device(at: 123_456.789)
        var budgets = DeviceBudgets()
        for second in 0..<200 {
            _ = device.send(0.35, at: 123_456.789 + Double(second) * 1.01)
            _ = device.send(6.35, at: 123_456.789 + Double(second) * 1.01, .headphoneMotion)
        }
        budgets.meters = [device.meter]
        let bytes = try StateEncoder().encode(budgets).count
        #expect(bytes < 500, "\(bytes) bytes")
    }
}
