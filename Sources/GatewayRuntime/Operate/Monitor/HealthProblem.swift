import GatewayConfiguration
import JSONText

/// A check of the gateway's health that fails, and why.
package struct HealthProblem: Sendable, Equatable {
    /// What was checked, such as `thread mqtt-safety`.
    package var check: String
    /// What is wrong, and where it is known what to change.
    package var problem: String
    /// Whether frames flow all the same: a person should look at it, and no probe should fail for it.
    package var isWarning: Bool

    /// A failed check, or a warning.
    package init(_ check: String, _ problem: String, isWarning: Bool = false) {
        self.check = check
        self.problem = problem
        self.isWarning = isWarning
    }

    /// Problems as a JSON list of `{check, problem}`; a warning has the member `warning`, which is true.
    static func json(_ problems: [HealthProblem]) -> [UInt8] {
        let objects = problems.map { problem in
            String(
                decoding: JSONWriter.object { json in
                    json.field("check", problem.check)
                    json.field("problem", problem.problem)
                    if problem.isWarning { json.field("warning", true) }
                }, as: UTF8.self)
        }
        return Array("[\(objects.joined(separator: ","))]\n".utf8)
    }
}

/// What the health checks look at.
struct HealthFacts: Sendable {
    /// A thread, and the seconds since it last went through its loop; nil where it need not.
    struct Thread: Sendable {
        var name: String
        var age: Double?
    }

    /// A lane's connection.
    struct Lane: Sendable {
        var name: GatewayConfiguration.Lanes.Name
        var isConnected: Bool
        /// Its state in words.
        var state: String
        /// The seconds since a heartbeat was received; nil for never.
        var heartbeatAge: Double?
        /// Whether none has come for too long.
        var lacksHeartbeat = false
        /// What to change where heartbeats are not delivered.
        var heartbeatAdvice: String
    }

    var threads: [Thread] = []
    var lanes: [Lane] = []
    /// Why nothing can be published; nil when it can.
    var outProblem: String?
    /// Whether the gateway's claim to its name has not come back for longer than its lease.
    var isNameInDoubt = false
    var storageProblems: [GatewayConfiguration.Lanes.Name: String] = [:]
    var registryProblem: String?
    /// The seconds since the registry changed, or is read again; nil when what was found is in force or refused.
    var registryAge: Double?
    /// What a person should look at though frames flow, by what it is about.
    var warnings: [String: String] = [:]

    /// The longest time without a turn of a thread. They turn every 5 s.
    static let standstillSeconds = 10.0

    /// What is stuck: the process should be restarted.
    var standstills: [HealthProblem] {
        threads.compactMap { thread in
            guard let age = thread.age, age > Self.standstillSeconds else { return nil }
            return HealthProblem("thread \(thread.name)", "has not turned for \(Int(age)) s")
        }
    }

    /// Why frames do not flow, or not all of them, and the warnings.
    var obstacles: [HealthProblem] {
        var problems: [HealthProblem] = []
        if let outProblem { problems.append(HealthProblem("connection out", outProblem)) }
        if isNameInDoubt {
            problems.append(HealthProblem("claim", "the broker has not confirmed the gateway's claim to its name"))
        }
        if lanes.isEmpty { problems.append(HealthProblem("lanes", "none has started to read yet")) }
        for lane in lanes {
            let name = lane.name.rawValue
            guard lane.isConnected else {
                problems.append(HealthProblem("connection \(name)", lane.state))
                continue
            }
            if lane.lacksHeartbeat, let age = lane.heartbeatAge {
                problems.append(
                    HealthProblem(
                        "heartbeat \(name)",
                        "the last one was received \(Int(age)) s ago: the broker does not deliver, or the lane is behind"))
            } else if lane.heartbeatAge == nil {
                problems.append(
                    HealthProblem("heartbeat \(name)", "none was received yet; if it stays so, \(lane.heartbeatAdvice)"))
            }
        }
        for (lane, problem) in storageProblems.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            problems.append(HealthProblem("checkpoints \(lane.rawValue)", problem))
        }
        if let registryProblem { problems.append(HealthProblem("registry", registryProblem)) }
        if let registryAge, registryAge > RegistryTurns.overdueSeconds {
            problems.append(
                HealthProblem(
                    "registry",
                    "changed \(Int(registryAge)) s ago and is not in force or refused yet; the registry before it is in force"))
        }
        for (check, text) in warnings.sorted(by: { $0.key < $1.key }) {
            problems.append(HealthProblem(check, text, isWarning: true))
        }
        return problems
    }
}
