import BrokerTestSupport
import Foundation
import GatewayTestSupport
import LocalBroker
import Testing

@Suite("Metrics and health of the whole program")
struct MonitorTests {
    private func start(
        _ broker: UInt16, http: UInt16, environment: [String: String] = [:], state: String? = nil
    ) throws -> FathomProcess {
        let settings = ["http.port=\(http)", "mqtt.reconnect.maximumSeconds=1"]
        let directory = state.map { ["gateway.stateDirectory=\($0)"] } ?? []
        return try .gateway("watched", on: broker, settings + directory, environment: environment)
    }

    private func health(_ http: UInt16, ready: Bool = false) async throws -> FathomProcess.Outcome {
        try await FathomProcess.run(["health", "--set", "http.port=\(http)"] + (ready ? ["--ready"] : []))
    }

    private func waitUntilReady(_ http: UInt16) async throws {
        try await eventually("the gateway is ready") { await LoopbackHTTP.get("/readyz", http).status == 200 }
    }

    @Test("Alive before the broker is there, ready with it, and not ready without it any more")
    func health() async throws {
        let broker = try await BrokerProcess()
        await broker.stop()
        let http = try LoopbackPort.free()
        #expect(try await health(http).status == 1)
        let gateway = try start(broker.port, http: http)
        try await eventually("the gateway answers") { await LoopbackHTTP.get("/healthz", http).status == 200 }
        #expect(try await health(http).status == 0)
        let early = try await health(http, ready: true)
        #expect(early.status == 1 && early.output.contains("connection out"), "\(early.output)")

        try await broker.start()
        try await waitUntilReady(http)
        let ready = try await health(http, ready: true)
        #expect(ready.status == 0 && ready.output == "ready\n", "\(ready.output)\(ready.errors)")
        #expect(await LoopbackHTTP.get("/readyz", http).body == "[]\n")
        #expect(await LoopbackHTTP.get("/nothing", http).status == 404)

        await broker.stop()
        try await eventually("a lane is not connected") {
            let answer = await LoopbackHTTP.get("/readyz", http)
            return answer.status == 503 && answer.body.contains("\"check\":\"connection safety\"")
        }
        #expect(await LoopbackHTTP.get("/healthz", http).status == 200)
        let metrics = await LoopbackHTTP.get("/metrics", http).body
        #expect(metrics.contains("fathom_mqtt_connected{connection=\"safety\"} 0\n"))
        #expect(try await gateway.terminate().status == 0)
    }

    @Test("health ends after 5 s in all, though what listens there sends a little again and again")
    func slowAnswer() async throws {
        let server = try ScriptedBroker()
        let health = try FathomProcess(["health", "--set", "http.port=\(server.port)"])
        let connection = try await server.accept()
        try await eventually("health ends", within: .seconds(20)) {
            try? await connection.send(Packet(.pingResponse))
            try await Task.sleep(for: .milliseconds(200))
            return !health.isRunning
        }
        let outcome = try await health.outcome()
        #expect(outcome.status == 1 && outcome.errors.contains("no whole answer within 5 s"), "\(outcome.errors)")
    }

    @Test("Every metric is in the tables of docs/reference/metrics.md, and every metric there exists")
    func documented() async throws {
        let directory = try TemporaryDirectory()
        let broker = try await BrokerProcess()
        let http = try LoopbackPort.free()
        let gateway = try start(broker.port, http: http, state: directory.path("state"))
        try await waitUntilReady(http)
        let types = await LoopbackHTTP.get("/metrics", http).body.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
        let names = types.compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) }
        let page = try String(contentsOfFile: Project.path("docs/reference/metrics.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `fathom_") || $0.hasPrefix("| `process_") }
        let documented = rows.flatMap { row in
            row.split(separator: "|")[0].split(separator: "`").map(String.init).filter {
                $0.hasPrefix("fathom_") || $0.hasPrefix("process_")
            }
        }
        #expect(names.sorted() == documented.sorted())
        #expect(try await gateway.terminate().status == 0)
    }

    @Test("A port that is taken ends the start with the name of the setting")
    func portTaken() async throws {
        let descriptor = try LoopbackPort.listen(backlog: 1)
        defer { close(descriptor) }
        let http = try LoopbackPort.port(of: descriptor)
        let outcome = try await start(1, http: http).outcome()
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("http.port") && outcome.errors.contains("\(http)"), "\(outcome.errors)")
    }

    @Test(
        "The service manager is notified when the gateway reads, that it is alive, and that it stops",
        arguments: ["path", "abstract"])
    func notifications(kind: String) async throws {
        let directory = try TemporaryDirectory()
        let socket = try NotifySocket(kind == "path" ? directory.path("notify") : "@fathom-\(UUID().uuidString)")
        let broker = try await BrokerProcess()
        await broker.stop()
        let gateway = try start(
            broker.port, http: LoopbackPort.free(), environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "400000"])
        try await eventually("the gateway says what it waits for") { socket.lines.contains("STATUS=waiting for the broker") }
        try await eventually("it beats") { socket.lines.count { $0 == "WATCHDOG=1" } > 1 }
        #expect(!socket.lines.contains("READY=1"))
        try await broker.start()
        try await eventually("the gateway is ready") { socket.lines.contains("READY=1") }
        try await eventually("all lanes are connected") { socket.lines.contains("STATUS=3 of 3 lanes connected") }
        #expect(broker.log.contains("SUBSCRIBE"))
        gateway.send(SIGTERM)
        try await eventually("the gateway says that it stops") { socket.lines.contains("STOPPING=1") }
        #expect(try await gateway.outcome().status == 0)
    }

    @Test("A lane that is stuck is named, and the service manager receives no beat any more")
    func standstill() async throws {
        let directory = try TemporaryDirectory()
        let socket = try NotifySocket(directory.path("notify"))
        let broker = try await BrokerProcess()
        let http = try LoopbackPort.free()
        let gateway = try start(
            broker.port, http: http,
            environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "400000", "FATHOM_FAULT": "uncommitted:1:block"])
        try await eventually("the lane is stuck") {
            let answer = await LoopbackHTTP.get("/healthz", http)
            return answer.status == 503 && answer.body.contains("\"check\":\"thread mqtt-")
        }
        #expect(try await health(http).status == 1)
        // Beats that were sent before may be read late. While a gateway beats, there are several in each round.
        try await eventually("there is no beat any more") {
            let beats = socket.lines.count { $0 == "WATCHDOG=1" }
            for _ in 0..<5 { _ = await LoopbackHTTP.get("/healthz", http) }
            try? await Task.sleep(for: .seconds(1))
            return socket.lines.count { $0 == "WATCHDOG=1" } == beats
        }
        // A thread that does not respond cannot stop: the process ends all the same.
        let outcome = try await gateway.terminate()
        #expect(outcome.status == 1 && outcome.errors.contains("did not end in time"), "\(outcome.errors)")
    }
}
