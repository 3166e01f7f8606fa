import Testing

@testable import GatewayRuntime

@Suite("When a commit is due")
struct CommitScheduleTests {
    private var schedule = CommitSchedule(messages: 10, seconds: 0.1, window: 20)

    @Test("nothing is due while nothing was read, or after everything is in a commit")
    mutating func nothing() {
        #expect(schedule.deadline == nil)
        schedule.note(3, at: 50)
        schedule.begun(at: 70)
        #expect(schedule.deadline == nil)
    }

    @Test("it is due when nothing more has come for a moment")
    mutating func pause() {
        schedule.note(1, at: 50)
        #expect(schedule.deadline == 50 + schedule.pauseSeconds)
        schedule.note(1, at: 50.005)
        #expect(schedule.deadline == 50.005 + schedule.pauseSeconds)
    }

    @Test("the pause is in proportion to how long a commit may wait, and not shorter than within a burst")
    func pauses() {
        #expect(CommitSchedule(messages: 200, seconds: 0.25, window: 100).pauseSeconds == 0.05)
        #expect(CommitSchedule(messages: 200, seconds: 0, window: 100).pauseSeconds == 0.01)
        // What the lane does not read is no pause of the broker's.
        let gathering = CommitSchedule(messages: 200, seconds: 0.25, gatherSeconds: 0.02, window: 100)
        #expect(abs(gathering.pauseSeconds - 0.07) < 1e-9)
    }

    @Test("behind acknowledgements the lane does not gather, and a pause is as short as without")
    func answers() {
        var schedule = CommitSchedule(messages: 200, seconds: 0.25, gatherSeconds: 0.1, window: 100)
        #expect(schedule.gathersFrom == -.infinity)
        schedule.note(3, at: 50)
        #expect(abs((schedule.deadline ?? 0) - 50.15) < 1e-9)
        schedule.begun(at: 50.15)
        schedule.acknowledged(at: 50.16)
        #expect(abs(schedule.gathersFrom - 50.185) < 1e-9)
        schedule.note(20, at: 50.17)
        #expect(abs((schedule.deadline ?? 0) - 50.22) < 1e-9)
        schedule.note(1, at: 50.2)
        #expect(abs((schedule.deadline ?? 0) - 50.35) < 1e-9)
    }

    @Test("a broker with a small window is recognised while the lane gathers, and one that sends a message now and then is not")
    func smallWindowWhileGathering() {
        var schedule = CommitSchedule(messages: 200, seconds: 0.25, gatherSeconds: 0.1, window: 100)
        var now = 50.0
        for _ in 0..<5 {
            schedule.note(3, at: now + 0.001)
            schedule.note(17, at: now + 0.004)
            now = schedule.deadline ?? now
            schedule.begun(at: now)
            schedule.acknowledged(at: now)
        }
        schedule.note(20, at: now + 0.001)
        #expect(schedule.deadline == now + 0.001)

        // What lies unread while the lane gathers is no answer to the acknowledgements.
        var steady = CommitSchedule(messages: 200, seconds: 0.25, gatherSeconds: 0.1, window: 100)
        for round in 0..<6 {
            let start = 50 + 0.25 * Double(round)
            steady.note(1, at: start + 0.001)
            steady.note(1, at: start + 0.16)
            steady.begun(at: start + 0.249)
            steady.acknowledged(at: start + 0.25)
        }
        steady.note(2, at: 60)
        #expect((steady.deadline ?? 0) > 60.04)
    }

    @Test("while messages keep coming it is due when the first has waited long enough")
    mutating func holding() {
        for step in 0..<9 { schedule.note(1, at: 50 + Double(step) * 0.0117) }
        #expect(schedule.deadline == 50.1)
    }

    @Test("it is due at once when enough has been read")
    mutating func full() {
        schedule.note(9, at: 50)
        schedule.note(1, at: 50.001)
        #expect(schedule.deadline == 50.001)
    }

    @Test("messages that need not wait are due at once, and with what waits already when there is something")
    mutating func heartbeats() {
        schedule.note(1, waits: false, at: 50)
        #expect(schedule.deadline == -.infinity)
        schedule.begun(at: 70)
        schedule.acknowledged(at: 70)
        schedule.note(1, at: 60)
        schedule.note(1, waits: false, at: 60.009)
        #expect(schedule.deadline == 60 + schedule.pauseSeconds)
    }

    @Test("while a commit is under way messages are read until half of the window is unacknowledged; then commits follow at once")
    mutating func window() {
        schedule.note(9, at: 50)
        schedule.begun(at: 50)
        #expect(schedule.mayReadAhead)
        schedule.note(9, at: 50.01)
        schedule.begun(at: 50.01)
        #expect(schedule.mayReadAhead)
        schedule.note(2, at: 50.02)
        #expect(!schedule.mayReadAhead)
        #expect(schedule.deadline == 50.02)
        schedule.begun(at: 50.02)
        schedule.acknowledged(at: 50.03)
        #expect(schedule.mayReadAhead)
    }

    @Test("no message is unacknowledged for long while others keep coming, and reading pauses for one commit only")
    mutating func acknowledgement() {
        schedule.note(1, at: 50)
        let end = 50 + CommitSchedule.acknowledgeSeconds
        for step in 1...5 {
            let at = 50 + Double(step) * 0.09
            schedule.begun(at: at)
            #expect(schedule.mayReadAhead)
            schedule.note(1, at: at)
        }
        #expect(schedule.deadline == 50.45 + schedule.pauseSeconds)
        schedule.begun(at: end - 0.01)
        schedule.note(1, at: end - 0.005)
        #expect(schedule.deadline == end)
        schedule.note(1, at: end + 0.02)
        #expect(schedule.mayReadAhead, "the commit does not cover the last two")
        schedule.begun(at: end + 0.03)
        #expect(!schedule.mayReadAhead)
        schedule.acknowledged(at: end + 0.04)
        schedule.note(1, at: end + 0.05)
        schedule.begun(at: end + 0.06)
        #expect(schedule.mayReadAhead)
    }

    /// Reads `count` messages as one window, commits them after a pause, and acknowledges them; returns the time then.
    private mutating func settle(_ count: Int, from start: Double) -> Double {
        for _ in 0..<count { schedule.note(1, at: start) }
        let due = max(start, schedule.deadline ?? start)
        schedule.begun(at: due)
        schedule.acknowledged(at: due + 0.003)
        return due + 0.003
    }

    @Test("once a broker has shown that it sends no more, a commit is due when its window is full", arguments: [1, 3])
    mutating func smallWindow(size: Int) {
        var now = 50.0
        for _ in 0..<5 {
            #expect(now == 50 || schedule.deadline == nil)
            now = settle(size, from: now + 0.001)
        }
        for _ in 0..<size {
            #expect(schedule.deadline.map { $0 > now } ?? true)
            schedule.note(1, at: now)
        }
        #expect(schedule.deadline == now)
        schedule.note(1, at: now)
        #expect(schedule.deadline == now + schedule.pauseSeconds, "the window is larger")
    }

    @Test("messages that follow acknowledgements by chance, or of which there are not as many each time, show no window")
    mutating func noWindow() {
        var now = 50.0
        for _ in 0..<9 { now = settle(2, from: now + 0.02) }
        for round in 0..<9 { now = settle(1 + round % 2, from: now + 0.001) }
        schedule.note(1, at: now)
        #expect(schedule.deadline == now + schedule.pauseSeconds)
    }

    @Test("another connection may have another window")
    mutating func windowOfAnotherConnection() {
        var now = 50.0
        for _ in 0..<6 { now = settle(1, from: now + 0.001) }
        schedule.released()
        schedule.note(1, at: now)
        #expect(schedule.deadline == now + schedule.pauseSeconds)
    }
}
