import Testing

@testable import GatewayRuntime

@Suite("When a commit is due")
struct CommitScheduleTests {
    private var schedule = CommitSchedule(messages: 10, seconds: 0.1, window: 20)

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
        #expect(schedule.deadline == 50 + schedule.pauseSeconds)
        schedule.note(1, at: 50.005)
        #expect(schedule.deadline == 50.005 + schedule.pauseSeconds)
    }

    @Test("the pause is in proportion to how long a commit may wait, and not shorter than within a burst")
    func pauses() {
        #expect(CommitSchedule(messages: 200, seconds: 0.25, window: 100).pauseSeconds == 0.05)
        #expect(CommitSchedule(messages: 200, seconds: 0, window: 100).pauseSeconds == 0.01)
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
        schedule.acknowledged()
        schedule.note(1, at: 60)
        schedule.note(1, waits: false, at: 60.009)
        #expect(schedule.deadline == 60 + schedule.pauseSeconds)
    }

    @Test("while a commit is under way messages are read until half of the window is unacknowledged; then commits follow at once")
    mutating func window() {
        schedule.note(9, at: 50)
        schedule.begun()
        #expect(schedule.mayReadAhead(at: 50))
        schedule.note(9, at: 50.01)
        schedule.begun()
        #expect(schedule.mayReadAhead(at: 50.01))
        schedule.note(2, at: 50.02)
        #expect(!schedule.mayReadAhead(at: 50.02))
        #expect(schedule.deadline == 50.02)
        schedule.begun()
        schedule.acknowledged()
        #expect(schedule.mayReadAhead(at: 50.03))
    }

    @Test("no message is unacknowledged for long while others keep coming")
    mutating func acknowledgement() {
        schedule.note(1, at: 50)
        let end = 50 + CommitSchedule.acknowledgeSeconds
        for step in 1...5 {
            schedule.begun()
            #expect(schedule.mayReadAhead(at: 50 + Double(step) * 0.09))
            schedule.note(1, at: 50 + Double(step) * 0.09)
        }
        #expect(schedule.deadline == 50.45 + schedule.pauseSeconds)
        schedule.note(1, at: end - 0.005)
        #expect(schedule.deadline == end)
        #expect(!schedule.mayReadAhead(at: end))
    }
}
