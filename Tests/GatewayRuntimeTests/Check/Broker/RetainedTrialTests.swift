import Testing

@testable import GatewayRuntime

@Suite("Whether a wildcard gets a retained message, tried with the gateway's status")
struct RetainedTrialTests {
    private func trial(until now: Double) -> RetainedTrial {
        var trial = RetainedTrial(at: 10)
        for time in stride(from: 10, through: now, by: 0.1) { trial.tick(at: time) }
        return trial
    }

    @Test("It subscribes with a wildcard a moment after the message was accepted, and is over when that comes")
    func wildcard() {
        #expect(trial(until: 10.5).step == .settling)
        var trial = trial(until: 11.5)
        #expect(trial.step == .wildcard)
        trial.received()
        #expect(trial.step == .over && trial.reach == .wildcards)
    }

    @Test("Where it does not come, the exact topic shows that it is there")
    func exact() {
        var trial = trial(until: 13.5)
        #expect(trial.step == .exact && trial.reach == nil)
        trial.received()
        #expect(trial.step == .over && trial.reach == .exactTopics)
    }

    @Test("Where it never comes nothing is known: the ACL may forbid it")
    func unknown() {
        var trial = trial(until: 16)
        #expect(trial.step == .over && trial.reach == nil)
        trial.received()
        #expect(trial.reach == nil)
    }

    @Test("A message that comes before counts for nothing")
    func early() {
        var trial = RetainedTrial(at: 10)
        trial.received()
        #expect(trial.step == .settling && trial.reach == nil)
    }
}
