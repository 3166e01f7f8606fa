import GatewayConfiguration
import Testing

@testable import GatewayRuntime

@Suite("Health checks")
struct HealthTests {
    private func lane(_ heartbeatAge: Double?, connected: Bool = true, lacksHeartbeat: Bool = false) -> HealthFacts.Lane {
        .init(
            name: .safety, isConnected: connected, state: "disconnected: lost", heartbeatAge: heartbeatAge,
            lacksHeartbeat: lacksHeartbeat, heartbeatAdvice: "add a line")
    }

    @Test("A thread that has not turned for more than 10 s is named; one that is paused is not")
    func standstills() {
        var facts = HealthFacts()
        facts.threads = [
            .init(name: "mqtt-out", age: 10), .init(name: "mqtt-safety", age: 10.5), .init(name: "commit-safety", age: nil),
        ]
        #expect(facts.standstills == [HealthProblem("thread mqtt-safety", "has not turned for 10 s")])
    }

    @Test("Frames flow when all lanes are connected and receive heartbeats")
    func ready() {
        var facts = HealthFacts()
        facts.lanes = [lane(5)]
        #expect(facts.obstacles.isEmpty)
    }

    @Test("Each obstacle is named")
    func obstacles() {
        var facts = HealthFacts()
        #expect(facts.obstacles.map(\.check) == ["lanes"])
        facts.lanes = [lane(6, lacksHeartbeat: true)]
        #expect(facts.obstacles.map(\.check) == ["heartbeat safety"])
        facts.lanes = [lane(nil)]
        #expect(facts.obstacles.first?.problem.contains("add a line") == true)
        // Heartbeats of a connection that is down are not awaited.
        facts.lanes = [lane(60, connected: false, lacksHeartbeat: true)]
        #expect(facts.obstacles == [HealthProblem("connection safety", "disconnected: lost")])
        facts.outProblem = "connecting"
        facts.storageProblems = [.bulk: "the disk is full"]
        facts.registryProblem = "line 3"
        #expect(
            facts.obstacles.map(\.check) == ["connection out", "connection safety", "checkpoints bulk", "registry"])
    }

    @Test("A warning is named behind what keeps frames from flowing")
    func warnings() {
        var facts = HealthFacts()
        facts.lanes = [lane(5)]
        facts.warnings = ["clock": "was set forward"]
        #expect(facts.obstacles == [HealthProblem("clock", "was set forward", isWarning: true)])
        facts.registryProblem = "line 3"
        #expect(facts.obstacles.map(\.check) == ["registry", "clock"])
    }

    @Test("A reload of the registry that takes longer than 10 s is a problem until it ends")
    func reload() {
        var facts = HealthFacts()
        facts.lanes = [lane(5)]
        facts.registryAge = 10
        #expect(facts.obstacles.isEmpty)
        facts.registryAge = 12.5
        #expect(
            facts.obstacles == [
                HealthProblem(
                    "registry", "changed 12 s ago and is not in force or refused yet; the registry before it is in force")
            ])
        facts.registryAge = nil
        #expect(facts.obstacles.isEmpty)
    }

    @Test("Problems are a JSON list")
    func json() {
        let problems = [HealthProblem("a", "say \"b\"\n"), HealthProblem("c", "d")]
        #expect(
            String(decoding: HealthProblem.json(problems), as: UTF8.self)
                == #"[{"check":"a","problem":"say \"b\"\u000a"},{"check":"c","problem":"d"}]"# + "\n")
        #expect(
            String(decoding: HealthProblem.json([HealthProblem("a", "b", isWarning: true)]), as: UTF8.self)
                == #"[{"check":"a","problem":"b","warning":true}]"# + "\n")
        #expect(HealthProblem.json([]) == Array("[]\n".utf8))
    }
}
