import Foundation
import LocalBroker
import Testing

@Suite("fathom notify", .serialized)
struct NotifyTests {
    private let directory: TemporaryDirectory
    private let broker: BrokerProcess
    /// Where the command of these tests writes what it is told.
    private var log: String { directory.path("told") }

    init() async throws {
        directory = try TemporaryDirectory()
        broker = try await BrokerProcess()
    }

    private func notify(
        _ command: String? = nil, _ options: [String] = [], environment: [String: String] = [:]
    ) throws -> FathomProcess {
        try FathomProcess(
            ["notify", "--exec", command ?? #"echo "$FATHOM_ALARM_ID $FATHOM_ALARM_STATE" >> "\#(log)""#] + options + settings,
            environment: environment)
    }

    private var settings: [String] {
        ["--set", "mqtt.port=\(broker.port)", "--set", "notify.stateDirectory=\(directory.path("notify"))"]
    }

    private func publish(
        _ id: String, _ state: String = "raised", device: String = "ultra-1", severity: String = "critical", since: Int = 1
    ) throws {
        let payload = """
            {"schema":"wearables/1","id":"\(id)","device":"\(device)","alarm":"past-limit","severity":"\(severity)","state":"\(state)",\
            "since":\(since),"clearedAt":null,"value":"pastMaxDepth","sourceKind":"depth-state","field":"state","count":1}
            """
        try publish(payload, on: "wearables/\(device)/out/alarm/past-limit")
    }

    private func publish(_ payload: String, on topic: String) throws {
        let outcome = try Tool(
            "mosquitto_pub",
            ["-p", "\(broker.port)", "-q", "1", "-r", "-t", topic] + (payload.isEmpty ? ["-n"] : ["-m", payload])
        ).outcome()
        try #require(outcome.status == 0, "\(outcome.output)")
    }

    private var told: [String] {
        ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    private func wait(for lines: [String]) async throws {
        try await eventually("told: \(lines)") { told.count >= lines.count }
        #expect(told == lines)
    }

    @Test("Each alarm that is raised or cleared, once; an acknowledgement is not told; a restart tells nothing again")
    func changes() async throws {
        try publish("1")
        let first = try notify()
        try await wait(for: ["1 raised"])
        try publish("2", "acknowledged")
        try publish("3", "cleared")
        try await wait(for: ["1 raised", "3 cleared"])
        #expect(try await first.terminate().status == 0)
        // While it is away the broker keeps what is published.
        try publish("4", since: 2)
        try publish("5", "cleared", since: 2)
        let second = try notify()
        try await wait(for: ["1 raised", "3 cleared", "4 raised", "5 cleared"])
        _ = try await second.terminate()
        // A broker that has lost the session delivers what is retained.
        await broker.stop()
        try broker.deleteState()
        try await broker.start()
        try publish("5", "cleared", since: 2)
        let third = try notify()
        try publish("6", since: 3)
        try await wait(for: ["1 raised", "3 cleared", "4 raised", "5 cleared", "6 raised"])
        _ = try await third.terminate()
    }

    @Test("The command has the message on its input and in its environment, and no password")
    func command() async throws {
        try publish("1")
        let process = try notify(
            #"{ cat; echo "$FATHOM_ALARM_TEXT"; env | grep -c FATHOM_NOTIFY; } > "\#(log).part"; mv "\#(log).part" "\#(log)""#,
            environment: ["FATHOM_NOTIFY_ACCOUNT_USERNAME": "someone", "FATHOM_NOTIFY_ACCOUNT_PASSWORD": "secret"])
        try await eventually("told") { told.count == 3 }
        #expect(told[0].hasPrefix(#"{"schema":"wearables/1","id":"1""#) && told[0].hasSuffix("}"))
        #expect(told[1] == "critical: ultra-1: past-limit raised at 00:00:01 UTC (depth-state: pastMaxDepth)")
        #expect(told[2] == "0")
        #expect(!(try await process.terminate()).errors.contains("secret"))
    }

    @Test(
        "A kill at each step loses nothing, and what is told twice has the same id",
        arguments: ["noticed", "told"])
    func kills(point: String) async throws {
        let killed = try notify(environment: ["FATHOM_FAULT": "\(point):1"])
        try publish("1")
        #expect(try await killed.outcome().status == SIGKILL)
        try publish("2", "cleared")
        let process = try notify()
        try await eventually("all is told") { Set(told) == ["1 raised", "2 cleared"] }
        try publish("3", since: 2)
        try await eventually("what follows") { told.last == "3 raised" }
        #expect(told == (point == "told" ? ["1 raised"] : []) + ["1 raised", "2 cleared", "3 raised"])
        _ = try await process.terminate()
    }

    @Test("A kill while the command runs: it runs again, with the same id")
    func killDuringCommand() async throws {
        let killed = try notify(#"echo "$FATHOM_ALARM_ID" >> "\#(log)"; exec sleep 20"#)
        try publish("1")
        try await wait(for: ["1"])
        killed.send(SIGKILL)
        _ = try await killed.outcome()
        let process = try notify()
        try await wait(for: ["1", "1 raised"])
        _ = try await process.terminate()
    }

    @Test("A command that fails, hangs or does not exist for one alarm holds up no other, and the log says so")
    func failing() async throws {
        let command = """
            case $FATHOM_ALARM_DEVICE in
                bad) exit 3 ;;
                missing) no-such-program-anywhere ;;
                slow) sleep 20 & wait ;;
                *) echo "$FATHOM_ALARM_DEVICE" >> "\(log)" ;;
            esac
            """
        let process = try notify(command, ["--timeout", "0.5"])
        for device in ["bad", "missing", "slow"] { try publish("1", device: device) }
        for index in 0..<20 { try publish("1", device: "ok-\(index)", severity: "warning") }
        try await eventually("the others are told") { told.count == 20 }
        try await eventually("the log names the reasons") {
            ["exit status 3", "it is not found", "did not end within"].allSatisfy(process.errors.contains)
        }
        #expect(process.errors.contains("retry_seconds=2"))
        let ended = try await process.terminate()
        #expect(ended.status == 0)
        // What has not been told is told after a start with a command that works.
        let second = try notify(#"echo "$FATHOM_ALARM_DEVICE" >> "\#(log)""#)
        try await eventually("all are told") { Set(told).isSuperset(of: ["bad", "missing", "slow"]) }
        _ = try await second.terminate()
    }

    @Test("Only alarms of the severity that was asked for, and what is no alarm is passed over")
    func severity() async throws {
        let process = try notify(nil, ["--severity", "critical"])
        try publish("1", device: "a", severity: "warning")
        try publish("{", on: "wearables/b/out/alarm/past-limit")
        try publish(#"{"id":"2","severity":"critical","state":"on fire"}"#, on: "wearables/c/out/alarm/past-limit")
        try publish("3", device: "d")
        try await wait(for: ["3 raised"])
        try await eventually("the log names them") {
            process.errors.contains("no JSON object") && process.errors.contains("state on fire is not known")
        }
        _ = try await process.terminate()
    }

    @Test("Two programs do not share a folder, and without one the setting is named")
    func folder() async throws {
        let first = try notify()
        try await eventually("it runs") { FileManager.default.fileExists(atPath: directory.path("notify/notify.lock")) }
        let second = try await notify().outcome()
        #expect(second.status == 1 && second.errors.contains("is in use by another fathom notify"), "\(second.errors)")
        _ = try await first.terminate()
        let none = try await FathomProcess.run(["notify", "--exec", "true"])
        #expect(none.status == 1 && none.errors.contains("notify.stateDirectory is not set"), "\(none.errors)")
        let unknown = try await FathomProcess.run(["notify", "--exec", "true", "--severity", "urgent"])
        #expect(unknown.status != 0 && unknown.errors.contains("critical"), "\(unknown.errors)")
    }
}
