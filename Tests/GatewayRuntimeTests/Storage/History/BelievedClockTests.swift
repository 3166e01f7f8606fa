import GatewayPipeline
import TelemetryModel
import Testing

@testable import GatewayRuntime

/// Two clocks of a machine that a test sets.
private struct Machine {
    var name = "run-1"
    var wall: Double
    var boot = 500.0
    var clock: BelievedClock

    init(wall: Double) {
        self.wall = wall
        clock = BelievedClock(at: GatewayTime(unix: UnixTime(wall), monotonic: 500), machine: "run-1")
    }

    @discardableResult
    mutating func look() -> [BelievedClock.Change] {
        clock.observe(GatewayTime(unix: UnixTime(wall), monotonic: boot), machine: name)
    }

    /// Runs for so many hours, and looks at the clocks every ten minutes.
    @discardableResult
    mutating func run(hours: Double) -> [BelievedClock.Change] {
        var changes: [BelievedClock.Change] = []
        for _ in 0..<Int(hours * 6) {
            (wall, boot) = (wall + 600, boot + 600)
            changes += look()
        }
        return changes
    }

    @discardableResult
    mutating func set(by seconds: Double) -> [BelievedClock.Change] {
        wall += seconds
        return look()
    }

    /// Switches the machine off for so many hours.
    @discardableResult
    mutating func restart(offHours: Double = 0, wall: Double? = nil) -> [BelievedClock.Change] {
        name += "+"
        boot = 3
        self.wall = wall ?? self.wall + offHours * 3_600
        return look()
    }
}

@Suite("The clock that deletion goes by")
struct BelievedClockTests {
    private static let now = 1_763_755_200.0
    private static let day = 86_400.0

    @Test("Without steps it is the wall clock")
    func plain() {
        var machine = Machine(wall: Self.now)
        #expect(machine.run(hours: 100).isEmpty)
        #expect(abs(machine.clock.limit.seconds - machine.wall) < 1e-3)
        #expect(machine.clock.warning == nil)
        #expect(abs(machine.clock.running - 360_000) < 1e-3)
    }

    @Test("A step moves nothing before it was kept for a day, and all of it then", arguments: [30 * day, 3_600, 74 * 365 * day])
    func forward(step: Double) {
        var machine = Machine(wall: Self.now)
        #expect(machine.set(by: step) == [.stepped(step)])
        machine.run(hours: 23.5)
        #expect(abs(machine.clock.limit.seconds - (Self.now + 23.5 * 3_600)) < 1e-3)
        #expect(machine.clock.warning != nil)
        #expect(machine.run(hours: 0.5).count == 1)
        #expect(abs(machine.clock.limit.seconds - machine.wall) < 1e-3)
        #expect(machine.clock.warning == nil)
    }

    @Test("A step that is undone leaves nothing behind", arguments: [30 * day, -30 * day, -now, 74 * 365 * day])
    func undone(step: Double) {
        var machine = Machine(wall: Self.now)
        machine.run(hours: 1)
        machine.set(by: step)
        (machine.wall, machine.boot) = (machine.wall + 12, machine.boot + 12)
        machine.look()
        #expect(machine.set(by: -step) == [.undone])
        #expect(machine.clock.warning == nil)
        #expect(abs(machine.clock.limit.seconds - (Self.now + 3_612)) < 1e-3)
        machine.run(hours: 48)
        #expect(abs(machine.clock.limit.seconds - machine.wall) < 1e-3)
    }

    @Test("A step back holds deletion back at once, and is believed after a day")
    func backward() {
        var machine = Machine(wall: Self.now)
        machine.set(by: -30 * Self.day)
        #expect(machine.clock.limit.seconds == machine.wall)
        #expect(machine.clock.warning != nil)
        #expect(machine.run(hours: 24) == [.believed(-30 * Self.day)])
        #expect(abs(machine.clock.limit.seconds - machine.wall) < 1e-3)
        #expect(machine.clock.warning == nil)
    }

    @Test("A machine that starts in 1970 and is set right an hour later deletes nothing for a day", arguments: [true, false])
    func epoch(isNew: Bool) {
        var machine = Machine(wall: isNew ? 20 : Self.now)
        if !isNew { machine.restart(wall: 20) }
        let before = Self.now
        machine.run(hours: 1)
        #expect(machine.clock.limit.seconds < 2 * Self.day)
        // Three days have passed meanwhile.
        machine.wall = before + 3 * Self.day
        machine.look()
        machine.run(hours: 23.5)
        #expect(machine.clock.limit.seconds <= before + 25 * 3_600)
        #expect(machine.clock.warning != nil)
        machine.run(hours: 1)
        #expect(abs(machine.clock.limit.seconds - machine.wall) < 1e-3)
    }

    @Test("The day is added up over starts, and the time that a machine is off is a step of its own")
    func starts() {
        var machine = Machine(wall: Self.now)
        machine.set(by: 30 * Self.day)
        machine.run(hours: 10)
        machine.restart(offHours: 14)
        machine.run(hours: 10)
        machine.restart(offHours: 14)
        machine.run(hours: 3.5)
        #expect(machine.clock.limit.seconds < Self.now + Self.day)
        #expect(machine.run(hours: 0.5) == [.believed(30 * Self.day)])
        // The first night is believed ten hours later, the second ten hours after that.
        #expect(abs(machine.wall - machine.clock.limit.seconds - 28 * 3_600) < 1)
        machine.run(hours: 10)
        #expect(abs(machine.wall - machine.clock.limit.seconds - 14 * 3_600) < 1)
        machine.run(hours: 10)
        #expect(abs(machine.wall - machine.clock.limit.seconds) < 1)
    }

    @Test("Later steps of less than an hour do not begin the day anew")
    func smallSteps() {
        var machine = Machine(wall: Self.now)
        machine.set(by: 30 * Self.day)
        for _ in 0..<4 {
            machine.run(hours: 6)
            machine.set(by: 2_400)
        }
        #expect(machine.clock.limit.seconds > Self.now + 30 * Self.day)
    }

    @Test("Many small steps are no way around the day", arguments: [3_000.0, 600, 1.5])
    func creeping(step: Double) {
        var machine = Machine(wall: Self.now)
        machine.run(hours: 30)
        for _ in 0..<200 { machine.set(by: step) }
        #expect(machine.clock.limit.seconds <= Self.now + 30 * 3_600 + 3_600)
        machine.run(hours: 25)
        #expect(abs(machine.clock.limit.seconds - machine.wall) < 1e-2)
    }

    @Test("A clock that runs too fast is followed a day behind, with few steps to remember")
    func fast() {
        var machine = Machine(wall: Self.now)
        for _ in 0..<1_000 {
            (machine.wall, machine.boot) = (machine.wall + 1_200, machine.boot + 600)
            machine.look()
            #expect(machine.clock.steps.count < 60)
        }
        let elapsed = machine.boot - 500
        #expect(machine.clock.limit.seconds < Self.now + elapsed * 2 - 20 * 3_600)
        #expect(machine.clock.limit.seconds > Self.now + elapsed * 2 - 30 * 3_600)
    }

    @Test("An operator's word is as good as a day")
    func believe() {
        var machine = Machine(wall: Self.now)
        machine.set(by: 30 * Self.day)
        machine.clock.believe()
        #expect(machine.clock.limit.seconds == machine.wall)
        #expect(machine.clock.warning == nil)
        #expect(machine.run(hours: 30).isEmpty)
    }

    @Test("Looks that come out of order, and readings that are no time, change nothing")
    func order() {
        var machine = Machine(wall: Self.now)
        machine.run(hours: 1)
        let clock = machine.clock
        _ = machine.clock.observe(GatewayTime(unix: UnixTime(.nan), monotonic: 5_000), machine: "run-1")
        #expect(machine.clock == clock)
        (machine.wall, machine.boot) = (machine.wall - 0.5, machine.boot - 0.5)
        machine.look()
        (machine.wall, machine.boot) = (machine.wall + 0.5, machine.boot + 0.5)
        machine.look()
        #expect(abs(machine.clock.running - clock.running) < 1e-6)
    }
}
