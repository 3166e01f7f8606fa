import Testing

@testable import GatewayRuntime

@Suite("When a commit is due")
struct CommitScheduleTests {
    private var schedule = CommitSchedule(messages: 10, seconds: 0.1)

    @Test("nothing is due while nothing was read, or after everything is in a commit")
    mutating func nothing() {
        #expect(schedule.deadline == nil)
        schedule.note(3, at: 50)
        schedule.begun()
        #expect(schedule.deadline == nil)
    }

    @Test("it is due when nothing more has come for a moment")
    mutating func pause() {
        schedule.note(1, at: 50)
        #expect(schedule.deadline == 50 + CommitSchedule.pauseSeconds)
        schedule.note(1, at: 50.005)
        #expect(schedule.deadline == 50.005 + CommitSchedule.pauseSeconds)
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
        schedule.begun()
        schedule.note(1, at: 60)
        schedule.note(1, waits: false, at: 60.009)
        #expect(schedule.deadline == 60 + CommitSchedule.pauseSeconds)
    }
}
